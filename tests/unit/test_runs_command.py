"""``embedbench runs``: what there is, and making room beside runs that go on."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.bench.artifacts import new_folder, point_latest
from pytest_embedbench.bench.run_folders import runs_in
from pytest_embedbench.bench.runs_in_use import (
    alone_in_run,
    held_run,
    hold_run,
    release_runs,
)
from pytest_embedbench.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Command = Callable[..., Any]

DAY_S = 24 * 3600
OLDER, OLD, NEW = (f"20260{month}01T101112Z-77" for month in (1, 2, 3))


@pytest.fixture(autouse=True)
def _let_go() -> Iterator[None]:
    yield
    release_runs()


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / ".embedbench" / "runs"


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """Run ``embedbench runs``, and return what it says as JSON."""

    def run(*words: str) -> Any:  # noqa: ANN401  # as JSON has it
        assert main(["runs", *words, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return run


def leave(root: Path, name: str, days: float, **record: object) -> Path:
    """Make a run that ended so many days ago."""
    folder = root / name / "test_it.py" / "test_one"
    folder.mkdir(parents=True)
    known = {"test": "test_it.py::test_one", "outcome": "passed", "reason": None}
    (folder / "test.json").write_text(json.dumps(known | record))
    for path in (*(root / name).rglob("*"), root / name):
        at_s = path.stat().st_mtime - days * DAY_S
        os.utime(path, (at_s, at_s))
    return root / name


def test_list_says_what_there_is_oldest_first(root: Path, command: Command) -> None:
    leave(root, NEW, 1)
    leave(root, OLD, 40, outcome="failed", reason="it is dark")
    (root / "notes").mkdir()
    trial = root / NEW / "esr" / "test_it.py" / "test_one"
    trial.mkdir(parents=True)
    record = {"test": "test_it.py::test_one", "outcome": "failed", "trial_of": "one"}
    (trial / "test.json").write_text(json.dumps(record))
    listed = command("list")
    assert [run["name"] for run in listed] == [OLD, NEW]
    assert [run["outcomes"] for run in listed] == [{"failed": 1}, {"passed": 1}]
    assert [run["latest"] for run in listed] == [False, True]
    assert listed[0]["started_at"] == "2026-02-01T10:11:12Z"


def test_show_says_what_became_of_each_test(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    leave(root, NEW, 1, outcome="failed", reason="it is dark")
    assert main(["runs", "show"]) == 0
    *_, said = capsys.readouterr().out.splitlines()
    assert said == "failed   test_it.py::test_one: it is dark"
    assert main(["runs", "show", "2026"]) == 1
    assert NEW in capsys.readouterr().err


def test_prune_leaves_the_newest_whatever_their_age(
    root: Path, command: Command
) -> None:
    for name, days in ((OLDER, 90), (OLD, 60), (NEW, 40)):
        leave(root, name, days)
    assert command("prune")["removed"] == []
    assert command("prune", "--keep=1", "--older-than=70")["removed"] == [OLDER]
    assert command("prune", "--keep=0", "--dry-run")["removed"] == [OLD]
    assert (root / OLD).is_dir()
    assert command("prune", "--keep=0", "--older-than=0")["removed"] == [OLD]
    assert [run.name for run in runs_in(root)] == [NEW]


def test_prune_makes_room_by_size_but_for_the_newest(
    root: Path, command: Command
) -> None:
    for name in (OLDER, OLD, NEW):
        (leave(root, name, 1) / "trace.csv").write_bytes(bytes(1_000_000))
    assert command("prune", "--keep=0", "--max-mb=4")["removed"] == []
    assert command("prune", "--keep=2", "--max-mb=0")["removed"] == [OLDER]
    assert command("prune", "--keep=0", "--max-mb=1.5")["removed"] == [OLD]
    assert command("prune", "--keep=0", "--max-mb=0")["removed"] == []


def test_benches_beside_the_runs_are_listed_and_pruned(
    root: Path, command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    benches = root.parent / "benches"
    for name in ("20260101T000000Z-uno", "20260102T000000Z-uno.2", "notes"):
        (benches / name).mkdir(parents=True)
        (benches / name / "transcript.log").write_text("")
    leave(root, NEW, 1)
    old, last, run = command("list")
    assert [each["bench"] for each in (old, last, run)] == [True, True, False]
    assert [each["latest"] for each in (old, last, run)] == [False, True, True]
    assert main(["runs", "show", old["name"]]) == 0
    *_, file = capsys.readouterr().out.splitlines()
    assert file == "transcript.log"
    with held_run(Path(old["folder"])):
        assert command("prune", "--keep=0", "--older-than=0")["removed"] == []
    gone = command("prune", "--keep=0", "--older-than=0")["removed"]
    assert gone == [old["name"]]
    assert sorted(path.name for path in benches.iterdir()) == [last["name"], "notes"]


def test_the_latest_is_the_one_that_the_link_names(
    root: Path, command: Command
) -> None:
    for name in (OLD, NEW):
        leave(root, name, 60)
    point_latest(root / OLD)
    release_runs()
    assert command("prune", "--keep=0", "--older-than=0")["removed"] == [NEW]
    assert (root / "latest" / "test_it.py").is_dir()


def test_a_run_that_goes_on_stays(root: Path, command: Command) -> None:
    for name in (OLDER, OLD, NEW):
        leave(root, name, 60)
    hold_run(root / OLD)
    assert [run["running"] for run in command("list")] == [False, True, False]
    assert command("prune", "--keep=0", "--older-than=0")["removed"] == [OLDER]
    with alone_in_run(root / OLD) as is_alone:
        assert not is_alone
    release_runs()
    assert command("prune", "--keep=0", "--older-than=0")["removed"] == [OLD]


@pytest.mark.parametrize("text", ["{", "[]", '{"outcome": "passed"}'])
def test_a_broken_run_is_named_and_left_alone(
    root: Path, command: Command, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    for name in (OLDER, OLD, NEW):
        leave(root, name, 60)
    (root / OLDER / "test_it.py" / "test_one" / "test.json").write_text(text)
    pruned = command("prune", "--keep=0", "--older-than=0")
    assert pruned["removed"] == [OLD]
    assert [*pruned["broken"]] == [OLDER]
    assert main(["runs", "list"]) == 0
    assert "broken: " in capsys.readouterr().out
    assert main(["runs", "show", OLDER]) == 1
    assert f"{OLDER} is broken" in capsys.readouterr().err


def test_what_makes_no_sense_is_told_in_a_sentence(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["runs", "list"]) == 1
    assert "there are no runs (yet)" in capsys.readouterr().err
    leave(root, NEW, 1)
    for limit in ("--keep=-1", "--max-mb=nan", "--older-than=inf"):
        assert main(["runs", "prune", limit]) == 1
        assert "must be 0 or more" in capsys.readouterr().err


def test_git_passes_over_what_is_ours_and_heeds_what_somebody_wrote(
    tmp_path: Path,
) -> None:
    ours, theirs = tmp_path / "a" / ".embedbench", tmp_path / "b" / ".embedbench"
    theirs.mkdir(parents=True)
    (theirs / ".gitignore").write_text("!runs\n")
    for folder in (ours, theirs):
        new_folder(folder / "runs" / NEW, "test_it.py::test_one")
    new_folder(tmp_path / "kept" / NEW, "test_it.py::test_one")
    assert (ours / ".gitignore").read_text() == "*\n"
    assert (theirs / ".gitignore").read_text() == "!runs\n"
    assert [path.name for path in (tmp_path / "kept").iterdir()] == [NEW]
