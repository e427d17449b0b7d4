"""Analog joystick: two potentiometers at 5 V and a button to ground.

As in Wokwi (docs.wokwi.com/parts/wokwi-analog-joystick): -1 is 0 V, 1 is 5 V, and at
rest both are in the middle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.parts.models.contact import Contact

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.wiring.part_model import Wires

_SUPPLY_MV = 5000
_HALF = 0.5
_PINS = {"x": "HORZ", "y": "VERT"}


class AnalogJoystick:
    """A joystick that nobody touches at first."""

    def __init__(self, wires: Wires, attrs: Mapping[str, str]) -> None:
        self._wires = wires
        self._button = Contact(wires, ("SEL", "GND"), bounce=attrs["bounce"])
        for axis in _PINS:
            self._tilt(axis, 0)

    def control(self, at_ticks: int, name: str, value: float) -> None:
        """Tilt it along ``x`` or ``y``, or press it with 1."""
        if name in _PINS:
            self._tilt(name, value)
        else:
            self._button.move(at_ticks, closed=value >= _HALF)

    def _tilt(self, axis: str, value: float) -> None:
        self._wires.millivolts(_PINS[axis], round(_SUPPLY_MV * (value + 1) / 2))
