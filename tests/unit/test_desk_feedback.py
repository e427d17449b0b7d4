"""All that an agent can see of a judging, over ten submissions of each ending."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.campaign.judging import Judgement
from pytest_embedbench.cli import main
from tests.unit.test_campaign_desk import Place

if TYPE_CHECKING:
    from pathlib import Path

SUBMISSIONS = 10
STAGES = ("EDIT_SURFACE", "HOST_BUILD", "HOST_TEST", "BUILD", "BOOT")
"""A failure's, in turn."""


def judgement(verdict: str, number: int) -> Judgement:
    """Return one of that verdict that differs from all others in all else."""
    stage = "INTEGRATION" if verdict == "PASS" else STAGES[number % len(STAGES)]
    return Judgement(verdict=verdict, stage=stage, reason=f"check {number} " * number)


def files_of(workspace: Path) -> dict[str, tuple[int, int]]:
    """Return size and time in ns of all that is in a workspace, folders included."""
    return {
        f"{path.relative_to(workspace)}": (found.st_size, found.st_mtime_ns)
        for path in (workspace, *workspace.rglob("*"))
        for found in [path.lstat()]
    }


def seen(
    place: Place,
    mode: str,
    verdict: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> list[tuple[int, str, str, set[str]]]:
    """Submit ten times; return exit code, output, and where files have changed."""
    coming = (judgement(verdict, number) for number in range(SUBMISSIONS))
    shown: list[tuple[int, str, str, set[str]]] = []
    with place.desk(mode, lambda: next(coming)) as desk:
        monkeypatch.chdir(place.workspace)
        monkeypatch.setenv("EMBEDBENCH_DESK", str(desk.socket))
        for number in range(SUBMISSIONS):
            source = place.workspace / "src" / "controller.c"
            source.write_text(f"/* {number} */\n")
            before = files_of(place.workspace).items()
            code = main(["submit"])
            changed = dict(files_of(place.workspace).items() ^ before)
            said = capsys.readouterr()
            places = {path.partition("/")[0] for path in changed}
            shown.append((code, said.out, said.err, places))
    judged = [each.judgement for each in desk.submissions]
    assert judged == [judgement(verdict, number) for number in range(SUBMISSIONS)]
    return shown


@pytest.mark.parametrize(("verdict", "said"), [("PASS", "PASS\n"), ("HOST", "FAIL\n")])
def test_red_or_green_is_all_that_there_is_to_see(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    verdict: str,
    said: str,
) -> None:
    shown = seen(Place(tmp_path), "ci_red_green", verdict, capsys, monkeypatch)
    assert shown == [(0, said, "", set())] * SUBMISSIONS


@pytest.mark.parametrize("verdict", ["PASS", "HOST"])
def test_everything_is_what_the_judgement_says_and_nothing_beside(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    verdict: str,
) -> None:
    shown = seen(Place(tmp_path), "oracle_full", verdict, capsys, monkeypatch)
    ending = "PASS" if verdict == "PASS" else "FAIL"
    for number, (code, out, err, places) in enumerate(shown):
        judged = judgement(verdict, number)
        assert out == f"{ending} {verdict} {judged.stage}\n{judged.reason}\n"
        assert (code, err) == (0, "")
        assert places <= {".", "feedback"}
