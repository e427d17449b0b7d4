"""Step by step: what the briefs of many tasks ask of a controller alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.grading.checks.comparing import check_histories
from pytest_embedbench.grading.checks.oracle import walk
from pytest_embedbench.grading.checks.random_histories import (
    LATE_STARTS_MS,
    STARTS_MS,
    histories,
)
from pytest_embedbench.grading.checks.shared.marks import (
    by_the_oracle,
    each,
    each_of,
    enforcing,
    insist,
)
from pytest_embedbench.grading.host.calling import IDLE, LATE_MS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_embedbench.grading.checks.oracle import Oracle, Part
    from pytest_embedbench.grading.checks.shared.marks import Test
    from pytest_embedbench.grading.host.controller import Controller, Row
    from pytest_embedbench.grading.task import Task

    Shown = Mapping[str, bool | str]
    State = tuple[Sequence[Row], Shown]
    """Steps up to 100 ms, and what they come to."""

_WATCHED_MS = 2850
_SEED, _HISTORIES, _STEPS_EACH, _IN_A_ROW = 1, 50, 200, 3


def every(letter: str, count: int, *more: int) -> tuple[str, ...]:
    """Return the ids of the first sentences of a kind, ``V1`` to ``V19``, and more."""
    return tuple(f"{letter}{number}" for number in (*range(1, count + 1), *more))


def each_start(late: str) -> Callable[[Test], Test]:
    """Return what makes a test of each time at which a reading may come in first.

    Args:
        late: The sentence that lets a first step come at 0 ms, or after hours.
    """
    rows = [
        start_ms
        if 0 < start_ms <= LATE_MS
        else pytest.param(start_ms, marks=pytest.mark.brief(late))
        for start_ms in (*STARTS_MS, *LATE_STARTS_MS)
    ]
    return each("start_ms", rows)


def any_in_a_row(*brief: str, parts: Sequence[Part]) -> Test:
    """Check whatever three parts of a history follow each other, by the oracle."""

    @by_the_oracle(*brief)
    def check(controller: Controller, oracle: Oracle) -> None:
        sampled = controller.sample(
            f"the ways that {_IN_A_ROW} things follow each other"
        )
        way = walk(parts, in_a_row=_IN_A_ROW, sampled=sampled)
        check_histories(controller, type(oracle), [way])

    return check


def long_histories(*brief: str) -> Test:
    """Check long random histories by the oracle, each after another init."""

    @by_the_oracle(*brief)
    def check(controller: Controller, oracle: Oracle, task: Task) -> None:
        count = _HISTORIES // controller.sample(f"{_HISTORIES} random histories")
        ways = histories(task, seed=_SEED, count=count, step_count=_STEPS_EACH)
        check_histories(controller, type(oracle), ways)

    return check


def changed_in_idle_steps(
    *brief: str, cases: Mapping[str, tuple[Sequence[Row], Sequence[int]]], from_ms: int
) -> Test:
    """Check when ``changed`` is said in steps without a line, 50 ms apart.

    Args:
        brief: What that enforces.
        cases: Steps, and the times in ms at which it is said afterwards.
        from_ms: When the steps without a line begin.
    """

    @enforcing(*brief)
    @each_of("case", cases)
    def check(
        controller: Controller, case: tuple[Sequence[Row], Sequence[int]]
    ) -> None:
        steps, expected_ms = case
        first = controller.step(now_ms=50)
        controller.run(steps)
        stamps = range(from_ms, from_ms + _WATCHED_MS, 50)
        outputs = controller.run((IDLE, now_ms) for now_ms in stamps)
        changed = [at for at, out in zip(stamps, outputs, strict=True) if out.changed]
        insist(not first.changed, "changed at the first step")
        told = f"changed after {changed} ms; it has to be after {[*expected_ms]}"
        insist(changed == [*expected_ms], told)

    return check


def changed_not_again(*brief: str, lines: Sequence[Row]) -> Test:
    """Check that ``changed`` is not said after lines, whatever those have changed."""

    @enforcing(*brief)
    def check(controller: Controller) -> None:
        for line in lines:
            controller.run([line])
            step = controller.step(now_ms=int(line[1]) + 10)
            insist(not step.changed, f"changed in the step after {line}")

    return check


@dataclass(frozen=True, slots=True, kw_only=True)
class SafeChecks:
    """What makes a plant safe, and keeps it so.

    Args:
        safe: What a step returns while the plant is safe.
        bad_kinds: The kinds of lines that make it safe at once.
        beside: Values that come with such a line, and mean nothing.
    """

    safe: Shown
    bad_kinds: Sequence[str] = ()
    beside: tuple[int, ...] = ()

    def at_the_start(self, *brief: str) -> Test:
        """Check that nothing but lines ever starts it."""

        @enforcing(*brief)
        def check(controller: Controller) -> None:
            for now_ms in range(50, 3000, 50):
                controller.expect((IDLE, now_ms), **self.safe)

        return check

    def alone(
        self, *brief: str, row: Callable[[int, int], Row], values: Sequence[int]
    ) -> Test:
        """Check that one of two readings alone leaves it safe; ``row(ms, value)``."""

        @enforcing(*brief)
        @each("value", values)
        def check(controller: Controller, value: int) -> None:
            for now_ms in range(100, 2100, 100):
                line = row(now_ms, value)
                controller.expect(line, (IDLE, line[1]), **self.safe)

        return check

    def bad_line_at_the_start(self, *brief: str) -> Test:
        """Check that a bad line before all others leaves it safe."""

        @enforcing(*brief)
        @each("kind", self.bad_kinds)
        def check(controller: Controller, kind: str) -> None:
            controller.expect((kind, 50, *self.beside), **self.safe)
            controller.expect((IDLE, 100), **self.safe)

        return check

    def values_of_a_bad_line(self, *brief: str, after: Sequence[Row]) -> Test:
        """Check that values that come with a bad line do not count."""

        @enforcing(*brief)
        @each("kind", self.bad_kinds)
        def check(controller: Controller, kind: str) -> None:
            controller.run(after)
            bad: Row = (kind, 200, *self.beside)
            idle: Row = (IDLE, 250, *self.beside)
            controller.expect(bad, idle, **self.safe)

        return check

    def silence(
        self,
        *brief: str,
        after: Sequence[Row],
        ages_ms: Sequence[int],
        working: Shown | None = None,
    ) -> Test:
        """Check that it is safe a while after the last line.

        Args:
            brief: What that enforces.
            after: Lines that set the plant to work, at 100 ms.
            ages_ms: How much later it is looked at.
            working: What these lines come to, if that too is insisted on.
        """

        @enforcing(*brief)
        @each("age_ms", ages_ms)
        def check(controller: Controller, age_ms: int) -> None:
            controller.expect(*after, **working or {})
            controller.expect((IDLE, 100 + age_ms), **self.safe)

        return check


def idle_steps(*brief: str, states: Mapping[str, State]) -> Test:
    """Check that steps without a line change nothing as long as readings count."""

    @enforcing(*brief)
    @each_of("state", states)
    def check(controller: Controller, state: State) -> None:
        steps, shown = state
        controller.run(steps)
        for now_ms in range(110, 1101, 10):
            controller.expect((IDLE, now_ms), **shown)

    return check
