"""Controllers that are right if called by hand, and wrong in the firmware."""

from __future__ import annotations

import pytest

from tests.e2e.evaluator import TANK, Evaluator
from tests.e2e.native_firmware import needs_gcc

pytestmark = needs_gcc

SOLUTION = (TANK / "solution/src/controller.c").read_text()
DECLARED = "extern void shell_run(const void *) __attribute__((weak));\n"
ENTRY = "controller_step(controller_t *controller, controller_input_t input)\n{\n"
IS_LEVEL = "input.kind == CONTROLLER_INPUT_LEVEL"
IGNORED = "input.kind = CONTROLLER_INPUT_NONE;"
IS_BAD = "input.kind == CONTROLLER_INPUT_INVALID_LEVEL"


@pytest.mark.parametrize(
    ("mistake", "sentence"),
    [
        pytest.param(
            f"if ({IS_LEVEL} && input.level == 62) input.level = 90;",
            "leaves the pump as it was",
            id="one-value",
        ),
        pytest.param(
            f"if ({IS_BAD} && input.now_ms > 45000) {IGNORED}",
            "A malformed level switches the pump off",
            id="after-a-while",
        ),
    ],
)
def test_what_is_wrong_in_the_firmware_alone_is_found(
    evaluate: Evaluator, mistake: str, sentence: str
) -> None:
    assert ENTRY in SOLUTION
    only_there = f"    if (shell_run) {{ {mistake} }}\n"
    wrong = DECLARED + SOLUTION.replace(ENTRY, ENTRY + only_there)
    evaluation = evaluate.submit(wrong)
    assert evaluation.ending == ("INT", "INTEGRATION")
    assert "whatever_is_said" in evaluation.printed
    assert sentence in evaluation.printed
