"""What can let simulated time pass: a recorder, or a plant with one."""

from __future__ import annotations

from typing import Protocol

STEP_MS = 100
"""Time passes in steps of so much at most, and what is wrong is raised after each."""


class Timebase(Protocol):
    """Something that can let simulated time pass."""

    def advance(self, duration_ms: int) -> None:
        """Let ``duration_ms`` pass; what the firmware says is recorded."""
        ...


class Clock(Timebase, Protocol):
    """What lets a board's own time pass: the board, or a group that it is in."""

    def close(self) -> None:
        """Close the board; safe to call twice."""
        ...
