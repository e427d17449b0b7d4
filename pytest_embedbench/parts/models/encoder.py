"""Rotary encoder KY-040: a wave on CLK and DT for each detent, and a button.

By docs.wokwi.com/parts/wokwi-ky-040: clockwise CLK falls first and then DT, the other
way DT first; both come back within some milliseconds. The lengths are those of the
page's picture, a hand at 50 detents a second: 4 ms between both, each low for 10 ms.
CLK and DT are pulled up on the module, SW is not. Contacts are clean, as on Wokwi.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pytest_embedbench.parts.models.contact import Contact
from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.drives import Strength, drive

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.wiring.drives import Drive
    from pytest_embedbench.wiring.part_model import Wires

_LAG_US, _LOW_US, _DETENT_US = 4000, 10_000, 20_000
_HALF = 0.5
_LOW = drive(Strength.OUTPUT, Level.LOW)
_PULL_UP = drive(Strength.RESISTOR, Level.HIGH)


class RotaryEncoder:
    """An encoder; who turns it while it is being turned goes on after that."""

    def __init__(self, wires: Wires, _: Mapping[str, str]) -> None:
        self._wires = wires
        self._button = Contact(wires, ("SW", "GND"), bounce="0")
        self._free_at_ticks = 0
        for pin in ("CLK", "DT"):
            wires.drive(pin, _PULL_UP)

    def control(self, at_ticks: int, name: str, value: float) -> None:
        """Turn it by whole detents, clockwise if more than 0, or press it with 1."""
        if name == "pressed":
            self._button.move(at_ticks, closed=value >= _HALF)
            return
        first, second = ("CLK", "DT") if value > 0 else ("DT", "CLK")
        for _ in range(abs(round(value))):
            begin_ticks = max(at_ticks, self._free_at_ticks)
            self._pulse(first, begin_ticks)
            self._pulse(second, begin_ticks + self._ticks(_LAG_US))
            self._free_at_ticks = begin_ticks + self._ticks(_DETENT_US)

    def _pulse(self, pin: str, begin_ticks: int) -> None:
        self._wires.at(begin_ticks, partial(self._hold, pin, _LOW))
        end_ticks = begin_ticks + self._ticks(_LOW_US)
        self._wires.at(end_ticks, partial(self._hold, pin, _PULL_UP))

    def _hold(self, pin: str, held: Drive, _at_ticks: int) -> None:
        self._wires.drive(pin, held)

    def _ticks(self, duration_us: int) -> int:
        return duration_us * self._wires.ticks_per_us
