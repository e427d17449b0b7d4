"""The search: the check as it is, then on pins taken for one another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.esr.model import (
    DEFAULT_BUDGET,
    CaseResult,
    Evidence,
    Outcome,
    TrialEnd,
)

if TYPE_CHECKING:
    from pytest_embedbench.esr.model import EsrCase, SearchBudget, Trial

_DECIDED = {
    TrialEnd.PASSED: Outcome.STRICT,
    TrialEnd.FAILED: Outcome.LOGIC_FAIL,
    TrialEnd.NOT_BUILT: Outcome.BUILD_FAIL,
    TrialEnd.BENCH_FAULT: Outcome.BENCH_FAULT,
}
"""What is said where there is nothing more to be tried."""


def search(
    case: EsrCase, trial: Trial, budget: SearchBudget = DEFAULT_BUDGET
) -> CaseResult:
    """Return what is to be said of a case.

    Args:
        case: The firmware, its circuit and its board.
        trial: What runs the check of it once.
        budget: What may be used for it; without more, it is ``Outcome.BUDGET``.
    """
    del budget
    result = trial.run(case.firmware, observe=True)
    return CaseResult(
        name=case.name,
        outcome=_DECIDED[result.end],
        evidence=(Evidence("strict", "", result.end, result.why, result.seconds),),
        why=result.why,
        seconds=result.seconds,
    )
