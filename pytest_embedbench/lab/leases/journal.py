"""What has happened to boards in this process, until a report takes it down.

A test may end without a board, which then cannot be asked what it has done to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class BoardEvent(Enum):
    """What a report has to say of a board."""

    FAULT = "fault"
    """It failed a test, or was no use for one."""
    OUT = "out"
    """No test of this run has it any more."""
    MISSING = "missing"
    """It is one of those asked for, and not there."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One event, with the cause as a sentence."""

    event: BoardEvent
    board: str
    cause: str


_entries: list[Entry] = []


def enter(event: BoardEvent, board: str, cause: str) -> None:
    """Write down an event, its first line at least."""
    _entries.append(Entry(event, board, cause.partition("\n")[0]))


def take() -> list[Entry]:
    """Return what has happened since the last call."""
    taken = _entries.copy()
    _entries.clear()
    return taken
