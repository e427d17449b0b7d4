"""A correct controller that takes longer over a step is as correct."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.e2e.evaluator import Evaluator, skip_without_engine
from tests.e2e.native_firmware import SUITES

TASKS = sorted(file.parent.name for file in SUITES.glob("*/task.toml"))
STEPS_US = range(0, 3001, 200)
"""Every tenth of those at which it was tried; a line is taken up after 50 ms."""
TURNS = 3
"""A task in so many takes a step; both ends are every task's."""
WAITING = "test_loop and (said or answered or short_silence or after_a_second)"
"""The checks in closed loop that wait for lines and for silence."""
_STEP = re.compile(r"^controller_output_t controller_step\([^)]*\)\s*\{", re.MULTILINE)


def steps_us(task: str) -> list[int]:
    """Return a task's share of the steps: together the tasks take each of them."""
    mine = STEPS_US[TASKS.index(task) % TURNS :: TURNS]
    return sorted({STEPS_US[0], *mine, STEPS_US[-1]})


def slow_references(task: str, folder: Path) -> None:
    """Write the task's reference into ``folder``, slower and slower on AVR boards."""
    solution = SUITES / task / "solution" / "src" / "controller.c"
    source = solution.read_text()
    body = _STEP.search(source)
    assert body is not None
    for step_us in steps_us(task):
        place = folder / f"{step_us:04d}us" / "src"
        place.mkdir(parents=True)
        delay = f"\n#ifdef __AVR__\n    _delay_us({step_us});\n#endif\n"
        header = "#ifdef __AVR__\n#include <util/delay.h>\n#endif\n"
        slower = source[: body.end()] + delay + source[body.end() :]
        (place / "controller.c").write_text(header + slower)


@pytest.mark.timeout(290)
@pytest.mark.parametrize("task", TASKS)
def test_a_reference_that_is_slower_per_step_passes_in_closed_loop(
    task: str, evaluate: Evaluator, tmp_path: Path
) -> None:
    skip_without_engine("uno")
    slow_references(task, tmp_path / "slower")
    printed = evaluate.run(
        "-q",
        f"-k{WAITING}",
        f"--embedbench-submissions={tmp_path / 'slower'}",
        board="uno",
        suite=SUITES / task,
    )
    ending = printed.strip().splitlines()[-1]
    assert re.fullmatch(r"\d+ passed, \d+ deselected in .*", ending), printed[-3000:]
    assert int(ending.split()[0]) % len(steps_us(task)) == 0
