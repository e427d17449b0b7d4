"""Shift register 74HC595, by Nexperia's datasheet "74HC595; 74HCT595", table 3.

DS is shifted in as SHCP rises, and what was shifted in shows at Q0 to Q7 as STCP rises,
unless OE is high. A clock rises from low to high: one that floats keeps what it had.
MR low clears the shift register alone. If both clocks rise at once, the outputs are one
clock behind. Delays of some 20 ns are left out; a chip that has just got power holds
nothing but zeros here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.drives import RELEASED, Drive, Strength, drive

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_embedbench.wiring.part_model import Reading, Wires

_INPUTS: tuple[str, ...] = ("DS", "SHCP", "STCP", "OE", "MR")
_CLOCKS: tuple[str, ...] = ("SHCP", "STCP")
_WIDTH = 8
_LAST = 1 << (_WIDTH - 1)
_MASK = (1 << _WIDTH) - 1
_LOW = drive(Strength.OUTPUT, Level.LOW)
_HIGH = drive(Strength.OUTPUT, Level.HIGH)


class ShiftRegister:
    """A register; an input that floats is neither high nor low, and OE is off then."""

    def __init__(self, wires: Wires, _: Mapping[str, str]) -> None:
        self._wires = wires
        self._levels = dict.fromkeys(_INPUTS, Level.FLOATING)
        self._clocks = dict.fromkeys(_CLOCKS, Level.FLOATING)
        self._shifted = self._before = self._latched = 0
        self._shifted_at_ticks = -1
        self._shown = dict.fromkeys((f"Q{i}" for i in range(_WIDTH)), RELEASED)
        wires.drive("Q7S", _LOW)
        on_change = {
            "SHCP": self._shift,
            "STCP": self._latch,
            "MR": self._clear,
            "OE": self._show,
        }
        for pin in self._levels:
            self._listen(pin, on_change)

    def power_on(self, at_ticks: int) -> None:
        """Hold zeros again."""
        self._shifted = self._before = self._latched = 0
        self._show(at_ticks, Level.LOW)
        self._pass_on()

    def observe(self, _at_ticks: int, _: str) -> Reading:
        """Return what Q0 to Q7 are at; with OE high they are all off."""
        return tuple(self._is_enabled and self._bit(i) for i in range(_WIDTH))

    @property
    def _is_enabled(self) -> bool:
        return self._levels["OE"] is Level.LOW

    def _listen(
        self, pin: str, on_change: Mapping[str, Callable[[int, Level], None]]
    ) -> None:
        react = on_change.get(pin)

        def on_level(at_ticks: int, level: Level) -> None:
            self._levels[pin] = level
            if react:
                react(at_ticks, level)

        self._wires.on_level(pin, on_level)

    def _shift(self, at_ticks: int, level: Level) -> None:
        if not self._rises("SHCP", level) or self._levels["MR"] is Level.LOW:
            return
        self._before, self._shifted_at_ticks = self._shifted, at_ticks
        data = self._levels["DS"] is Level.HIGH
        self._shifted = (self._shifted << 1 | data) & _MASK
        self._pass_on()

    def _rises(self, clock: str, level: Level) -> bool:
        if level is Level.FLOATING:
            return False
        was, self._clocks[clock] = self._clocks[clock], level
        return was is Level.LOW and level is Level.HIGH

    def _clear(self, _at_ticks: int, level: Level) -> None:
        if level is Level.LOW:
            self._shifted = 0
            self._pass_on()

    def _latch(self, at_ticks: int, level: Level) -> None:
        if self._rises("STCP", level):
            is_same_edge = at_ticks == self._shifted_at_ticks
            self._latched = self._before if is_same_edge else self._shifted
            self._show(at_ticks, level)

    def _show(self, _at_ticks: int, _: Level) -> None:
        for index, (pin, shown) in enumerate(self._shown.items()):
            due = self._due(index)
            if due != shown:
                self._shown[pin] = due
                self._wires.drive(pin, due)

    def _due(self, index: int) -> Drive:
        if not self._is_enabled:
            return RELEASED
        return _HIGH if self._bit(index) else _LOW

    def _pass_on(self) -> None:
        self._wires.drive("Q7S", _HIGH if self._shifted & _LAST else _LOW)

    def _bit(self, index: int) -> bool:
        return bool(self._latched >> index & 1)
