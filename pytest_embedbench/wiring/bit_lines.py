"""A line of a bus whose edges are heard one by one."""

from __future__ import annotations

from pytest_embedbench.pins import Level


class BitLine:
    """A line: its level now, and before the edges of this moment.

    One that floats has not moved: a bus without pull-ups hears nothing.
    """

    def __init__(self, *, is_high: bool) -> None:
        self.is_high = self._was_high = is_high
        self.changed_at_ticks = -1

    def move(self, at_ticks: int, level: Level) -> bool:
        """Take a level, and return whether that is an edge."""
        is_high = level is Level.HIGH
        if level is Level.FLOATING or is_high == self.is_high:
            return False
        self._was_high, self.is_high = self.is_high, is_high
        self.changed_at_ticks = at_ticks
        return True

    def was_high(self, at_ticks: int) -> bool:
        """Return what who samples it at an edge gets: what was there before."""
        is_old = self.changed_at_ticks != at_ticks
        return self.is_high if is_old else self._was_high
