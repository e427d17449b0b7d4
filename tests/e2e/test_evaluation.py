"""Whole evaluations of the tank: each submission ends where it has to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.e2e.native_firmware import needs_gcc

if TYPE_CHECKING:
    from tests.e2e.evaluator import Evaluator

pytestmark = needs_gcc

# A right controller, with room for what spoils it.
CONTROLLER = """
#include "controller.h"

/* There is a shell on a board, and none in the host stage. */
extern void shell_run(const void *) __attribute__((weak));

const char *controller_state_name(controller_state_t state)
{
    (void)state;
    return "STATE ANY";
}

void controller_init(controller_t *c)
{
    AT_INIT
    *c = (controller_t){0};
}

controller_output_t controller_step(controller_t *c, controller_input_t in)
{
    controller_output_t out = {0};
    bool was_on = c->pump_on;

    if (in.now_ms - c->last_valid_sensor_ms > 1000U) {
        c->pump_on = false;
    }
    if (in.kind == CONTROLLER_INPUT_LEVEL) {
        AT_LEVEL
        c->last_valid_sensor_ms = in.now_ms;
        c->pump_on = in.level < 30 || (c->pump_on && in.level <= 80);
    } else if (in.kind != CONTROLLER_INPUT_NONE) {
        c->pump_on = false;
    }
    out.pump_on = c->pump_on;
    out.changed = c->pump_on != was_on;
    out.state_name = "STATE ANY";
    return out;
}
"""


def controller(*, at_init: str = "", at_level: str = "") -> str:
    return CONTROLLER.replace("AT_INIT", at_init).replace("AT_LEVEL", at_level)


def test_the_reference_passes_in_full(evaluate: Evaluator) -> None:
    done = evaluate("--embedbench-firmware=solution")
    assert done.ending == ("PASS", "INTEGRATION"), done.printed
    record = done.verdict
    assert record["complete"] is True
    assert record["counts"]["passed"] == record["counts"]["checks"]
    assert len(record["host_driver"]["sha256"]) == 64
    assert "-fsanitize=address,undefined" in record["host_driver"]["flags"]
    assert record["image"]["environment"] == "native"
    assert record["tools"]["pio"].startswith("PlatformIO")


def test_the_starter_fails_with_the_sentence_that_it_breaks(
    evaluate: Evaluator,
) -> None:
    done = evaluate("--embedbench-firmware=")
    assert done.ending == ("HOST", "HOST_TEST")
    assert done.verdict["submission"] is None
    sentence = "A valid level below 30 switches the pump on."
    assert done.verdict["brief"] == {"T2": sentence}
    assert sentence in done.printed
    assert (
        "controller_step(LEVEL, level=0, now_ms=100) gives pump_on=False; it"
        in (done.verdict["reason"])
    )


@pytest.mark.parametrize(
    ("source", "ending", "reason"),
    [
        pytest.param(controller(), ("PASS", "INTEGRATION"), "", id="right"),
        pytest.param(
            controller(at_level="oops;"),
            ("HOST", "HOST_BUILD"),
            "undeclared",
            id="does-not-compile",
        ),
        pytest.param(
            controller(at_level="*(volatile int *)16 = 1;"),
            ("HOST", "HOST_TEST"),
            "memory error: SEGV src/controller.c:",
            id="crashes",
        ),
        pytest.param(
            controller(at_level="for (;;) { }"),
            ("HOST", "HOST_TEST"),
            "it does not come back (out of CPU time)",
            id="spins",
        ),
        pytest.param(
            f"{controller()}void firmware_main(void) {{ }}\n",
            ("INT", "TARGET_BUILD"),
            "multiple definition of",
            id="does-not-link-on-the-board",
        ),
        pytest.param(
            controller(at_init="if (shell_run) { for (;;) { } }"),
            ("INT", "BOOT"),
            "runs on without waiting",
            id="never-boots",
        ),
        pytest.param(
            controller(at_level="if (shell_run) { return out; }"),
            ("INT", "INTEGRATION"),
            "the first frame did not start the pump",
            id="deaf-on-the-board",
        ),
    ],
)
def test_a_submission_ends_in_the_stage_where_it_fails(
    evaluate: Evaluator, source: str, ending: tuple[str, str], reason: str
) -> None:
    done = evaluate.submit(source)
    assert done.ending == ending, done.printed
    assert reason in done.verdict["reason"]


def test_the_published_profile_overlooks_undefined_behaviour(
    evaluate: Evaluator,
) -> None:
    overflow = "static volatile int big = 2147483647; big = big + in.level;"
    source = controller(at_level=f"{{ {overflow} }}")
    done = evaluate.submit(source, "--embedbench-profile=paper")
    assert done.ending == ("PASS", "INTEGRATION"), done.printed
