"""Clock generator: a square wave, by docs.wokwi.com/parts/wokwi-clock-generator.

``frequency`` is in Hz, or with ``k`` or ``m`` behind it in kHz or MHz. Edges are at the
nearest tick of the board's clock, and none is ever late for the ones before.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.drives import Strength, drive

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.wiring.part_model import Wires

_US_PER_S = 1_000_000
_UNITS = {"k": 1000, "m": 1_000_000}
_DRIVES = (drive(Strength.OUTPUT, Level.LOW), drive(Strength.OUTPUT, Level.HIGH))


class ClockGenerator:
    """A generator, low at first; silent at 0 Hz."""

    def __init__(self, wires: Wires, attrs: Mapping[str, str]) -> None:
        self._wires = wires
        self._edges = 0
        ticks_per_s = wires.ticks_per_us * _US_PER_S
        frequency_hz = _hertz(attrs["frequency"], highest=ticks_per_s // 2)
        wires.drive("CLK", _DRIVES[0])
        if frequency_hz:
            self._half_ticks = ticks_per_s / frequency_hz / 2
            self._await()

    def _await(self) -> None:
        next_ticks = round((self._edges + 1) * self._half_ticks)
        self._wires.at(next_ticks, self._turn)

    def _turn(self, _at_ticks: int) -> None:
        self._edges += 1
        self._wires.drive("CLK", _DRIVES[self._edges % 2])
        self._await()


def _hertz(text: str, *, highest: int) -> Fraction:
    unit = _UNITS.get(text[-1:].lower(), 1)
    try:
        value = Fraction(text[:-1] if unit > 1 else text) * unit
    except (ValueError, ZeroDivisionError):
        value = Fraction(-1)
    if not 0 <= value <= highest:
        wanted = f"it is 0 to {highest} Hz, such as 440 or 10k"
        raise ConfigError(f"frequency cannot be {text!r}: {wanted}")
    return value
