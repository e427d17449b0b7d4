"""A contact that bounces as Wokwi's do: 10 to 100 times within a millisecond.

So says Wokwi's page of the pushbutton (docs.wokwi.com/parts/wokwi-pushbutton); with
``bounce`` ``"0"`` contacts are clean. How a contact bounces follows from how often it
has moved, and from nothing else: equal runs are equal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_embedbench.wiring.part_model import Wires

_BOUNCING_US = 1000
_FEWEST_PAIRS, _MOST_PAIRS = 5, 49
_LONGEST_GAP = 16


class Contact:
    """A switch between two pins; open, unless it is told otherwise."""

    def __init__(
        self, wires: Wires, pins: tuple[str, str], *, bounce: str, closed: bool = False
    ) -> None:
        self._wires = wires
        self._pins = pins
        self._bounces = bounce != "0"
        self._closed = closed
        self._moves = 0
        self._join(closed=closed)

    def move(self, at_ticks: int, *, closed: bool, is_leaving: bool = False) -> None:
        """Close it, or open it; it comes to rest a millisecond later.

        With ``is_leaving`` it opens cleanly: what moves is on its way to another side.
        """
        if closed == self._closed:
            return
        self._closed = closed
        self._moves += 1
        self._join(closed=closed)
        if self._bounces and not is_leaving:
            self._bounce(at_ticks, self._moves)

    def _bounce(self, at_ticks: int, move: int) -> None:
        numbers = _numbers(move)
        pairs = _FEWEST_PAIRS + next(numbers) % (_MOST_PAIRS - _FEWEST_PAIRS + 1)
        gaps = [1 + next(numbers) % _LONGEST_GAP for _ in range(2 * pairs)]
        whole_ticks = _BOUNCING_US * self._wires.ticks_per_us
        passed = 0
        for index, gap in enumerate(gaps):
            passed += gap
            closed = self._closed if index % 2 else not self._closed
            self._later(at_ticks + whole_ticks * passed // sum(gaps), move, closed)

    def _later(self, at_ticks: int, move: int, closed: bool) -> None:  # noqa: FBT001
        def call(_: int) -> None:
            if move == self._moves:  # or it has been moved again since
                self._join(closed=closed)

        self._wires.at(at_ticks, call)

    def _join(self, *, closed: bool) -> None:
        self._wires.join(*self._pins, closed=closed)


def _numbers(seed: int) -> Iterator[int]:
    """Yield numbers of 16 bits that look like chance (Numerical Recipes' LCG)."""
    state = seed
    while True:
        state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
        yield state >> 16
