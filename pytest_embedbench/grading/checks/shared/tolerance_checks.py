"""What a submission tolerates beyond its brief; no part of the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.faults import Fault, InjectionPoint, Reset
from pytest_embedbench.grading.checks.disturbances import RESETS_MS
from pytest_embedbench.grading.checks.shared.marks import each_of, needing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_embedbench.bench.closed_loop import Invariants
    from pytest_embedbench.grading.checks.shared.marks import Test


def faults(
    rows: Mapping[str, Sequence[Fault]],
    *,
    invariants: Invariants[Any],
    recovered: Invariants[Any],
    within_ms: int,
) -> Test:
    """Check each row of faults that happen together.

    Args:
        rows: The faults, by name.
        invariants: What holds all the time, by name.
        recovered: What holds again after the last fault, by name.
        within_ms: How long after.
    """

    @needing("virtual-time")
    @pytest.mark.robust
    @each_of("faults", rows)
    def check(check_tolerates: Callable[..., None], faults: Sequence[Fault]) -> None:
        check_tolerates(
            *faults, invariants=invariants, recovered=recovered, within_ms=within_ms
        )

    return check


def resets(
    *,
    invariants: Invariants[Any],
    recovered: Invariants[Any],
    within_ms: int,
    at_ms: Sequence[int] = RESETS_MS,
) -> Test:
    """Check presses of the reset button; the rest is as of ``faults``."""

    @needing("virtual-time", "reset")
    @pytest.mark.robust
    def check(check_tolerates: Callable[..., None]) -> None:
        check_tolerates(
            Fault(InjectionPoint.RESET_PIN, Reset(at_ms=tuple(at_ms))),
            invariants=invariants,
            recovered=recovered,
            within_ms=within_ms,
        )

    return check
