"""In closed loop: what lasts, and what lies at the ends of the ranges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.grading.checks.closed_loop import repeat_only
from pytest_embedbench.grading.checks.insisting import insist_that
from pytest_embedbench.grading.checks.shared.loop_fixtures import LoopFixtures
from pytest_embedbench.grading.checks.shared.marks import (
    each_of,
    enforcing,
    needing,
    using,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_embedbench.bench.bench import Bench
    from pytest_embedbench.bench.closed_loop import ClosedLoop
    from pytest_embedbench.grading.checks.shared.marks import Test

TICK_MS = 100
_STALE_FOR_SURE_MS = 1300
LONG_SILENCE_MS = 66_000
"""On the way an age in 15 and in 16 bits looks like that of a fresh reading again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LongLoops(LoopFixtures):
    """What the briefs ask of a closed loop however long it goes on."""

    def long_silence(
        self, *brief: str, fixture: str, cases: Sequence[tuple[str, str]]
    ) -> Test:
        """Check that a sensor which is silent for long does not count again.

        Then it comes back, and the plant works again within two frames.

        Args:
            brief: What that enforces.
            fixture: The loop in which the plant works.
            cases: The sensor that falls silent, and the line that goes on.
        """

        @enforcing(*brief)
        @using(fixture)
        @needing("virtual-time")
        @pytest.mark.parametrize(("silent", "line"), cases)
        def check(
            request: pytest.FixtureRequest, bench: Bench, silent: str, line: str
        ) -> None:
            loop: ClosedLoop[Any] = request.getfixturevalue(fixture)
            stale_ms = loop.plant_ms + _STALE_FOR_SURE_MS
            repeat_only(bench, loop, line, ticks=LONG_SILENCE_MS // TICK_MS)
            late = (s for s in loop.samples if s.at_ms >= stale_ms)
            at_work = next((s for s in late if not self.is_safe(s.state)), None)
            insist_that(
                "safe",
                at_work is None,
                at_ms=at_work.at_ms if at_work else loop.plant_ms,
                why=f"{silent} was silent since {stale_ms - _STALE_FOR_SURE_MS} ms",
            )
            loop.frames_until_ms = None
            bench.run_for(2 * TICK_MS)
            insist_that(
                "at work",
                not self.is_safe(loop.state),
                at_ms=loop.plant_ms,
                why=f"{silent} has come back",
            )

        return check

    def extremes(
        self, *brief: str, cases: Mapping[str, tuple[Mapping[str, Any], bool]]
    ) -> Test:
        """Check what readings at the ends of their ranges come to.

        Args:
            brief: What that enforces.
            cases: By name, what the plant begins with, and whether it is to be at
                work after two frames.
        """

        @enforcing(*brief)
        @needing("virtual-time")
        @each_of("case", cases)
        def check(
            bench: Bench,
            connect: Callable[..., ClosedLoop[Any]],
            case: tuple[Mapping[str, Any], bool],
        ) -> None:
            state, works = case
            loop = connect(limits={}, **state)
            bench.run_for(2 * TICK_MS)
            at_work = not self.is_safe(loop.state)
            begun = ", ".join(f"{name}={value}" for name, value in state.items())
            insist_that(
                "at work", at_work, works, at_ms=loop.plant_ms, why=f"from {begun}"
            )

        return check
