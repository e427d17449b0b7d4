"""Potentiometers, round and straight, at 5 V.

As in Wokwi, SIG follows the position whatever GND and VCC are wired to
(docs.wokwi.com/parts/wokwi-potentiometer); ``value`` is the position in 1023 parts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.wiring.part_model import Wires

_SUPPLY_MV = 5000
_HIGHEST_VALUE = 1023


class Potentiometer:
    """A potentiometer as a divider."""

    def __init__(self, wires: Wires, attrs: Mapping[str, str]) -> None:
        self._wires = wires
        self._set(float(attrs["value"]) / _HIGHEST_VALUE)

    def control(self, _at_ticks: int, _: str, value: float) -> None:
        """Turn it: 0 is GND, 1 is VCC."""
        self._set(value)

    def _set(self, position: float) -> None:
        self._wires.millivolts("SIG", round(_SUPPLY_MV * position))
