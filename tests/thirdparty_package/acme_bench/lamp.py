"""A lamp that goes out by itself, as stairways have them; this file stands alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.wiring import (
    Level,
    NamedBy,
    Part,
    PartAttribute,
    PartControl,
    PartPin,
    PartType,
    PinRole,
    Strength,
    drive,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.wiring import Reading, Wires

STAIR_LAMP = PartType(
    name="acme-stair-lamp",
    title="Lamp of a stairway, with a timer",
    pins=(
        PartPin("ON", PinRole.INPUT),
        PartPin("LIT", PinRole.OUTPUT),
        PartPin("VCC", PinRole.POWER),
        PartPin("GND", PinRole.RETURN),
    ),
    attrs={"seconds": PartAttribute(default="3", is_number=True, lowest=0)},
    controls={"broken": PartControl(0, 1, named_by=NamedBy.US)},
    observables={"is_lit": "whether there is light"},
)


class StairLamp:
    """Lit from a rise of ON for some seconds, and anew with each; LIT tells it."""

    def __init__(self, wires: Wires, attrs: Mapping[str, str]) -> None:
        self._wires = wires
        self._lit_ticks = (
            round(float(attrs["seconds"]) * 1_000_000) * wires.ticks_per_us
        )
        self._ends_at_ticks = 0
        self._is_broken = False
        wires.drive("LIT", drive(Strength.OUTPUT, Level.LOW))
        wires.on_level("ON", self._on_level)

    def control(self, _at_ticks: int, _: str, value: float) -> None:
        """Break it with 1, put in another bulb with 0."""
        self._is_broken = bool(value)

    def observe(self, at_ticks: int, _: str) -> Reading:
        """Return whether there is light."""
        return at_ticks < self._ends_at_ticks and not self._is_broken

    def _on_level(self, at_ticks: int, level: Level) -> None:
        if level is Level.HIGH:
            self._ends_at_ticks = at_ticks + self._lit_ticks
            self._wires.drive("LIT", drive(Strength.OUTPUT, Level.HIGH))
            self._wires.at(self._ends_at_ticks, self._end)

    def _end(self, at_ticks: int) -> None:
        if at_ticks >= self._ends_at_ticks:
            self._wires.drive("LIT", drive(Strength.OUTPUT, Level.LOW))


PART = Part(kind=STAIR_LAMP, make=StairLamp)
