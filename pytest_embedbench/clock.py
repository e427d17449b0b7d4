"""The only door to host time."""

from __future__ import annotations

import time
from dataclasses import dataclass, field


def host_now_s() -> float:
    """Return host time in seconds from an arbitrary start; never goes back."""
    return time.monotonic()  # noqa: TID251  # this is the door


def host_stamp(*, in_s: float = 0.0) -> str:
    """Return the wall-clock time in UTC, so many seconds from now.

    It is like ``2026-01-31T12:00:00Z``: of two stamps the earlier one sorts first.
    """
    at_s = time.time() + in_s  # noqa: TID251  # this is the door
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at_s))


def wall_now_ns() -> int:
    """Return the wall-clock time in nanoseconds since 1970, as files' times are."""
    return time.time_ns()


def pause(duration_s: float) -> None:
    """Let host time pass, for polls that have no event to wait on."""
    time.sleep(duration_s)  # noqa: TID251  # this is the door


@dataclass(frozen=True, slots=True)
class Deadline:
    """A point in host time, ``budget_s`` after it was made."""

    budget_s: float
    _started_s: float = field(default_factory=host_now_s)

    def remaining_s(self) -> float:
        """Return what is left of the budget, never below 0."""
        return max(0.0, self._started_s + self.budget_s - host_now_s())

    def passed(self) -> bool:
        """Say whether the budget is used up."""
        return self.remaining_s() == 0.0
