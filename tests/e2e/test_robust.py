"""The robust suites: the references stand them, a controller that trusts does not."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.evaluator import TANK
from tests.e2e.native_firmware import SUITES, needs_gcc

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.evaluator import Evaluator

pytestmark = [needs_gcc, pytest.mark.timeout(300)]

TASKS = sorted(file.parts[-3] for file in SUITES.glob("*/hidden/test_robust.py"))
SOLUTION = (TANK / "solution/src/controller.c").read_text()
IF_STALE = "    if (is_stale(controller, input.now_ms)) {"
TAKES_LEVEL = "    controller->last_valid_sensor_ms = now_ms;\n"
ON_BAD_LEVEL = "    case CONTROLLER_INPUT_INVALID_LEVEL:\n"


@dataclass(frozen=True)
class Robust:
    """Runs the robust suite on native, and reads its report."""

    evaluate: Evaluator

    def __call__(self, *args: str, suite: Path = TANK) -> dict[str, dict[str, Any]]:
        """Return the trial of each fault."""
        before = self.reports()
        printed = self.evaluate.run("--embedbench-profile=robust", *args, suite=suite)
        made = self.reports() - before
        assert len(made) == 1, printed
        (report,) = made
        assert "embedbench verdicts" not in printed
        trials = json.loads(report.read_text())["trials"]
        return {trial["check"].partition("[native")[2]: trial for trial in trials}

    def reports(self) -> set[Path]:
        files = self.evaluate.folder.glob("*/robustness.json")
        return {file for file in files if file.parts[-2] != "latest"}

    def submit(self, *changes: tuple[str, str]) -> dict[str, dict[str, Any]]:
        """Return the trials of the reference with changes in it."""
        source = SOLUTION
        for old, new in changes:
            assert source.count(old) == 1
            source = source.replace(old, new)
        folder = self.evaluate.folder / "submission"
        folder.mkdir()
        (folder / "controller.c").write_text(source)
        return self(f"--embedbench-firmware={folder}", "-ksilence or garbage or noise")


@pytest.fixture
def robust(evaluate: Evaluator) -> Robust:
    return Robust(evaluate)


@pytest.mark.parametrize("task", TASKS)
def test_the_reference_stands_every_fault_and_each_takes_effect(
    task: str, robust: Robust
) -> None:
    trials = robust("--embedbench-firmware=solution", suite=SUITES / task)
    assert {trial["tolerance"] for trial in trials.values()} == {"tolerated"}
    assert len(trials) > 15
    for trial in trials.values():
        assert all(fault["ticks"] > 0 for fault in trial["faults"])


def test_equal_seeds_give_equal_runs(robust: Robust) -> None:
    chosen = ("--embedbench-firmware=solution", "-kall-at-once or byte-errors")
    robust(*chosen, "--embedbench-seed=3")
    robust(*chosen, "--embedbench-seed=3", "-n2")
    robust(*chosen, "--embedbench-seed=4")
    stories = [
        sorted(file.read_bytes() for file in report.parent.rglob("transcript.log"))
        for report in sorted(robust.reports())
    ]
    assert len(stories[0]) == 2
    assert stories[0] == stories[1] != stories[2]


def test_a_controller_that_trusts_a_silent_sensor_does_not_stand_it(
    robust: Robust,
) -> None:
    trials = robust.submit((IF_STALE, "    if (false) {"))
    bad = {name for name, t in trials.items() if t["tolerance"] == "not tolerated"}
    assert bad == {"-silence]"}
    assert trials["-silence]"]["violated"] == "the tank never overflows"


def test_a_controller_that_gives_up_for_good_does_not_recover(robust: Robust) -> None:
    dies = "    static bool dead;\n    if (level < 0) { dead = true; }\n"
    stays_dead = "    if (dead) { go_safe(controller); return; }\n"
    trials = robust.submit(
        (ON_BAD_LEVEL, f"{ON_BAD_LEVEL}        take_level(controller, -1, 0);\n"),
        (TAKES_LEVEL, f"{dies}{stays_dead}{TAKES_LEVEL}"),
    )
    assert trials["-garbage]"]["violated"] == (
        "the level is within reach of its band again, 3000 ms after the faults"
    )
    assert trials["-silence]"]["tolerance"] == "tolerated"
