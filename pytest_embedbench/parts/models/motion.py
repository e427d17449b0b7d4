"""PIR motion sensor, by docs.wokwi.com/parts/wokwi-pir-motion-sensor.

A movement lets OUT be high for ``delayTime`` seconds; one while it is high begins that
time anew, unless ``retrigger`` is ``"0"``. For ``inhibitTime`` seconds after it falls
the sensor sees nothing. That a real one wants a minute to get warm is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.drives import Strength, drive

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.wiring.part_model import Wires

_US_PER_S = 1_000_000
_HALF = 0.5
_LOW = drive(Strength.OUTPUT, Level.LOW)
_HIGH = drive(Strength.OUTPUT, Level.HIGH)


class MotionSensor:
    """A sensor before which nothing moves at first."""

    def __init__(self, wires: Wires, attrs: Mapping[str, str]) -> None:
        self._wires = wires
        ticks_per_s = _US_PER_S * wires.ticks_per_us
        self._delay_ticks = round(float(attrs["delayTime"]) * ticks_per_s)
        self._inhibit_ticks = round(float(attrs["inhibitTime"]) * ticks_per_s)
        self._retriggers = attrs["retrigger"] != "0"
        self._falls_at_ticks = 0
        self._blind_until_ticks = 0
        wires.drive("OUT", _LOW)

    def control(self, at_ticks: int, _: str, value: float) -> None:
        """Move with 1, at this moment; 0 is no movement."""
        is_high = at_ticks < self._falls_at_ticks
        may_see = self._retriggers if is_high else at_ticks >= self._blind_until_ticks
        if value < _HALF or not may_see:
            return
        self._falls_at_ticks = at_ticks + self._delay_ticks
        self._blind_until_ticks = self._falls_at_ticks + self._inhibit_ticks
        self._wires.drive("OUT", _HIGH)
        self._wires.at(self._falls_at_ticks, self._fall)

    def _fall(self, at_ticks: int) -> None:
        if at_ticks == self._falls_at_ticks:
            self._wires.drive("OUT", _LOW)
