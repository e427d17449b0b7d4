"""LEDs: lit while the anode is high and the cathode low, averaged over 25 ms.

What a series resistor leaves of the current is not told: lit is lit. ``gamma`` is for
Wokwi's screen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.parts.models.averaging import lights

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.wiring.part_model import Reading, Wires


class Led:
    """One LED."""

    def __init__(self, wires: Wires, _: Mapping[str, str]) -> None:
        (self._light,) = lights(wires, [("A", "C")])

    def observe(self, at_ticks: int, _: str) -> Reading:
        """Return its brightness."""
        return self._light.over_window(at_ticks)


class RgbLed:
    """Three LEDs that have their anodes or cathodes in common."""

    def __init__(self, wires: Wires, attrs: Mapping[str, str]) -> None:
        is_anode = attrs["common"] == "anode"
        self._lights = lights(
            wires, [("COM", leg) if is_anode else (leg, "COM") for leg in "RGB"]
        )

    def observe(self, at_ticks: int, _: str) -> Reading:
        """Return the brightnesses of red, green and blue."""
        return tuple(light.over_window(at_ticks) for light in self._lights)


class LedBarGraph:
    """Ten LEDs, each with two legs of its own."""

    def __init__(self, wires: Wires, _: Mapping[str, str]) -> None:
        self._lights = lights(wires, [(f"A{i}", f"C{i}") for i in range(1, 11)])

    def observe(self, at_ticks: int, _: str) -> Reading:
        """Return the ten brightnesses."""
        return tuple(light.over_window(at_ticks) for light in self._lights)
