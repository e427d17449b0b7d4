"""In closed loop: what the briefs of many tasks ask of a firmware alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.errors import WrongOutput
from pytest_embedbench.grading.checks.closed_loop import repeat_only, safe_after_ms
from pytest_embedbench.grading.checks.shared.long_loops import TICK_MS, LongLoops
from pytest_embedbench.grading.checks.shared.marks import (
    each,
    each_if,
    enforcing,
    insist,
    needing,
    using,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_embedbench.bench.bench import Bench
    from pytest_embedbench.bench.closed_loop import ClosedLoop, Invariants
    from pytest_embedbench.bench.run import Run, Seen
    from pytest_embedbench.grading.checks.shared.marks import Test

    Recovers = Callable[[Bench, ClosedLoop[Any]], None]
    """Insists on how a plant that is safe again comes back to work."""

STALE_MS, STALE_AT_LATEST_MS, ONE_STALE_AT_LATEST_MS = 1000, 1150, 1200
NOBODYS = "HELLO WORLD"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopChecks(LongLoops):
    """What the briefs ask of every closed loop that can be made safe."""

    def silence(
        self,
        *brief: str,
        last: str,
        names: Sequence[str] = (),
        limits: Invariants[Any] | None = None,
    ) -> Test:
        """Check that silence of all sensors makes it safe after a second.

        Args:
            brief: What that enforces.
            last: The sensor that is sent last, as lines name it.
            names: The scenarios, if not just ``silence``.
            limits: What has to hold meanwhile, if not the same as always.
        """

        @enforcing(*brief)
        @needing("virtual-time")
        @each_if("name", names, or_just="silence")
        def check(run: Callable[..., Run[Any]], name: str) -> None:
            seen = run(name, limits=limits)
            worked = any(not self.is_safe(sample.state) for sample in seen.samples)
            insist(worked, "nothing was ever done")
            self._insist_safe_after(seen, last, STALE_AT_LATEST_MS)

        return check

    def one_silent(
        self, *brief: str, fixture: str, cases: Sequence[tuple[str, str]]
    ) -> Test:
        """Check that each sensor goes stale on its own.

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
            repeat_only(bench, loop, line, ticks=15)
            self._insist_safe_after(loop, silent, ONE_STALE_AT_LATEST_MS)

        return check

    def short_silence(self, *brief: str, fixtures: Sequence[str]) -> Test:
        """Check that 800 ms of silence are no fault; ``fixtures`` are loops."""

        @enforcing(*brief)
        @using(*(fixtures if len(fixtures) == 1 else ()))
        @needing("virtual-time")
        @each_if("name", fixtures)
        def check(request: pytest.FixtureRequest, bench: Bench, name: str) -> None:
            loop: ClosedLoop[Any] = request.getfixturevalue(name)
            loop.frames_until_ms = loop.plant_ms - 1
            for _ in range(8):
                bench.run_for(TICK_MS)
                safe = self.is_safe(loop.state)
                insist(not safe, "safe before 1000 ms of silence")

        return check

    def malformed(
        self,
        *brief: str,
        fixture: str,
        lines: Sequence[str],
        then: Recovers,
        change: Mapping[str, int | bool] | None = None,
    ) -> Test:
        """Check that a malformed reading makes it safe until it may work again.

        Args:
            brief: What that enforces.
            fixture: The loop in which the plant works.
            lines: The malformed readings.
            then: Insists on how it comes back.
            change: What the plant is made to be before the sensors go on.
        """

        @enforcing(*brief)
        @using(fixture)
        @needing("virtual-time")
        @each("line", lines)
        def check(request: pytest.FixtureRequest, bench: Bench, line: str) -> None:
            loop: ClosedLoop[Any] = request.getfixturevalue(fixture)
            loop.inject(line)
            loop.frames_until_ms = loop.plant_ms - 1
            bench.run_for(TICK_MS)
            insist(self.is_safe(loop.state), "not safe after the malformed reading")
            if change is not None:
                loop.change(**change)
            loop.frames_until_ms = None
            then(bench, loop)

        return check

    def restart(
        self,
        *brief: str,
        fixture: str,
        then: Recovers,
        change: Mapping[str, int | bool] | None = None,
    ) -> Test:
        """Check that it is safe after a restart, and comes back as ``then`` insists."""

        @enforcing(*brief)
        @using(fixture)
        @needing("virtual-time", "reset")
        def check(request: pytest.FixtureRequest, bench: Bench) -> None:
            loop: ClosedLoop[Any] = request.getfixturevalue(fixture)
            if change is not None:
                loop.change(**change)
            bench.reset()
            bench.wait_for_boot()
            then(bench, loop)

        return check

    def other_goes_on(
        self, *brief: str, fixture: str, cases: Sequence[tuple[str, str]]
    ) -> Test:
        """Check that the other sensor does not end what a malformed reading began.

        Args:
            brief: What that enforces.
            fixture: The loop in which the plant works.
            cases: The malformed line, and the other sensor's.
        """

        @enforcing(*brief)
        @using(fixture)
        @needing("virtual-time")
        @pytest.mark.parametrize(("bad", "other"), cases)
        def check(
            request: pytest.FixtureRequest, bench: Bench, bad: str, other: str
        ) -> None:
            loop: ClosedLoop[Any] = request.getfixturevalue(fixture)
            loop.inject(bad)
            repeat_only(bench, loop, other, ticks=5)
            replies = (r.state for r in loop.replies if r.plant_ms >= 2 * TICK_MS)
            insist(all(map(self.is_safe, replies)), "it came back to work")
            insist(self.is_safe(loop.samples[-1].state), "it was not safe at the end")

        return check

    def bad_line_for_good(self, *brief: str, names: Sequence[str]) -> Test:
        """Check that a bad line makes it safe within a frame; scenarios by name."""

        @enforcing(*brief)
        @needing("virtual-time")
        @each("name", names)
        def check(run: Callable[..., Run[Any]], name: str) -> None:
            seen = run(name)
            insist(not self.is_safe(seen.samples[1].state), "it never worked")
            later = (s.state for s in seen.samples if s.at_ms > TICK_MS)
            insist(all(map(self.is_safe, later)), "it worked on after the bad line")

        return check

    def nobodys_lines(
        self, *brief: str, fixture: str, lines: Sequence[str], ticks: int = 3
    ) -> Test:
        """Check that ignored lines neither count nor disturb.

        Args:
            brief: What that enforces.
            fixture: The loop in which the plant works.
            lines: Some that are ignored, as like to others as may be.
            ticks: How often each comes.
        """

        @enforcing(*brief)
        @using(fixture)
        @needing("virtual-time")
        def check(request: pytest.FixtureRequest, bench: Bench) -> None:
            loop: ClosedLoop[Any] = request.getfixturevalue(fixture)
            for line in lines:
                repeat_only(bench, loop, line, ticks=ticks)
                insist(not self.is_safe(loop.state), f"{line} made it safe")
            repeat_only(bench, loop, NOBODYS, ticks=max(3, 12 - ticks * len(lines)))
            insist(self.is_safe(loop.state), "an ignored line kept it at work")

        return check

    def until_both(
        self, *brief: str, state: Mapping[str, object], lines: Sequence[str]
    ) -> Test:
        """Check that it is safe after start-up until both readings have come in.

        Args:
            brief: What that enforces.
            state: What would set the plant to work.
            lines: Of which one at a time goes on coming.
        """

        @enforcing(*brief)
        @needing("virtual-time")
        @each("line", lines)
        def check(
            bench: Bench, connect: Callable[..., ClosedLoop[Any]], line: str
        ) -> None:
            loop = connect(**state)
            repeat_only(bench, loop, line, ticks=15)
            states = (sample.state for sample in loop.samples)
            insist(all(map(self.is_safe, states)), "it worked on one reading")

        return check

    def _insist_safe_after(self, seen: Seen[Any], sensor: str, latest_ms: int) -> None:
        after_ms = safe_after_ms(seen, sensor, self.is_safe)
        if after_ms is None:
            raise WrongOutput("not safe at the end")
        insist(STALE_MS <= after_ms <= latest_ms, f"safe after {after_ms} ms")
