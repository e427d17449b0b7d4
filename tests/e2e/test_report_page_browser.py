"""The page of runs in a browser, as people use it: mouse, keyboard, screen readers."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.report_page.page import write_page
from pytest_embedbench.report_page.run_folder import read_run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

ATTACK = "</script><script>document.title='run'</script><img src=x onerror=alert(1)>"
VCD = """\
$timescale 100 ps $end
$var wire 1 ! uno_9 $end
$enddefinitions $end
#0
0!
#1000000000
1!
#4000000000
"""


def put(
    run: Path, folder: str, lines: list[str], levels: list[int], **more: object
) -> None:
    place = run / folder
    place.mkdir(parents=True)
    clock = {"moments": [[0, 10_000], [200, 210_000]], "thresholds": {"level": [30]}}
    record: dict[str, object] = {
        "test": f"test_tank.py::{folder}",
        "board": "uno",
        "outcome": "passed",
        "plant_clocks": {"trace.csv": clock},
        **more,
    }
    (place / "test.json").write_text(json.dumps(record))
    (place / "transcript.log").write_text("".join(f"{line}\n" for line in lines))
    rows = [f"{100 * at},{level},{level < 30}" for at, level in enumerate(levels)]
    (place / "trace.csv").write_text("timestamp_ms,level,pump_on\n" + "\n".join(rows))
    (place / "metrics.json").write_text(json.dumps({"max_level": max(levels)}))
    (place / "circuit.vcd").write_text(VCD)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a page of two runs, with what a hostile firmware has said."""
    root = tmp_path_factory.mktemp("pages")
    booted, sense = "     0.001000 fw-> DBG BOOTED", "->fw SENSE LEVEL 25"
    first = [booted, f"     0.120000 {sense}", "     0.160000 fw-> ACT PUMP ON"]
    put(root / "first", "test_fills[uno]", first, [20, 25, 40])
    second = [booted, "     0.002000 fw-> DBG MORE", f"     0.122500 {sense}",
              "     0.160000 fw-> ACT PUMP OFF"]  # fmt: skip
    put(root / "second", "test_fills[uno]", second, [20, 25, 35, 30])
    put(
        root / "second", "test_drains[uno]", [f"     0.100000 fw-> {ATTACK}"], [50, 45],
        outcome="failed", blame="firmware", reason=f"the pump ran dry\n{ATTACK}",
        brief={"T5": "A malformed level `x` switches the pump off."},
        phases={"call": {"traceback": f">   assert pump\n{ATTACK}"}},
    )  # fmt: skip
    put(root / "second", "esr", ["     0.100000 fw-> 1"], [1], trial_of="test_drains")
    for number in range(400):
        folder = f"test_many[{number}-native]"
        record = {"test": f"test_many.py::{folder}", "board": "native"}
        (root / "second" / folder).mkdir()
        (root / "second" / folder / "test.json").write_text(
            json.dumps(record | {"outcome": "passed" if number % 2 else "skipped"})
        )
    file = root / "page.html"
    write_page(file, [read_run(root / "first"), read_run(root / "second")])
    return file.as_uri()


@pytest.fixture
def opened(browser: Browser, address: str) -> Iterator[Page]:
    """The page, just opened; whatever it complains of fails the test."""
    tab = browser.new_page()
    complaints: list[str] = []
    tab.on("pageerror", lambda error: complaints.append(str(error)))
    tab.on("console", lambda message: complaints.append(message.text))
    tab.set_default_timeout(10_000)
    tab.goto(address)
    yield tab
    tab.close()
    assert complaints == []


def shown(tab: Page) -> str:
    return tab.locator(".count").inner_text()


def test_filters_narrow_the_list_and_stand_in_the_address(opened: Page) -> None:
    assert shown(opened) == "403 of 403 results, of 402 tests"
    opened.get_by_label("Outcome").select_option("failed")
    assert shown(opened) == "1 of 403 results, of 1 tests"
    assert opened.get_by_role("status").first.inner_text() == shown(opened)
    opened.get_by_role("button", name="Clear filters").click()
    opened.get_by_role("link", name="firmware: 1").click()
    opened.wait_for_function("document.querySelector('.count').textContent[0] == '1'")
    opened.get_by_role("button", name="Clear filters").click()
    opened.get_by_label("Board").select_option("native")
    opened.get_by_label("Text").fill("many 39 skip")
    assert shown(opened) == "0 of 403 results, of 0 tests"
    opened.get_by_label("Text").fill("many[39")
    assert shown(opened) == "11 of 403 results, of 11 tests"
    assert opened.url.endswith("#tests&board=native&q=many%5B39")
    opened.reload()
    assert shown(opened) == "11 of 403 results, of 11 tests"


def test_rows_come_in_portions_and_cells_are_reached_by_keys(opened: Page) -> None:
    rows = opened.locator(".matrix tbody tr:not(.file)")
    assert rows.count() < 402
    names = opened.get_by_role("columnheader").all_inner_texts()
    assert names[:4] == ["Test", "first / uno", "second / native", "second / uno"]
    cell = opened.get_by_role("link", name="passed on first / uno: test_fills")
    cell.focus()
    opened.keyboard.press("ArrowRight")
    other = opened.get_by_role("link", name="passed on second / uno: test_fills")
    assert other.evaluate("element => element === document.activeElement")
    opened.keyboard.press("Enter")
    title = opened.get_by_role("heading", level=2, name="test_fills")
    title.wait_for()
    assert title.evaluate("element => element === document.activeElement")
    opened.get_by_role("link", name="All tests").click()
    assert other.evaluate("element => element === document.activeElement")


