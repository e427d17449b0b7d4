"""Short words for long tables: several pins at once, attributes, pairs of pins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.wiring.part_type import (
    OnlyIf,
    PartAttribute,
    PartPin,
    PinPair,
    PinRole,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def pins(
    role: PinRole, names: str, *, only_if: OnlyIf | None = None, supply_mv: int = 0
) -> tuple[PartPin, ...]:
    """Return pins of one role; ``names`` have blanks between them."""
    return tuple(PartPin(name, role, only_if, supply_mv) for name in names.split())


def pairs(
    named: Iterable[tuple[str, str]],
    *,
    only_if: OnlyIf | None = None,
    also_if: OnlyIf | None = None,
) -> tuple[PinPair, ...]:
    """Return pairs of pins that depend on the same attributes, if on any."""
    return tuple(PinPair(one, other, only_if, also_if) for one, other in named)


def number(
    default: str, lowest: float | None = None, highest: float | None = None
) -> PartAttribute:
    """Return an attribute that is a number."""
    return PartAttribute(
        default=default, is_number=True, lowest=lowest, highest=highest
    )


def word(*choices: str) -> PartAttribute:
    """Return an attribute that is one of some words; the first is its default."""
    return PartAttribute(default=choices[0], choices=choices)


def text(default: str = "") -> PartAttribute:
    """Return an attribute that is any text, such as a color or a label."""
    return PartAttribute(default=default)


def parsed(default: str, parse: Callable[[str], object]) -> PartAttribute:
    """Return an attribute that is text of a form; see ``PartAttribute.parse``."""
    return PartAttribute(default=default, parse=parse)


POWERED = (*pins(PinRole.POWER, "VCC"), *pins(PinRole.RETURN, "GND"))
"""Supply and ground, as most modules call them."""
BOUNCE = text()
"""``"0"``: contacts do not bounce."""
