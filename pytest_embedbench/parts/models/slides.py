"""Slide switch and DIP switch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.parts.models.contact import Contact

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.wiring.part_model import Wires

_HALF = 0.5
_POSITIONS = range(1, 9)


class SlideSwitch:
    """Joins 2 with 1, or with 3 while its value is 1; with neither in between."""

    def __init__(self, wires: Wires, attrs: Mapping[str, str]) -> None:
        at_right = attrs["value"] == "1"
        bounce = attrs["bounce"]
        self._left = Contact(wires, ("1", "2"), bounce=bounce, closed=not at_right)
        self._right = Contact(wires, ("3", "2"), bounce=bounce, closed=at_right)

    def control(self, at_ticks: int, _: str, value: float) -> None:
        """Slide it to the side of pin 3 with 1, of pin 1 with 0."""
        at_right = value >= _HALF
        sides = (self._left, self._right)
        # It lets go of one side before it is at the other.
        sides[not at_right].move(at_ticks, closed=False, is_leaving=True)
        sides[at_right].move(at_ticks, closed=True)


class DipSwitch:
    """Eight switches, which do not bounce; ``values`` has a 1 for each closed one."""

    def __init__(self, wires: Wires, attrs: Mapping[str, str]) -> None:
        given = [letter for letter in attrs["values"] if letter in "01"]
        given += ["0"] * len(_POSITIONS)
        self._contacts = {
            f"switch{position}": Contact(
                wires,
                (f"{position}a", f"{position}b"),
                bounce="0",
                closed=value == "1",
            )
            for position, value in zip(_POSITIONS, given, strict=False)
        }

    def control(self, at_ticks: int, name: str, value: float) -> None:
        """Close one of them with 1, open it with 0."""
        self._contacts[name].move(at_ticks, closed=value >= _HALF)
