"""The page of a run: asked for by an option, written by the process that sees all."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.plugin.conftest import Suite

LOOP = """\
from functools import partial


def test_level(bench, plant, scenario):
    bench.wait_for_boot()
    bench.run(scenario("minute"), partial(plant, "tank_fill_drain"))


def test_wrong(bench):
    bench.wait_for_boot()
    assert bench.board.spec.name == "another"
"""
SCENARIOS = "[minute]\ninitial = { level = 20 }\nmax_steps = 5\n"


@pytest.fixture
def tank(suite: Suite) -> Suite:
    (suite.root / "scenarios.toml").write_text(SCENARIOS)
    suite.test(LOOP)
    return suite


def light_of(page: Path) -> dict[str, Any]:
    """Return the data of a page's list."""
    text = page.read_text("ascii")
    found = re.search(r'id="embedbench-data">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def test_workers_tests_are_in_the_page_of_the_controller(tank: Suite) -> None:
    done = tank.run("-n2", "--embedbench-report=out/page.html")
    done.assert_outcomes(passed=1, failed=1)
    page = tank.root / "out" / "page.html"
    done.stdout.fnmatch_lines([f"embedbench: report page in {page} (*MB)"])
    rows = light_of(page)["tests"]
    assert [row[2:7] for row in rows] == [
        ["test_it.py::test_level[lab]", "test_it.py::test_level", "passed", "lab", ""],
        [
            *("test_it.py::test_wrong[lab]", "test_it.py::test_wrong", "failed"),
            *("lab", "firmware"),
        ],
    ]
    wrong = next(f for f in tank.runs()[0].rglob("test.json") if "wrong" in str(f))
    shown = json.loads(wrong.read_bytes())["phases"]["call"]["traceback"]
    assert ">       assert bench.board.spec.name ==" in shown
    assert "E       AssertionError: assert 'lab' == 'another'" in shown
    about = json.loads(tank.only("run.json").read_bytes())
    assert about["boards"] == [
        {
            "board": "lab", "engine": "lab", "mcu": "python", "version": "lab engine 1",
            "options": "",
        }
    ]  # fmt: skip
    assert about["interrupted"] is False
    assert "--embedbench-report=out/page.html" in about["arguments"]


def test_a_record_says_when_a_plant_began_on_the_boards_time(tank: Suite) -> None:
    tank.run("-k", "level").assert_outcomes(passed=1)
    clocks = json.loads(tank.only("test.json").read_bytes())["plant_clocks"]
    (first_ms, first_us), (last_ms, last_us) = clocks["trace.csv"]["moments"]
    assert (first_ms, last_ms) == (0, 400)
    # The last is a reply's, which comes within its tick.
    assert 400_000 <= last_us - first_us < 500_000
    assert clocks["trace.csv"]["thresholds"]["level"]


def test_an_interrupted_run_has_a_page_of_what_has_ended(suite: Suite) -> None:
    suite.test(
        "import pytest\n"
        "def test_one(bench): bench.wait_for_boot()\n"
        "def test_two(bench): pytest.exit('enough')\n"
    )
    suite.run("--embedbench-report=page.html")
    text = (suite.root / "page.html").read_text("ascii")
    assert ">interrupted<" in text
    assert light_of(suite.root / "page.html")["tests"][0][4] == "passed"


def test_a_run_of_workers_that_is_interrupted_has_one_as_well(suite: Suite) -> None:
    suite.test(
        "import os, signal\n"
        "def test_one(bench): bench.wait_for_boot()\n"
        "def test_two(bench): os.kill(os.getppid(), signal.SIGINT)\n"
        "def test_three(bench): bench.wait_for_boot()\n"
    )
    done = suite.run("-n1", "--embedbench-report=page.html")
    assert done.ret == pytest.ExitCode.INTERRUPTED
    assert ">interrupted<" in (suite.root / "page.html").read_text("ascii")
    rows = light_of(suite.root / "page.html")["tests"]
    assert ["test_it.py::test_one[lab]", "passed"] in [[row[2], row[4]] for row in rows]


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (".", "*--embedbench-report: * is a folder: name a file in it"),
        ("test_it.py/page.html", "*--embedbench-report: *test_it.py is no folder"),
    ],
)
def test_a_place_where_no_page_can_be_is_refused_before_anything_runs(
    suite: Suite, place: str, words: str
) -> None:
    suite.test(LOOP)
    done = suite.run(f"--embedbench-report={place}")
    done.stderr.fnmatch_lines([words])
    assert done.ret == pytest.ExitCode.USAGE_ERROR


def test_without_the_option_there_is_no_page(suite: Suite) -> None:
    suite.test("def test_one(bench): bench.wait_for_boot()\n")
    done = suite.run()
    done.stdout.no_fnmatch_line("*report page*")
    assert list(suite.root.rglob("*.html")) == []
    assert suite.only("run.json").exists()
