"""Every suite keeps what its brief promises of how a controller is called.

The references, in a coat that ends the program when they are not called so: a check
that breaks its own brief is one that such a controller fails.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.grading.task import load_task
from tests.e2e.native_firmware import SUITES, needs_gcc

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.grading.task import Task
    from tests.e2e.evaluator import Evaluator

pytestmark = [needs_gcc, pytest.mark.timeout(300)]

TASKS = sorted(file.parent.name for file in SUITES.glob("*/task.toml"))
LONGEST_GAP_MS = 100
"""A read waits for up to 50 ms, and again for 50 ms behind the last byte."""
COAT = """
#undef NDEBUG
#include <assert.h>

#define PROMISED(holds) assert(holds)

static int inits, steps;
static uint32_t before_ms;

void controller_init(controller_t *controller)
{
    PROMISED(++inits == 1);
    PROMISED(steps == 0);
    reference_init(controller);
}

controller_output_t controller_step(controller_t *controller, controller_input_t input)
{
    PROMISED(inits == 1);
    PROMISED(steps == 0 || input.now_ms >= before_ms);
    PROMISED(steps == 0 || input.now_ms - before_ms <= LONGEST_GAP_MS);
    PROMISED((unsigned)input.kind <= KINDS);
    RANGES
    before_ms = input.now_ms;
    steps = 1;
    return reference_step(controller, input);
}
"""


def ranges(task: Task) -> str:
    """Return what a reading's value has to be, in C."""
    return "\n    ".join(
        f"PROMISED(input.kind != CONTROLLER_INPUT_{sensor.kind} || "
        f"(input.{sensor.value} >= {sensor.lowest} && "
        f"input.{sensor.value} <= {sensor.highest}));"
        for sensor in task.sensors
        if sensor.kind
    )


def coated(task: Task, source: str) -> str:
    """Return a reference that insists on how it is called."""
    assert task.controller is not None
    for name in ("init", "step"):
        source = source.replace(f" controller_{name}(", f" reference_{name}(")
    coat = COAT.replace("RANGES", ranges(task))
    coat = coat.replace("KINDS", str(len(task.controller.kinds)))
    return source + coat.replace("LONGEST_GAP_MS", str(LONGEST_GAP_MS))


@pytest.mark.parametrize("name", TASKS)
def test_no_check_calls_a_controller_as_its_brief_rules_out(
    evaluate: Evaluator, tmp_path: Path, name: str
) -> None:
    task = load_task(SUITES / name / "task.toml")
    solution = SUITES / name / "solution" / "src"
    for file in solution.iterdir():
        (tmp_path / file.name).write_text(file.read_text())
    source = (solution / "controller.c").read_text()
    (tmp_path / "controller.c").write_text(coated(task, source))
    done = evaluate(f"--embedbench-firmware={tmp_path}", suite=SUITES / name)
    assert done.ending == ("PASS", "INTEGRATION"), done.printed