def test_a_cursor_reads_all_lanes_and_the_transcript_goes_along(opened: Page) -> None:
    opened.get_by_role("link", name="passed on first / uno: test_fills").click()
    plot = opened.get_by_role(
        "img", name=re.compile("^Plot of .* 5 lanes: level, pump")
    )
    plot.focus()
    readings = opened.get_by_role("table", name=re.compile("^(At|Cursor)"))
    opened.keyboard.press("End")
    told = readings.get_by_role("row").all_inner_texts()
    assert told == [
        "level\t40", "pump_on\tlow", "uno_9\thigh", "from firmware\tACT PUMP ON",
        "to firmware\tSENSE LEVEL 25",
    ]  # fmt: skip
    current = opened.locator(".lines [aria-current] .said")
    assert current.all_text_contents() == ["ACT PUMP ON"]
    opened.get_by_role("button", name="0.120000").click()
    assert readings.locator("caption").inner_text() == "At 0.120000 s"
    assert readings.get_by_role("row").first.inner_text() == "level\t25"
    before = opened.evaluate("CHARTS[0].timeline.view.join()")
    plot.focus()
    opened.keyboard.press("+")
    opened.get_by_role("button", name="Zoom in").click()
    assert opened.evaluate("CHARTS[0].timeline.view.join()") != before
    opened.get_by_role("button", name="Show all of the time").click()
    assert opened.evaluate("CHARTS[0].timeline.view.join()") == before
    box = plot.bounding_box()
    assert box is not None
    opened.mouse.move(box["x"] + 10, box["y"] + 10)
    opened.mouse.down()
    opened.mouse.move(box["x"] + 200, box["y"] + 10)
    opened.mouse.up()
    assert opened.evaluate("CHARTS[0].timeline.view.join()") != before


def test_a_transcript_is_searched(opened: Page) -> None:
    opened.get_by_role("link", name="passed on first / uno: test_fills").click()
    field = opened.get_by_label("Search in transcript.log")
    field.fill("pump")
    assert opened.locator(".transcript [role=status]").inner_text() == "1 of 1 lines"
    assert opened.locator("mark").all_text_contents() == ["PUMP"]
    field.fill("nothing of the kind")
    assert opened.locator(".transcript [role=status]").inner_text() == "0 lines"


def test_what_a_hostile_firmware_says_is_shown_and_never_runs(opened: Page) -> None:
    opened.get_by_role("link", name="failed on second / uno: test_drains").click()
    opened.locator(".why").get_by_text("the pump ran dry").wait_for()
    assert opened.locator(".why pre").inner_text() == ATTACK
    assert opened.locator(".lines .said").all_text_contents() == [ATTACK]
    assert opened.locator("#detail img, #detail script").count() == 0
    assert opened.title() == "embedbench: first, second"
    sentence = opened.get_by_role("definition")
    assert sentence.inner_text() == "A malformed level x switches the pump off."
    assert sentence.locator("code").inner_text() == "x"
    traceback = opened.get_by_label("Traceback of call")
    assert not traceback.is_visible()
    opened.get_by_text("Traceback of call").click()
    assert traceback.inner_text() == f">   assert pump\n{ATTACK}"
    opened.get_by_role("tab", name="Metrics").focus()
    opened.keyboard.press("ArrowRight")
    chosen = opened.get_by_role("tab", selected=True)
    assert chosen.inner_text() == "Build and tools"
    opened.keyboard.press("End")
    panel = opened.get_by_role("tabpanel", name="Record")
    assert '"outcome": "failed"' in panel.inner_text()


def test_two_runs_of_a_test_stand_side_by_side(opened: Page) -> None:
    opened.get_by_role("link", name="passed on first / uno: test_fills").click()
    opened.get_by_label("Compare with").select_option(label="second / uno: passed")
    opened.get_by_role("button", name="Compare", exact=True).click()
    listed = opened.get_by_role("list", name="Differences").get_by_role("listitem")
    listed.first.wait_for()
    line = (
        "First differing line: line 2 at 0.002000 s: \u201cDBG MORE\u201d is of "
        "second / uno alone. Lines of one side alone: 1 of first / uno, 2 of second / "
        "uno."
    )
    assert listed.all_inner_texts() == [
        line,
        "First differing sample: level at 0.210000 s (sample 3): 40 against 35.",
        "No edge of a net differs.",
    ]
    differs = opened.locator(".lines .differs .said").all_text_contents()
    assert differs == ["ACT PUMP ON", "DBG MORE", "ACT PUMP OFF"]
    row = opened.get_by_role("row", name="max_level")
    assert row.inner_text() == "max_level\t40\t35\tdiffers"
    link = opened.url
    opened.goto("about:blank")
    opened.goto(link)
    opened.locator(".lines .differs").nth(2).wait_for()


def test_a_link_to_no_test_is_told(opened: Page, address: str) -> None:
    opened.goto(f"{address}#test=nothing")
    opened.get_by_role("heading", name="There is no such test in this page").wait_for()


def test_the_theme_is_switched_and_every_control_has_a_name(opened: Page) -> None:
    background = "getComputedStyle(document.body).backgroundColor"
    light = opened.evaluate(background)
    opened.get_by_role("button", name="Show the dark theme").click()
    assert opened.evaluate(background) != light
    opened.get_by_role("link", name="passed on first / uno: test_fills").click()
    opened.get_by_role("tab", name="Metrics").wait_for()
    opened.get_by_role("link", name="Skip to the content").press("Enter")
    assert opened.get_by_role("main").evaluate("it => it === document.activeElement")
    snapshot = opened.locator("body").aria_snapshot()
    nameless = re.findall(
        r"^\s*- (?:button|link|combobox|searchbox|img|tab|textbox)(?: \[.*)?:?$",
        snapshot,
        re.MULTILINE,
    )
    assert nameless == []
