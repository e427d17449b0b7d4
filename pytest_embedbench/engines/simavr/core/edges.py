"""What the pins did, packed: eight bytes for an edge, kept here until somebody asks.

A firmware that drives LEDs bit by bit has 24,000 edges a second: as objects that go to
the bench in every step they would cost as much as the core.
"""

from __future__ import annotations

from array import array

MAX_EDGES = 250_000
LEVEL_BITS, PIN_BITS = 2, 7
"""An edge is its cycle, over the number of the pin, over its level."""

_PIN_MASK = (1 << PIN_BITS) - 1
ROOM = 2 * MAX_EDGES
"""More than so many edges are never there."""


def pin_number(letter: str, bit: int) -> int:
    """Return the number of a pin: eight for each port, from A on."""
    return (ord(letter) - ord("A")) << 3 | bit


class EdgeLog:
    """The last ``MAX_EDGES`` edges; of those before them the last one of each pin."""

    def __init__(self) -> None:
        self.packed = array("Q")
        self._before: dict[int, int] = {}

    def add(self, edge: int) -> None:
        """Keep an edge, packed."""
        self.packed.append(edge)
        if len(self.packed) > ROOM:
            self.cut()

    def take(self) -> tuple[bytes, int]:
        """Return all that there is, and the cycle up to which some is missing."""
        self.cut()
        before = array("Q", sorted(self._before.values()))
        cut_at = before[-1] >> PIN_BITS + LEVEL_BITS if before else 0
        taken = before.tobytes() + self.packed.tobytes()
        self._before.clear()
        del self.packed[:]
        return taken, cut_at

    def cut(self) -> None:
        """Keep no more than is to be kept."""
        surplus = max(0, len(self.packed) - MAX_EDGES)
        for edge in self.packed[:surplus]:
            self._before[edge >> LEVEL_BITS & _PIN_MASK] = edge
        del self.packed[:surplus]
