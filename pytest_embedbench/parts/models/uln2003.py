"""Driver ULN2003, by TI's datasheet "ULN200x": seven transistors, four of them used.

An output pulls down while its input is high, and lets go of its pin else.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.drives import RELEASED, Strength, drive

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.wiring.part_model import Wires

_CHANNELS = range(1, 5)
_LOW = drive(Strength.OUTPUT, Level.LOW)


class DarlingtonArray:
    """Four transistors."""

    def __init__(self, wires: Wires, _: Mapping[str, str]) -> None:
        for channel in _CHANNELS:
            _Transistor(wires, f"IN{channel}", f"OUT{channel}")


class _Transistor:
    def __init__(self, wires: Wires, given: str, pulled: str) -> None:
        self._wires = wires
        self._pulled = pulled
        self._changes = 0
        wires.on_level(given, self._on_level)
        wires.on_pwm(given, self._on_pwm)

    def _on_level(self, _at_ticks: int, level: Level) -> None:
        self._changes += 1
        self._pull(is_on=level is Level.HIGH)

    def _on_pwm(self, at_ticks: int, period_ticks: int, high_ticks: int) -> None:
        """Make the edges that are not told; a period begins as PWM does."""
        self._changes += 1
        if 0 < high_ticks < period_ticks:
            widths_ticks = (high_ticks, period_ticks - high_ticks)
            self._turn(self._changes, widths_ticks, at_ticks)
        elif period_ticks:
            self._pull(is_on=high_ticks > 0)

    def _turn(self, change: int, widths_ticks: tuple[int, int], at_ticks: int) -> None:
        if change != self._changes:
            return
        high_ticks, low_ticks = widths_ticks
        self._pull(is_on=True)
        self._wires.at(at_ticks + high_ticks, partial(self._let_go, change))
        again = partial(self._turn, change, widths_ticks)
        self._wires.at(at_ticks + high_ticks + low_ticks, again)

    def _let_go(self, change: int, _at_ticks: int) -> None:
        if change == self._changes:
            self._pull(is_on=False)

    def _pull(self, *, is_on: bool) -> None:
        self._wires.drive(self._pulled, _LOW if is_on else RELEASED)
