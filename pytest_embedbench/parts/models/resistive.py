"""Modules that divide 5 V between a resistor of 10 kOhm and one that senses.

By docs.wokwi.com/parts/wokwi-ntc-temperature-sensor and
docs.wokwi.com/parts/wokwi-photoresistor-sensor: the sensing one is at ground, so their
output is the lower, the warmer or brighter it is.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.drives import Strength, drive

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.wiring.part_model import Wires

_SUPPLY_MV = 5000
_SERIES_OHM = 10_000
_ZERO_C_K = 273.15
_ROOM_K = 25 + _ZERO_C_K
_RL10_LUX = 10
_DARKEST_LUX = 0.1
_LOW = drive(Strength.OUTPUT, Level.LOW)
_HIGH = drive(Strength.OUTPUT, Level.HIGH)


class Thermistor:
    """An NTC of 10 kOhm at 25 C: R = 10 kOhm * exp(beta * (1 / T - 1 / 298.15 K))."""

    def __init__(self, wires: Wires, attrs: Mapping[str, str]) -> None:
        self._wires = wires
        self._beta_k = float(attrs["beta"])
        self._set(float(attrs["temperature"]))

    def control(self, _at_ticks: int, _: str, value: float) -> None:
        """Set the temperature in Celsius."""
        self._set(value)

    def _set(self, temperature_c: float) -> None:
        reciprocal = 1 / (temperature_c + _ZERO_C_K) - 1 / _ROOM_K
        ratio = math.exp(self._beta_k * reciprocal)
        self._wires.millivolts("OUT", _divided_mv(_SERIES_OHM * ratio))


class Photoresistor:
    """An LDR: R = rl10 kOhm * (10 / lux) ** gamma; DO is high while it is dark."""

    def __init__(self, wires: Wires, attrs: Mapping[str, str]) -> None:
        self._wires = wires
        self._rl10_ohm = float(attrs["rl10"]) * 1000
        self._gamma = float(attrs["gamma"])
        self._threshold_mv = float(attrs["threshold"]) * 1000
        self._set(float(attrs["lux"]))

    def control(self, _at_ticks: int, _: str, value: float) -> None:
        """Set how bright it is, in lux."""
        self._set(value)

    def _set(self, lux: float) -> None:
        ratio = _RL10_LUX / max(lux, _DARKEST_LUX)
        value_mv = _divided_mv(self._rl10_ohm * ratio**self._gamma)
        self._wires.millivolts("AO", value_mv)
        self._wires.drive("DO", _HIGH if value_mv > self._threshold_mv else _LOW)


def _divided_mv(sensing_ohm: float) -> int:
    return round(_SUPPLY_MV * sensing_ohm / (sensing_ohm + _SERIES_OHM))
