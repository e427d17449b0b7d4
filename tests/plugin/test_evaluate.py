"""``embedbench evaluate``: a line for each submission and board, and exit codes."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.plugin.conftest import TANK
from tests.plugin.many import STAGES, make_task

if TYPE_CHECKING:
    from tests.plugin.conftest import Suite

LISTED = (
    *("broken   lab  INT   TARGET_BUILD ", "crashes  lab  INT   BOOT "),
    *("empty    lab  NONE  - ", "good     lab  PASS  INTEGRATION "),
    "lazy     lab  INT   INTEGRATION ",
)


@pytest.fixture
def package(suite: Suite) -> Suite:
    """A task with its checks where a package has them, and submissions."""
    make_task(suite)
    (suite.root / "hidden").mkdir()
    for name in ("test_host.py", "test_loop.py"):
        (suite.root / name).rename(suite.root / "hidden" / name)
    return suite


def evaluate(
    suite: Suite, *words: str, task: str = ".", board: str = "lab"
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            *(sys.executable, "-m", "pytest_embedbench.cli", "evaluate", task, *words),
            *([f"--board={board}"] if board else []),
        ],
        cwd=suite.root,
        env=os.environ
        | {
            "EMBEDBENCH_BUILDER": "lab",
            "EMBEDBENCH_CACHE": str(suite.root / "cache"),
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_each_submission_is_a_line(package: Suite, workers: str) -> None:
    done = evaluate(package, "all", workers)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == len(LISTED)
    assert all(map(str.startswith, lines, LISTED)), done.stdout


def test_the_rows_are_written_where_they_are_wanted(package: Suite) -> None:
    evaluate(package, "all", "--json=rows.json", "--csv=rows.csv")
    rows = json.loads((package.root / "rows.json").read_text())["rows"]
    listed = csv.DictReader((package.root / "rows.csv").read_text().splitlines())
    assert [row["submission"] for row in rows] == list(STAGES)
    assert [row["submission"] for row in listed] == list(STAGES)


def test_what_has_no_verdict_through_our_fault_is_named(package: Suite) -> None:
    package.board("absent")
    (package.root / "bare" / "src").mkdir(parents=True)
    done = evaluate(package, "all/good", "bare", "--board=absent")
    assert done.returncode == 3
    assert [line.split()[:3] for line in done.stdout.splitlines()] == [
        ["good", "absent", "no"],
        ["good", "lab", "PASS"],
        ["bare", "absent", "NONE"],
        ["bare", "lab", "NONE"],
    ]
    *_, last = done.stderr.splitlines()  # before it there may be how far it was
    told = "no verdict, through no fault of theirs: good on absent"
    assert last == f"embedbench evaluate: {told}"


def test_a_run_goes_on(package: Suite) -> None:
    first = evaluate(package, "all")
    builds = (package.root / "cache" / "builds.log").read_text()
    again = evaluate(package, "all", "--resume", "-n0")
    assert (again.returncode, again.stdout) == (0, first.stdout)
    assert (package.root / "cache" / "builds.log").read_text() == builds
    assert len(package.runs()) == 1


def test_a_suite_that_does_not_run_is_our_fault(package: Suite) -> None:
    (package.root / "hidden" / "test_host.py").write_text("syntax error")
    done = evaluate(package, "all/good")
    assert done.returncode == 3
    assert "the hidden suite does not run:" in done.stderr
    assert "error" in done.stderr


def test_a_submission_a_folder_and_a_file_are_judged_together(package: Suite) -> None:
    line = {"name": "told", "files": {"firmware.py": TANK}}
    (package.root / "more.jsonl").write_text(json.dumps(line))
    (package.root / "src_only" / "src").mkdir(parents=True)
    done = evaluate(package, "all/good", "src_only", "more.jsonl", "all", "all/good/")
    assert [line.split()[0] for line in done.stdout.splitlines()] == [
        *("good", "src_only", "told", "broken", "crashes", "empty", "lazy")
    ]
    run = package.runs()[-1]
    (file,) = (run / "submissions" / "told").rglob("verdict.json")
    assert json.loads(file.read_text())["submission"] == "more.jsonl#told"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["typo"], "typo: No such file or directory: name a folder of submissions*"),
        (["bare"], "bare: holds no submission: each folder in it would be"),
        (["broken.jsonl"], "broken.jsonl:1: is no JSON "),
        (["all", "again"], "again/good: good is called like all/good: give each"),
        (["all", "-n", "-1"], "-n -1: is less than none"),
        (["all", "--profile=strict"], "--embedbench-profile: 'strict' is not one of: "),
        (["all", "--board=labb"], "no board named 'labb'; known boards: "),
    ],
)
def test_what_makes_no_sense_is_one_sentence(
    package: Suite, words: list[str], told: str
) -> None:
    (package.root / "bare").mkdir()
    (package.root / "again" / "good").mkdir(parents=True)
    (package.root / "broken.jsonl").write_text("{")
    done = evaluate(package, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"embedbench evaluate: {told.rstrip('*')}")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("folder", "board", "told"),
    [
        ("all", "lab", "all/task.toml: "),
        (".", "", "on which board? say --board=NAME (repeatable)"),
        ("empty", "lab", "empty/hidden: no such folder, and so no checks"),
    ],
)
def test_a_task_and_a_board_are_wanted(
    package: Suite, folder: str, board: str, told: str
) -> None:
    (package.root / "empty").mkdir()
    toml = (package.root / "task.toml").read_text()
    (package.root / "empty" / "task.toml").write_text(toml)
    done = evaluate(package, "all", task=folder, board=board)
    assert done.returncode == 2
    assert done.stderr.startswith(f"embedbench evaluate: {told}")
