"""Pushbuttons, large and of 6 mm: they join both sides while they are pressed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.parts.models.contact import Contact

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.wiring.part_model import Wires

_HALF = 0.5


class PushButton:
    """A button."""

    def __init__(self, wires: Wires, attrs: Mapping[str, str]) -> None:
        self._contact = Contact(wires, ("1.l", "2.l"), bounce=attrs["bounce"])

    def control(self, at_ticks: int, _: str, value: float) -> None:
        """Press it with 1, let go of it with 0."""
        self._contact.move(at_ticks, closed=value >= _HALF)
