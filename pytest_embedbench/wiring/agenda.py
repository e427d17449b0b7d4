"""What is to be called when: of equal times, in the order in which it was asked for."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Agenda:
    """Calls by time in ticks; ``wake_at`` is told when the earliest is due.

    It is not while ``is_awake``: whoever calls what is due asks in the end.
    """

    def __init__(self, wake_at: Callable[[int], None]) -> None:
        self._wake_at = wake_at
        self._due: list[tuple[int, int, Callable[[int], None]]] = []
        self._asked = 0
        self.is_awake = False

    def at(self, at_ticks: int, call: Callable[[int], None]) -> None:
        """Have something called, with that time."""
        is_first = not self._due or at_ticks < self._due[0][0]
        heappush(self._due, (at_ticks, self._asked, call))
        self._asked += 1
        if is_first and not self.is_awake:
            self._wake_at(at_ticks)

    def next_ticks(self) -> int | None:
        """Return when the next call is due; ``None`` if there is none."""
        return self._due[0][0] if self._due else None

    def take(self, at_ticks: int) -> list[Callable[[int], None]]:
        """Take the calls of that moment, or of one before it."""
        due, taken = self._due, list["Callable[[int], None]"]()
        while due and due[0][0] <= at_ticks:
            taken.append(heappop(due)[2])
        return taken
