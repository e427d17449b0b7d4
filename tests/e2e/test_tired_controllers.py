"""Mistakes of tired engineers: each kind of history finds those that it is for."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.errors import WrongOutput
from pytest_embedbench.grading.checks import systematic_histories, timing_histories
from pytest_embedbench.grading.checks.comparing import check_histories
from pytest_embedbench.grading.checks.oracle import load_oracle
from pytest_embedbench.grading.host.builder import ENVIRONMENT, HostDriver
from pytest_embedbench.grading.host.controller import Controller
from pytest_embedbench.grading.host.program import HostProgram
from pytest_embedbench.grading.task import Suite, find_suite
from tests.e2e.native_firmware import SUITES, needs_gcc

if TYPE_CHECKING:
    from pytest_embedbench.grading.checks.comparing import Story
    from pytest_embedbench.grading.task import Task

pytestmark = needs_gcc

TANK, FILTER = (
    find_suite(SUITES / name / "hidden" / "test_host.py")
    for name in ("tank_fill_drain", "filter_tank_sequence")
)
Histories = Callable[["Task"], Iterable["Story"]]


@dataclass(frozen=True)
class Tired:
    """A reference with a mistake: C that goes before ``controller_step`` does its work.

    It may change ``input``, and the state that is kept in ``controller``.
    """

    what: str
    suite: Suite
    histories: Histories
    code: str
    kept: str = ""


def of_the_tank(task: Task) -> Iterable[Story]:
    return systematic_histories.many_readings(task, [("LEVEL", 50)])


def what_lasts(suite: Suite) -> Histories:
    return lambda task: timing_histories.long_states(task, load_oracle(suite))


TANK_LASTS, FILTER_LASTS = what_lasts(TANK), what_lasts(FILTER)


def of_the_filter(task: Task) -> Iterable[Story]:
    clear = [("TURBIDITY", 20, 0), ("LEVEL", 0, 39)]
    return systematic_histories.many_readings(task, clear)


IS_LEVEL = "input.kind == CONTROLLER_INPUT_LEVEL"
TIRED = (
    Tired(
        "0 ms stands for never",
        TANK,
        systematic_histories.starts,
        f"if ({IS_LEVEL} && input.now_ms == 0) input.kind = CONTROLLER_INPUT_NONE;",
    ),
    Tired(
        "time as float",
        TANK,
        systematic_histories.starts,
        "input.now_ms = (uint32_t)(float)input.now_ms;",
    ),
    Tired(
        "time since boot as int",
        TANK,
        systematic_histories.starts,
        "if ((int32_t)input.now_ms < 0) input.kind = CONTROLLER_INPUT_SENSOR_TIMEOUT;",
    ),
    Tired(
        "one value is not heard after three weeks",
        TANK,
        systematic_histories.starts,
        f"if ({IS_LEVEL} && input.level == 16 && input.now_ms > 2000000000) "
        "input.kind = CONTROLLER_INPUT_NONE;",
    ),
    Tired(
        "a level that completes too early after three weeks",
        FILTER,
        systematic_histories.starts,
        f"if ({IS_LEVEL} && input.level == 16 && input.now_ms > 2000000000) "
        "input.level = 14;",
    ),
    Tired(
        "the 300th line is not heard",
        TANK,
        systematic_histories.jumps,
        f"if ({IS_LEVEL} && ++count == 300) input.kind = CONTROLLER_INPUT_NONE;",
        "static uint32_t count;",
    ),
    Tired(
        "deaf from the 300th call on",
        FILTER,
        of_the_filter,
        "if (++calls >= 300) input.kind = CONTROLLER_INPUT_NONE;",
        "static uint32_t calls;",
    ),
    Tired(
        "a jump is taken for noise",
        TANK,
        systematic_histories.jumps,
        f"if ({IS_LEVEL}) {{ if (last >= 0 && abs(input.level - last) > 60) "
        "input.level = last; else last = input.level; }",
        "static int last = -1;",
    ),
    Tired(
        "a mean of two",
        TANK,
        systematic_histories.jumps,
        f"if ({IS_LEVEL}) {{ int now = input.level; if (last >= 0) "
        "input.level = (now + last) / 2; last = now; }",
        "static int last = -1;",
    ),
    Tired(
        "the pump is spared after a minute",
        TANK,
        TANK_LASTS,
        "if (!controller->pump_on) on_ms = input.now_ms; "
        "if (input.now_ms - on_ms > 60000) "
        "input.kind = CONTROLLER_INPUT_INVALID_LEVEL;",
        "static uint32_t on_ms;",
    ),
    Tired(
        "a hold that ends after five minutes",
        FILTER,
        FILTER_LASTS,
        "if (controller->state != CONTROLLER_STATE_FILTERING) since_ms = input.now_ms; "
        "if (input.now_ms - since_ms > 300000) "
        "input.kind = CONTROLLER_INPUT_SENSOR_TIMEOUT;",
        "static uint32_t since_ms;",
    ),
    Tired(
        "a settling time in 16 bits",
        FILTER,
        FILTER_LASTS,
        "controller->settling_started_ms = input.now_ms - (uint16_t)"
        "(input.now_ms - controller->settling_started_ms);",
    ),
    Tired(
        "a settling time in ticks and 8 bits",
        FILTER,
        FILTER_LASTS,
        "controller->settling_started_ms = input.now_ms - 10U * (uint8_t)"
        "((input.now_ms - controller->settling_started_ms) / 10U);",
    ),
    Tired(
        "a line is as old as the last step without one",
        TANK,
        timing_histories.between_steps,
        "if (input.kind == CONTROLLER_INPUT_NONE) { looked_ms = input.now_ms; } "
        "else { input.now_ms = looked_ms; }",
        "static uint32_t looked_ms;",
    ),
    Tired(
        "an age to which what was before the line is added",
        TANK,
        timing_histories.between_steps,
        f"if ({IS_LEVEL}) {{ age_ms = 0; }} "
        "if (input.kind == CONTROLLER_INPUT_NONE) "
        "{ age_ms += input.now_ms - looked_ms; looked_ms = input.now_ms; "
        "if (age_ms > 1000) input.kind = CONTROLLER_INPUT_SENSOR_TIMEOUT; }",
        "static uint32_t age_ms, looked_ms;",
    ),
    Tired(
        "a level that is too old takes the turbidity with it",
        FILTER,
        timing_histories.returns,
        "if (controller->has_valid_level && input.now_ms - "
        "controller->last_level_ms > 1000) controller->has_valid_turbidity = false;",
    ),
    Tired(
        "ages in 16 bits",
        FILTER,
        systematic_histories.long_silences,
        "controller->last_level_ms = input.now_ms - (uint16_t)"
        "(input.now_ms - controller->last_level_ms); "
        "if (heard && (uint16_t)(input.now_ms - heard_ms) < 1000) "
        "controller->has_valid_level = true; "
        f"if ({IS_LEVEL}) {{ heard = true; heard_ms = input.now_ms; }}",
        "static bool heard; static uint32_t heard_ms;",
    ),
    Tired(
        "silence is trusted again after half a minute",
        TANK,
        systematic_histories.long_silences,
        f"if ({IS_LEVEL}) heard_ms = input.now_ms; "
        "if (input.now_ms - heard_ms > 32768) "
        "{ controller->pump_on = true; "
        "controller->last_valid_sensor_ms = input.now_ms; }",
        "static uint32_t heard_ms;",
    ),
    Tired(
        "bad lines are given up on",
        TANK,
        systematic_histories.many_bad_lines,
        "if (input.kind == CONTROLLER_INPUT_INVALID_LEVEL && ++bad > 200) dead = true; "
        "if (dead) input.kind = CONTROLLER_INPUT_INVALID_LEVEL;",
        "static int bad; static bool dead;",
    ),
    Tired(
        "a count in 16 bits",
        FILTER,
        of_the_filter,
        "controller->clear_streak_count = (uint16_t)controller->clear_streak_count;",
    ),
    Tired(
        "a log that is full",
        TANK,
        of_the_tank,
        f"if ({IS_LEVEL} && ++count > 65500) input.kind = CONTROLLER_INPUT_NONE;",
        "static uint32_t count;",
    ),
)


def written(tired: Tired | None, suite: Suite, folder: Path) -> Path:
    """Write the reference, with a mistake or without one."""
    solution = suite.root / "solution" / "src"
    shutil.copytree(solution, folder, dirs_exist_ok=True)
    source = (solution / "controller.c").read_text()
    source = source.replace(" controller_step(", " reference_step(")
    (folder / "controller.c").write_text(
        f"{source}\n#include <stdlib.h>\n{tired.kept if tired else ''}\n"
        "controller_output_t controller_step(controller_t *controller, "
        "controller_input_t input)\n{\n"
        f"{tired.code if tired else ''}\n"
        "return reference_step(controller, input);\n}\n"
    )
    return folder


@pytest.fixture
def told(tmp_path: Path) -> Iterator[Callable[..., str]]:
    """Return a function that tells how a controller goes wrong in histories."""
    programs: list[HostProgram] = []

    def tell(tired: Tired | None, suite: Suite, histories: Histories) -> str:
        folder = written(tired, suite, tmp_path / "submission")
        source = suite.source(str(folder), tmp_path).for_environment(ENVIRONMENT)
        assert suite.task.controller is not None
        driver = HostDriver(
            api=suite.task.controller, sanitize=False, cache_dir=tmp_path
        )
        program = HostProgram(driver.build(source, tmp_path))
        programs.append(program)
        controller = Controller(program, suite.task.controller)
        try:
            check_histories(controller, load_oracle(suite), histories(suite.task))
        except WrongOutput as wrong:
            return str(wrong)
        return ""

    yield tell
    for program in programs:
        program.stop()


@pytest.mark.parametrize("tired", TIRED, ids=lambda tired: tired.what)
def test_a_mistake_of_a_tired_engineer_is_found(
    told: Callable[..., str], tired: Tired
) -> None:
    assert "it has to be" in told(tired, tired.suite, tired.histories)


@pytest.mark.parametrize("suite", [TANK, FILTER], ids=lambda suite: suite.task.name)
def test_a_right_controller_goes_through_all_of_them(
    told: Callable[..., str], suite: Suite
) -> None:
    families = {tired.histories for tired in TIRED if tired.suite is suite}
    for histories in (systematic_histories.jumps, *families):
        assert told(None, suite, histories) == ""
