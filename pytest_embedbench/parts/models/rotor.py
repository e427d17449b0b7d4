"""The rotor of a stepper motor with two coils: it follows their field.

A field stands in one of eight directions, half a step apart. A rotor turns to it the
shorter way, and stays where it is if the field is just opposite or gone. A field counts
once it has stood for 50 us: what firmware makes of four pins one by one is no step, and
whoever asks for more than 20,000 half steps a second gets none.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_embedbench.parts.models.averaging import LineShare
    from pytest_embedbench.wiring.part_model import Wires

_STANDS_AFTER_US = 50
_DIRECTIONS = 8
_OPPOSITE = _DIRECTIONS // 2
_WEAKEST = 0.1


class Rotor:
    """A rotor whose count of half steps begins with 0.

    Args:
        wires: Tell how fast the clock is.
        lines: The ends of the coils.
        field: Returns the field as it is now, along directions 0 and 2.
        first_direction: Which of the eight directions the rotor has at power on.
    """

    def __init__(
        self,
        wires: Wires,
        lines: Iterable[LineShare],
        field: Callable[[], tuple[float, float]],
        *,
        first_direction: int,
    ) -> None:
        self._stands_after_ticks = _STANDS_AFTER_US * wires.ticks_per_us
        self._field = field
        self._first_direction = first_direction
        self._direction: int | None = None
        self._changed_at_ticks = 0
        self._half_steps = 0
        for line in lines:
            line.tell(self._on_change)

    def half_steps(self, at_ticks: int) -> int:
        """Return how far it has turned, clockwise if more than 0."""
        stands_for_ticks = at_ticks - self._changed_at_ticks
        if self._direction is None or stands_for_ticks < self._stands_after_ticks:
            return self._half_steps
        stands_at = self._first_direction + self._half_steps
        turn = (self._direction - stands_at) % _DIRECTIONS
        if turn == _OPPOSITE:
            return self._half_steps
        return self._half_steps + (turn if turn < _OPPOSITE else turn - _DIRECTIONS)

    def _on_change(self, at_ticks: int) -> None:
        direction = _direction(*self._field())
        if direction == self._direction:
            return
        self._half_steps = self.half_steps(at_ticks)
        self._direction = direction
        self._changed_at_ticks = at_ticks


def _direction(along_0: float, along_2: float) -> int | None:
    if math.hypot(along_0, along_2) < _WEAKEST:
        return None
    turns = math.atan2(along_2, along_0) / math.tau
    return round(turns * _DIRECTIONS) % _DIRECTIONS
