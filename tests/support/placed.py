"""A part of the table on wires without a circuit."""

from __future__ import annotations

from pytest_embedbench.parts import CATALOGUE
from pytest_embedbench.parts.models import MODELS
from pytest_embedbench.testing import FakeWires
from pytest_embedbench.wiring.part_model import Reading
from pytest_embedbench.wiring.placed_part import PlacedPart


class OnTable:
    """A part, its wires, and short words for what a test does with both."""

    def __init__(self, kind: str, **attrs: str) -> None:
        known = CATALOGUE.types[kind]
        self.wires = FakeWires(known, attrs)
        self.part = PlacedPart(
            "it", known, make=MODELS[kind], wires=self.wires, attrs=attrs
        )

    def set(self, name: str, value: float) -> None:
        self.part.control(self.wires.now_ticks, name, value)

    def see(self, name: str) -> Reading:
        return self.part.observe(self.wires.now_ticks, name)

    def number(self, name: str) -> float:
        seen = self.see(name)
        assert isinstance(seen, float)
        return seen

    def events_us(self, *pins: str) -> list[tuple[float, object]]:
        """Return when in us what happened at a pin, or between two."""
        rate = self.wires.ticks_per_us
        return [
            (event.at_ticks / rate, event.value)
            for event in self.wires.events
            if event.pins == pins
        ]
