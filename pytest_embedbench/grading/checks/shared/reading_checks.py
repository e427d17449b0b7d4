"""Reading by reading: each fails, gets too old and comes back on its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_embedbench.grading.checks.shared.marks import each_of, enforcing
from pytest_embedbench.grading.checks.shared.step_checks import each_start

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.grading.checks.dual_sensor_checks import Reading, TwoReadings
    from pytest_embedbench.grading.checks.shared.marks import Test
    from pytest_embedbench.grading.host.controller import Controller


@dataclass(frozen=True, slots=True)
class ReadingChecks:
    """What any two readings have in common, made into tests.

    Args:
        readings: The two, and what they come to.
        one: What tests call the first of them, by ``readings``' names.
        other: What they call the second.
    """

    readings: TwoReadings
    one: str
    other: str

    def start(self, *brief: str) -> Test:
        """Check that both start the plant, in either order."""
        return self._of_each(self.readings.check_start, brief)

    def malformed(self, *brief: str) -> Test:
        """Check that a malformed reading has to come again, and the other goes on."""
        return self._of_each(self.readings.check_malformed, brief)

    def aging(self, *brief: str) -> Test:
        """Check that one goes on aging while the other is lost and comes again."""
        return self._of_each(self.readings.check_aging, brief)

    def fault(self, *brief: str) -> Test:
        """Check that both have to come again after a fault."""
        return self._of_each(self.readings.check_fault, brief)

    def stale(self, *brief: str) -> Test:
        """Check that one that is too old has to come again."""
        return self._of_each(self.readings.check_stale, brief)

    def time(self, *brief: str, late: str) -> Test:
        """Check that both count for exactly as long, whenever they came in.

        Args:
            brief: What that enforces.
            late: The sentence that lets a first step come at 0 ms, or after hours.
        """

        @enforcing(*brief)
        @each_start(late)
        def check(controller: Controller, start_ms: int) -> None:
            self.readings.check_time(controller, start_ms)

        return check

    def _of_each(
        self, checked: Callable[[Controller, Reading], None], brief: tuple[str, ...]
    ) -> Test:
        names = {self.one: self.readings.one, self.other: self.readings.other}

        @enforcing(*brief)
        @each_of("reading", names)
        def check(controller: Controller, reading: Reading) -> None:
            checked(controller, reading)

        return check
