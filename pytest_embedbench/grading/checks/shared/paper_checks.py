"""The published evaluator's checks that are of one form in every task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.grading.checks.paper import (
    exchanged,
    reacted_in_time,
    said,
    stale_reaction,
    stale_reaction_ms,
    went_safe,
)
from pytest_embedbench.grading.checks.protocol_checks import FAULT, FAULT_KIND
from pytest_embedbench.grading.checks.shared.marks import each, enforcing, insist
from pytest_embedbench.grading.host.calling import IDLE
from pytest_embedbench.grading.host.history import fields
from pytest_embedbench.grading.host.line_protocol import IGNORED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_embedbench.bench.run import Run, Seen
    from pytest_embedbench.grading.checks.paper import IsSafe
    from pytest_embedbench.grading.checks.shared.marks import Test
    from pytest_embedbench.grading.host.controller import Controller, Row
    from pytest_embedbench.grading.host.line_protocol import LineProtocol

    RunOf = Callable[..., Run[Any]]
    Case = tuple[str, Sequence[Row], Sequence[bool | str]]
    """Sentences, by blanks; the steps; what the last of them returns."""

BAD_LINE_MS = 100
"""When the scenario ``malformed_frame`` has its bad line."""


def parsed(*brief: str, line: str, kind: str, **value: int) -> Test:
    """Check that a line is taken for a reading of that value."""

    @enforcing(*brief, profile="paper")
    def check(protocol: LineProtocol) -> None:
        _insist_on(protocol, line, result=kind, **value)

    return check


def invalid(*brief: str, line: str, kind: str) -> Test:
    """Check that a line is told to be malformed."""
    return parsed(*brief, line=line, kind=kind)


def invalid_each(*brief: str, begin: str, values: Sequence[str], kind: str) -> Test:
    """Check that a line is told to be malformed, whatever stands for its value."""

    @enforcing(*brief, profile="paper")
    @each("value", values)
    def check(protocol: LineProtocol, value: str) -> None:
        _insist_on(protocol, f"{begin} {value}", result=kind)

    return check


def ignored(*brief: str) -> Test:
    """Check that nobody's line is ignored."""

    @enforcing(*brief, profile="paper")
    def check(protocol: LineProtocol) -> None:
        _insist_on(protocol, "HELLO WORLD", result=IGNORED, kind=IDLE)

    return check


def fault(*brief: str) -> Test:
    """Check that the sensors' own failure is read."""
    return parsed(*brief, line=FAULT, kind=FAULT_KIND)


def written(*brief: str, actuator: str, word: str) -> Test:
    """Check what is written of an actuator that is on."""

    @enforcing(*brief, profile="paper")
    def check(protocol: LineProtocol) -> None:
        line = protocol.serialise(actuator, on=True)
        due = f"ACT {actuator.upper()} {word}\n"
        insist(line == due, f"{actuator}: {line!r} is written; it has to be {due!r}")

    return check


def controller(names: Sequence[str], cases: Mapping[str, Case]) -> Test:
    """Check what a controller returns after a few steps.

    Args:
        names: The fields that are looked at: actuators, and ``state``.
        cases: By name, which sentences a case enforces, the steps, and the fields.
    """
    rows = [
        pytest.param(steps, shown, id=name, marks=pytest.mark.brief(*brief.split()))
        for name, (brief, steps, shown) in cases.items()
    ]

    @pytest.mark.profile("paper")
    @pytest.mark.parametrize(("steps", "shown"), rows)
    def check(
        controller: Controller, steps: Sequence[Row], shown: Sequence[bool | str]
    ) -> None:
        controller.expect(*steps, **dict(zip(names, shown, strict=True)))

    return check


def smoke(*brief: str) -> Test:
    """Check that the firmware sends a line to an actuator at all."""

    @enforcing(*brief, profile="paper")
    def check(paper_run: RunOf) -> None:
        insist(exchanged(paper_run("smoke", exchanged)), "no line to an actuator")

    return check


def sensor_timeout(*brief: str, is_safe: IsSafe, on: str, goal: bool = False) -> Test:
    """Check that silence makes it safe in time, after it has run.

    Args:
        brief: What that enforces.
        is_safe: Whether the plant's actuators are safe.
        on: The line by which it runs.
        goal: Whether the scenario goes on until that line too has been said.
    """

    def reacted(seen: Seen[Any]) -> bool:
        has_run = said(seen, on) if goal else True
        return has_run and stale_reaction_ms(seen, is_safe) is not None

    @enforcing(*brief, profile="paper")
    def check(paper_run: RunOf) -> None:
        run = paper_run("sensor_timeout", reacted)
        insist(said(run, on), f"{on} was never said")
        insist(reacted_in_time(run, is_safe), stale_reaction(run, is_safe))

    return check


def malformed_frame(*brief: str, off: str = "", is_safe: IsSafe | None = None) -> Test:
    """Check that a bad line is answered by ``off``, or by whatever makes it safe."""

    def answered(seen: Seen[Any]) -> bool:
        if is_safe is None:
            return said(seen, off, since_ms=BAD_LINE_MS)
        return went_safe(seen, is_safe, since_ms=BAD_LINE_MS)

    @enforcing(*brief, profile="paper")
    def check(paper_run: RunOf) -> None:
        run = paper_run("malformed_frame", answered)
        insist(answered(run), "the bad line changed nothing")

    return check


def _insist_on(protocol: LineProtocol, line: str, **due: object) -> None:
    """Insist on some of what a line is taken for."""
    taken = protocol.parse(line)
    read = {name: getattr(taken, name) for name in due}
    told = f"{line!r} is read as {fields(read)}; it has to be {fields(due)}"
    insist(read == due, told)
