"""Gas sensor MQ-2 on its module: AOUT rises with the gas, DOUT falls over a threshold.

docs.wokwi.com/parts/wokwi-gas-sensor has no curve. This one is Hanwei's datasheet
"MQ-2": its resistance at 1000 ppm is 3 kOhm, the least of 3 to 30, and at 3000 ppm 0.6
of that, the most that may be left; so from one to the other and beyond on a straight
line of logarithms. It is between 5 V and AOUT, 10 kOhm are from there to ground. 400
ppm are 3.43 V, and the threshold of 4.4 V that the page has is passed at 5,400 ppm.
It is warm from the start, as the page has it.
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
_LOAD_OHM = 10_000
_KNOWN_PPM, _KNOWN_OHM = 1000, 3000
_EXPONENT = math.log(0.6) / math.log(3)
_LEAST_PPM = 0.1
_LOW = drive(Strength.OUTPUT, Level.LOW)
_HIGH = drive(Strength.OUTPUT, Level.HIGH)


class GasSensor:
    """A sensor."""

    def __init__(self, wires: Wires, attrs: Mapping[str, str]) -> None:
        self._wires = wires
        self._threshold_mv = float(attrs["threshold"]) * 1000
        self._set(float(attrs["ppm"]))

    def control(self, _at_ticks: int, _: str, value: float) -> None:
        """Set how much gas there is, in ppm."""
        self._set(value)

    def _set(self, ppm: float) -> None:
        ratio = max(ppm, _LEAST_PPM) / _KNOWN_PPM
        sensing_ohm = _KNOWN_OHM * ratio**_EXPONENT
        value_mv = round(_SUPPLY_MV * _LOAD_OHM / (_LOAD_OHM + sensing_ohm))
        self._wires.millivolts("AOUT", value_mv)
        self._wires.drive("DOUT", _LOW if value_mv > self._threshold_mv else _HIGH)
