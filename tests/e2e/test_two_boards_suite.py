"""The suite of two boards, as a user runs it: its solution, and a wrong controller."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.e2e.native_firmware import SUITES

if TYPE_CHECKING:
    from tests.e2e.evaluator import Evaluator

SUITE = SUITES / "two_boards" / "silent_node"


def test_who_does_not_notice_nonsense_fails_and_the_solution_passes(
    evaluate: Evaluator,
) -> None:
    right = evaluate(f"--embedbench-firmware={SUITE / 'solution'}", suite=SUITE)
    assert right.ending == ("PASS", "INTEGRATION"), right.printed
    wrong = evaluate(f"--embedbench-firmware={SUITE / 'wrong'}", suite=SUITE)
    assert wrong.ending == ("INT", "INTEGRATION")
    failed = re.findall(r"^FAILED .*::(\w+)\[native\]", wrong.printed, re.MULTILINE)
    assert failed == ["test_a_node_that_speaks_nonsense_is_noticed"]
