"""What the page says of two attempts laid side by side, each case in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.report_page.page import write_page
from pytest_embedbench.report_page.run_folder import read_run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def opened(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Page]:
    """A page of two runs of one test, for what it compares by."""
    root: Path = tmp_path_factory.mktemp("pages")
    for name in ("first", "second"):
        place = root / name / "t"
        place.mkdir(parents=True)
        record = (
            '{"test": "t.py::test_fills[uno]", "board": "uno", "outcome": "passed"}'
        )
        (place / "test.json").write_text(record)
    file = root / "page.html"
    write_page(file, [read_run(root / "first"), read_run(root / "second")])
    tab = browser.new_page()
    tab.goto(file.as_uri())
    yield tab
    tab.close()


def said(*lines: str, first_us: int = 1000) -> str:
    stamps = (first_us + 10_000 * index for index in range(len(lines)))
    ways = [line if line.startswith("->fw ") else f"fw-> {line}" for line in lines]
    return "".join(
        f"{at / 1e6:13.6f} {line}\n" for at, line in zip(stamps, ways, strict=True)
    )


def sampled(*values: object, step_ms: int = 100, name: str = "level") -> dict[str, str]:
    rows = [f"{step_ms * at},{value}\n" for at, value in enumerate(values)]
    return {"trace.csv": f"timestamp_ms,{name}\n" + "".join(rows)}


def waved(*steps: str, unit: str = "1 us", net: str = "D9") -> dict[str, str]:
    head = f"$timescale {unit} $end\n$var wire 1 ! {net} $end\n$enddefinitions $end\n"
    return {"c.vcd": head + "".join(f"{step}\n" for step in steps)}


NOTHING = "Neither has a transcript, samples of a plant or edges of nets."
LEFT_ALONE, RIGHT_ALONE = "is of first / uno alone", "is of second / uno alone"
UNLIKE = [f"T {at}" for at in range(1000)], [f"U {at}" for at in range(1000)]
BENCHES = {"trace.csv": "t,a\n0,1\n", "bench-2/trace.csv": "t,a\n0,1\n"}
PARTS = "The files differ, and are not all in this page: the rest was not compared."
NO_SAMPLE, NO_EDGE = "No sample of a plant differs.", "No edge of a net differs."


def talk(*lines: str, first_us: int = 1000) -> dict[str, Any]:
    return {"logs": {"transcript.log": said(*lines, first_us=first_us)}}


PAIRS: list[tuple[dict[str, Any], dict[str, Any], list[str]]] = [
    ({}, {}, [NOTHING]),
    (talk("A"), talk("A"), ["The transcripts are equal, stamps included."]),
    (
        talk("A"),
        talk("A", first_us=3000),
        ["The lines are equal; they come at most 2 ms apart: line 1."],
    ),
    (talk("A", "B"), {}, [f"transcript.log {LEFT_ALONE}."]),
    (talk(), talk("A"), [f"line 1 at 0.001000 s: \u201cA\u201d {RIGHT_ALONE}"]),
    (talk(), talk(), ["Neither says anything."]),
    (
        talk("A", "B"),
        talk("N", "A", "B"),
        [f"line 1 at 0.001000 s: \u201cN\u201d {RIGHT_ALONE}"],
    ),
    (
        talk("A", "B", "N"),
        talk("A", "B"),
        [f"line 3 at 0.021000 s: \u201cN\u201d {LEFT_ALONE}"],
    ),
    (
        talk("P"),
        talk("->fw P"),
        ["\u201cP\u201d from the firmware against \u201cP\u201d to the firmware"],
    ),
    (
        talk("a\\x1b", "\xdf"),
        talk("a\\x1b", "\u1e9e"),
        ["line 2 at 0.011000 s: \u201c\xdf\u201d against \u201c\u1e9e\u201d"],
    ),
    (
        talk("A", *UNLIKE[0], "Z"),
        talk("A", *UNLIKE[1], "Z"),
        ["at 0.011000 s: \u201cT 0\u201d against \u201cU 0\u201d. From there on they"],
    ),
    (
        {"logs": {"uno/transcript.log": said("A"), "a/transcript.log": said("B")}},
        {"logs": {"uno/transcript.log": said("A"), "b/transcript.log": said("C")}},
        [
            "uno/transcript.log: The transcripts are equal",
            "a/transcript.log against b/transcript.log: First differing line: line 1",
        ],
    ),
    (
        {"traces": sampled(1, 2, 3)},
        {"traces": sampled(1, 2)},
        ["level at 0.200000 s (sample 3): 3 against nothing more."],
    ),
    (
        {"traces": sampled(1, 2)},
        {"traces": sampled(1, 9, 2, 5, step_ms=50)},
        ["level at 0.150000 s (sample 4): nothing more against 5."],
    ),
    (
        {"traces": sampled(1, 2)},
        {"traces": sampled(1, 9, 2, step_ms=50)},
        ["No sample of a plant differs at the times that both have."],
    ),
    (
        {"traces": sampled(1, 2)},
        {"traces": {"trace.csv": "t,level\n50,1\n150,2\n"}},
        ["The samples have no time in common."],
    ),
    (
        {"traces": sampled(1, name="cm")},
        {"traces": sampled(1, name="mm")},
        ["Signals of first / uno alone: cm.", "Signals of second / uno alone: mm."],
    ),
    ({"traces": sampled(1)}, {"traces": sampled("")}, ["1 against nothing."]),
    ({"traces": sampled(1)}, {"traces": sampled("1.0")}, [NO_SAMPLE]),
    ({"traces": sampled(1)}, {"traces": sampled()}, ["1 against nothing more."]),
    (
        {"traces": sampled(1.0000001)},
        {"traces": sampled(1.0000002)},
        ["1.0000001 against 1.0000002."],
    ),
    (
        {"traces": BENCHES},
        {"traces": {"trace.csv": "t,a\n0,2\n"}},
        ["trace.csv: First differing sample: a at", f"bench-2/trace.csv {LEFT_ALONE}."],
    ),
    (
        {"waves": waved("#0", "0!", "#33330000", "1!", unit="100 ps")},
        {"waves": waved("#0", "0!", "#3333", "1!")},
        [NO_EDGE],
    ),
    (
        {"waves": waved("#0", "0!", "#10", "1!")},
        {"waves": waved("#0", "0!", "#20")},
        ["D9: high at 0.000010000 s against nothing more."],
    ),
    (
        {"waves": waved("#0", "0!")},
        {"waves": waved("#0", "0!", net="D8")},
        ["Nets of first / uno alone: D9.", "Nets of second / uno alone: D8."],
    ),
    (
        {**talk("A", "B"), "digests": {"transcript.log": "1"}},
        talk("A", "B", "C"),
        ["The first 2 lines are equal, stamps included.", PARTS],
    ),
    (
        {**talk("A"), "digests": {"transcript.log": "1"}},
        {**talk("A"), "digests": {"transcript.log": "1"}},
        ["The files are equal, byte by byte."],
    ),
    (
        {"waves": waved("#0", "0!", "#10"), "digests": {"c.vcd": "1"}},
        {"waves": waved("#0", "0!", "#20", "1!")},
        [NO_EDGE, PARTS],
    ),
]


def test_what_sets_two_attempts_apart_is_said_and_all_of_it(opened: Page) -> None:
    pairs = [[left, right] for left, right, _ in PAIRS]
    words: list[list[str]] = opened.evaluate(
        """pairs => {
          const found = (pair) => differencesOf(DATA.tests, pair, pair.map(allLanes));
          return pairs.map((pair) => found(pair).words);
        }""",
        pairs,
    )
    for said_now, (left, right, wanted) in zip(words, PAIRS, strict=True):
        fits = [want in now for want, now in zip(wanted, said_now, strict=True)]
        assert all(fits), (left, right, said_now)


def test_the_first_difference_of_plots_is_marked_on_both(opened: Page) -> None:
    traces = [sampled(1, 2), sampled(1, 3)]
    waves = [waved("#0", "0!", "#10", "1!"), waved("#0", "0!", "#11", "1!")]
    pair = [{"traces": t, "waves": w} for t, w in zip(traces, waves, strict=True)]
    shorter = [{"traces": sampled(1, 2)}, {"traces": sampled(1)}]
    at_us = opened.evaluate(
        "pairs => pairs.map((pair) => differencesOf(DATA.tests, pair, "
        "pair.map(allLanes)).at_us)",
        [pair, shorter],
    )
    assert at_us == [[10, 11], [100_000, 100_000]]


def test_figures_differ_if_they_do_and_are_written_so(opened: Page) -> None:
    left = {"metrics.json": {"a": 1.0000001, "b": {"x": 1}, "c": None, "d": 0.5}}
    right = {"metrics.json": {"a": 1.0000002, "b": {"x": 2}, "d": 0.5}}
    both = [
        {"metrics": {**left, "bench-2/metrics.json": {"e": 1}}},
        {"metrics": right},
    ]
    rows = opened.evaluate(
        "both => metricsCompared(DATA.tests, both).flatMap((table) => "
        "[table.caption.textContent, ...[...table.tBodies[0].rows].map((row) => "
        "[...row.cells].map((cell) => cell.textContent).join('|'))])",
        both,
    )
    assert rows == [
        "Metrics: metrics.json",
        "a|1.0000001|1.0000002|differs",
        'b|{"x":1}|{"x":2}|differs',
        "c|null|-|differs",
        "d|0.5|0.5|",
        "Metrics: bench-2/metrics.json",
        "e|1|-|differs",
    ]
