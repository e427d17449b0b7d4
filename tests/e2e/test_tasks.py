"""The tasks, as a user runs them: the reference passes, the starter does not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.grading.commands.new_task import make_task
from pytest_embedbench.grading.commands.task_names import TaskNames
from tests.e2e.evaluator import skip_without_engine
from tests.e2e.native_firmware import SUITES, needs_gcc

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.evaluator import Evaluator

pytestmark = [needs_gcc, pytest.mark.timeout(300)]

TASKS = sorted(file.parent.name for file in SUITES.glob("*/task.toml"))
FIRST_BROKEN = {
    "filter_tank_sequence": "F1",
    "mixing_tank_fill_heat": "M3",
    "pressure_vessel_interlock": "V4",
    "tank_fill_drain": "T2",
    "thermal_chamber_hysteresis": "C4",
}


def full_passes(printed: str, task: str, board: str) -> bool:
    """Say whether a run printed that the task passes in full on the board."""
    row = f"^{task} +{board} +full +PASS"
    return re.search(row, printed, re.MULTILINE) is not None


def test_the_reference_passes_in_full_on_both_boards_by_workers(
    evaluate: Evaluator,
) -> None:
    skip_without_engine("uno")
    solution = "--embedbench-firmware=solution"
    printed = evaluate.run("-n2", "--board=uno", solution)
    for board in ("native", "uno"):
        assert full_passes(printed, "tank_fill_drain", board), printed


# On native boards test_calling_contract has them pass, in a coat.
@pytest.mark.parametrize("task", sorted({*TASKS} - {"tank_fill_drain"}))
def test_the_reference_passes_in_full_on_an_uno(evaluate: Evaluator, task: str) -> None:
    skip_without_engine("uno")
    solution = "--embedbench-firmware=solution"
    printed = evaluate.run(solution, board="uno", suite=SUITES / task)
    assert full_passes(printed, task, "uno"), printed


@pytest.mark.parametrize("task", TASKS)
def test_the_starter_fails_with_a_sentence_of_its_brief(
    evaluate: Evaluator, task: str
) -> None:
    done = evaluate("-x", "--embedbench-firmware=", suite=SUITES / task)
    assert done.ending == ("HOST", "HOST_TEST")
    assert FIRST_BROKEN[task] in done.verdict["brief"]
    assert done.verdict["brief"][FIRST_BROKEN[task]] in done.printed
    assert "it has to give" in done.verdict["reason"]


def test_a_new_task_passes_and_its_starter_does_not(
    evaluate: Evaluator, tmp_path: Path
) -> None:
    names = TaskNames(
        task="keep_it_bright", plant="room", sensor="light", actuator="lamp"
    )
    task = make_task(names, tmp_path)
    skip_without_engine("uno")
    printed = evaluate.run("--board=uno", "--embedbench-firmware=solution", suite=task)
    for board in ("native", "uno"):
        assert full_passes(printed, names.task, board), printed
    done = evaluate("--embedbench-firmware=", suite=task)
    assert done.ending == ("HOST", "HOST_TEST")
    assert "A valid light below 30" in done.printed
