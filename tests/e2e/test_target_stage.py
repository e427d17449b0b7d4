"""Host checks once more on the board's own CPU: what shows only there is told there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.e2e.evaluator import skip_without_engine
from tests.e2e.native_firmware import SUITES, needs_gcc

if TYPE_CHECKING:
    from tests.e2e.evaluator import Evaluation, Evaluator

pytestmark = needs_gcc

TANK = SUITES / "tank_fill_drain"
SOLUTION = (TANK / "solution/src/controller.c").read_text()
ON_LEVEL = "    case CONTROLLER_INPUT_LEVEL:\n"
AT_INIT = "void controller_init(controller_t *controller)\n{\n"
AGE = "now_ms - controller->last_valid_sensor_ms > CONTROLLER_SENSOR_TIMEOUT_MS"
TOO_LOW = "level < CONTROLLER_LEVEL_LOW_THRESHOLD"
SMALL = "sizeof(int) == 2"
"""True on an AVR alone."""


def judged(
    evaluate: Evaluator, old: str, new: str, *args: str, before: str = ""
) -> Evaluation:
    """Return the end of a submission on an Uno that is the reference but for this."""
    skip_without_engine("uno")
    assert old in SOLUTION, "the reference has changed"
    source = before + SOLUTION.replace(old, new)
    return evaluate.submit(source, *args, board="uno")


def passed_on_the_host(done: Evaluation) -> bool:
    """Say whether what failed on the board has passed on the host."""
    (failed,) = [c for c in done.verdict["checks"] if c["outcome"] == "failed"]
    name = failed["check"].partition("_on_target[")[0]
    own = [
        check
        for check in done.verdict["checks"]
        if check["check"].partition("[")[0] == name
    ]
    return bool(own) and all(check["outcome"] == "passed" for check in own)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(TOO_LOW, "level * 1000 < 30000", id="int-overflow"),
        pytest.param(
            AGE,
            "now_ms - controller->last_valid_sensor_ms > 60 * 1000 - 59000",
            id="int-constant",
        ),
        pytest.param(
            AGE,
            "(double)now_ms - (double)controller->last_valid_sensor_ms > 1000.0",
            id="double-of-32-bits",
        ),
        pytest.param(
            "controller->last_valid_sensor_ms = now_ms;",
            "controller->last_valid_sensor_ms = (unsigned)now_ms;",
            id="unsigned-time",
        ),
    ],
)
def test_what_is_wrong_for_the_boards_types_alone_is_told_as_such(
    evaluate: Evaluator, old: str, new: str
) -> None:
    done = judged(evaluate, old, new)
    assert done.ending == ("INT", "TARGET_TEST"), done.printed
    assert passed_on_the_host(done)
    assert "controller_step" in done.verdict["reason"]
    assert done.verdict["brief"]


@pytest.mark.parametrize(
    ("old", "new", "step", "what"),
    [
        pytest.param(
            ON_LEVEL,
            f"{ON_LEVEL}if ({SMALL}) {{ ((void (*)(void))0)(); }}\n",
            "in controller_step(LEVEL, level=",
            "jumped to address 0",
            id="crash",
        ),
        pytest.param(
            ON_LEVEL,
            f"{ON_LEVEL}while ({SMALL} && input.level >= 0) {{ }}\n",
            "in controller_step(LEVEL, level=",
            "it does not come back: no answer within 1000 ms on uno",
            id="loop",
        ),
        pytest.param(
            AT_INIT,
            f"{AT_INIT}while ({SMALL}) {{ }}\n",
            "in controller_init",
            "it does not come back",
            id="loop-in-init",
        ),
        pytest.param(
            ON_LEVEL,
            f"{ON_LEVEL}if ({SMALL}) {{ *(volatile uint8_t *)0xC6 = 63; }}\n",
            "in controller_step(LEVEL, level=",
            "it writes to the UART of uno itself",
            id="own-line",
        ),
    ],
)
def test_what_ends_badly_on_the_board_names_the_step(
    evaluate: Evaluator, old: str, new: str, step: str, what: str
) -> None:
    done = judged(evaluate, old, new)
    assert done.ending == ("INT", "TARGET_TEST"), done.printed
    assert step in done.verdict["reason"]
    assert what in done.verdict["reason"]


def test_a_driver_that_never_comes_up_is_the_submissions_if_the_starters_does(
    evaluate: Evaluator,
) -> None:
    early = (
        "__attribute__((constructor)) static void early(void)\n"
        f"{{ while ({SMALL}) {{ }} }}\n"
    )
    done = judged(evaluate, ON_LEVEL, ON_LEVEL, before=early)
    assert done.ending == ("INT", "BOOT"), done.printed
    assert "has not come up" in done.verdict["reason"]


def test_one_that_does_not_build_for_the_board_alone_is_no_fault_of_its_driver(
    evaluate: Evaluator,
) -> None:
    narrow = '_Static_assert(sizeof(int) == 4, "int of 32 bits");\n'
    done = judged(evaluate, ON_LEVEL, ON_LEVEL, before=narrow)
    assert done.ending == ("INT", "TARGET_BUILD"), done.printed
    assert "int of 32 bits" in done.verdict["reason"]


def test_the_paper_profile_steps_nothing_on_the_board(evaluate: Evaluator) -> None:
    skip_without_engine("uno")
    done = evaluate(
        "--embedbench-firmware=solution",
        "--embedbench-profile=paper",
        "-k",
        "host or parsed",
        board="uno",
    )
    assert done.verdict["checks"]
    assert {c["stage"] for c in done.verdict["checks"]} == {"HOST_TEST"}


def test_what_goes_wrong_after_a_reset_alone_is_wrong(evaluate: Evaluator) -> None:
    """RAM that is not cleared at a start: every reset button shows it."""
    keeps = (
        "#ifdef __AVR__\n"
        '__attribute__((section(".noinit"))) static unsigned long starts;\n'
        "#else\n"
        "static unsigned long starts;\n"
        "#endif\n"
    )
    count = f"{AT_INIT}    starts = starts >> 8 == 0x12345 ? starts + 1 : 0x1234500;\n"
    wrong = "output.pump_on = controller->pump_on ^ (starts > 0x1234500);"
    source = SOLUTION.replace("output.pump_on = controller->pump_on;", wrong)
    skip_without_engine("uno")
    done = evaluate.submit(keeps + source.replace(AT_INIT, count), board="uno")
    assert done.ending == ("INT", "TARGET_TEST"), done.printed


def test_a_count_of_16_bits_is_found_by_as_many_readings(evaluate: Evaluator) -> None:
    skip_without_engine("uno")
    suite = SUITES / "filter_tank_sequence"
    source = (suite / "solution/src/controller.c").read_text()
    streak = "controller->clear_streak_count"
    count = f"{streak}++;"
    assert count in source, "the reference has changed"
    submission = evaluate.folder / "submission"
    submission.mkdir()
    (submission / "controller.c").write_text(
        source.replace(count, f"{streak} = (int)({streak} + 1);")
    )
    which = ("-k", "readings_count_however_many")
    firmware = f"--embedbench-firmware={submission}"
    done = evaluate(firmware, *which, board="uno", suite=suite)
    assert done.ending == ("INT", "TARGET_TEST"), done.printed
    assert passed_on_the_host(done)


@pytest.mark.parametrize("board", ["uno", "qemu-stm32f405", "qemu-esp32"])
def test_static_variables_are_as_at_power_on_for_each_set(
    evaluate: Evaluator, board: str
) -> None:
    """Whatever it takes: a reset, or a copy of what was in RAM."""
    skip_without_engine(board)
    statics = "static int starts;\nstatic const int *first = &starts;\n"
    once = f"{AT_INIT}    starts++;\n"
    shown = "output.pump_on = controller->pump_on && *first == 1;"
    source = SOLUTION.replace(AT_INIT, once)
    source = source.replace("output.pump_on = controller->pump_on;", shown)
    which = "on_target and (bad_line or first_level or lines)"
    done = evaluate.submit(statics + source, "-k", which, board=board)
    assert done.verdict["counts"]["failed"] == 0, done.printed
    assert done.verdict["counts"]["passed"] > 5
    samples = [check["samples"] for check in done.verdict["checks"]]
    assert ["one in 20 of its histories"] in samples
    assert len(done.verdict["target_driver"]["sha256"]) == 64
