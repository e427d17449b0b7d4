"""What two readings have in common, whatever they are of.

A plant works while both count; each of them fails, gets too old and comes back on its
own. Each check begins with a controller that has just been made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.grading.checks.protocol_checks import FAULT_KIND
from pytest_embedbench.grading.host.calling import IDLE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_embedbench.grading.host.controller import Controller, Row

    Shown = Mapping[str, bool | str]

START_MS = 1000
STALE_MS = 1000


class Reading(NamedTuple):
    """One that, with the other, sets the plant to work; ``row`` takes a time in ms."""

    row: Callable[[int], Row]
    invalid: str
    """The kind of a malformed one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoReadings:
    """Two readings, and what a step returns while the plant is safe or works."""

    one: Reading
    other: Reading
    safe: Shown
    working: Shown

    def both(self, at_ms: int = START_MS) -> list[Row]:
        """Return what sets the plant to work."""
        return [self.other.row(at_ms), self.one.row(at_ms)]

    def beside(self, reading: Reading) -> Reading:
        """Return the one that ``reading`` is not."""
        return self.other if reading is self.one else self.one

    def check_start(self, controller: Controller, first: Reading) -> None:
        """Insist that it works as soon as both have come in, ``first`` or not."""
        second = self.beside(first)
        controller.expect(first.row(START_MS), (IDLE, START_MS + 50), **self.safe)
        controller.expect(second.row(START_MS + 100), **self.working)

    def check_malformed(self, controller: Controller, bad: Reading) -> None:
        """Insist that ``bad`` has to come again, and that the other goes on."""
        at_ms = START_MS + 100
        controller.expect(*self.both(), (bad.invalid, at_ms), **self.safe)
        controller.expect(self.beside(bad).row(at_ms + 100), **self.safe)
        controller.expect(bad.row(at_ms + 200), **self.working)

    def check_aging(self, controller: Controller, bad: Reading) -> None:
        """Insist that the other gets older while ``bad`` is lost and comes again."""
        stale_ms = START_MS + STALE_MS
        lost = (bad.invalid, START_MS + 100)
        again = bad.row(START_MS + 200)
        controller.expect(*self.both(), lost, again, **self.working)
        controller.expect((IDLE, stale_ms), **self.working)
        controller.expect((IDLE, stale_ms + 1), **self.safe)

    def check_fault(self, controller: Controller, first: Reading) -> None:
        """Insist that both have to come again after a fault, ``first`` or not."""
        at_ms = START_MS + 100
        controller.expect(*self.both(), (FAULT_KIND, at_ms), **self.safe)
        controller.expect(first.row(at_ms + 100), **self.safe)
        controller.expect((IDLE, at_ms + 150), **self.safe)
        controller.expect(self.beside(first).row(at_ms + 200), **self.working)

    def check_stale(self, controller: Controller, old: Reading) -> None:
        """Insist that ``old`` has to come again once it is too old."""
        stale_ms = START_MS + STALE_MS
        beside = self.beside(old)
        controller.expect(*self.both(), beside.row(stale_ms), **self.working)
        controller.expect((IDLE, stale_ms + 1), **self.safe)
        controller.expect(beside.row(stale_ms + 100), **self.safe)
        controller.expect(old.row(stale_ms + 200), **self.working)

    def check_time(self, controller: Controller, start_ms: int) -> None:
        """Insist that both count for exactly 1000 ms, whenever they came in."""
        controller.expect(*self.both(start_ms), **self.working)
        controller.expect((IDLE, start_ms + STALE_MS), **self.working)
        controller.expect((IDLE, start_ms + STALE_MS + 1), **self.safe)
