"""The nouns of part types: pins and what they are for, attributes, controls.

They are data. What an LED, a sensor or a motor does is not here.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


HANDLES = frozenset(
    {
        *("blinks", "controls", "hold", "id", "level"),
        *("press", "put_file", "release", "seen", "set", "type"),
    }
)
"""What a test has of every part: no observable can be called so."""


class PinRole(enum.Enum):
    """What a pin does to its net, or wants of it."""

    GROUND = "ground"
    """It is 0 V: of a board, or a symbol."""
    SUPPLY = "supply"
    """It is a supply voltage: of a board, or a symbol."""
    RETURN = "return"
    """It wants ground."""
    POWER = "power"
    """It wants a supply."""
    INPUT = "input"
    """It reads its net, and nothing inside pulls it anywhere."""
    PULLED = "pulled"
    """It reads its net, and is pulled to a level inside."""
    OUTPUT = "output"
    BOTH = "both"
    """It reads or drives, as software has it, such as a pin of a microcontroller."""
    OPEN_DRAIN = "open-drain"
    """It pulls down or lets go, and something else has to pull up."""
    PASSIVE = "passive"
    """A terminal of a resistor, switch or LED."""
    HOLE = "hole"
    """A row or rail of a breadboard."""
    UNUSED = "unused"

    @property
    def drives(self) -> bool:
        """Whether it can force a level on its net."""
        return self in _DRIVING

    @property
    def may_drive(self) -> bool:
        """Whether a model, a board or a supply may ever do something to its net."""
        return self not in _LISTENING


_LISTENING = {
    *(PinRole.RETURN, PinRole.POWER, PinRole.INPUT, PinRole.PASSIVE),
    *(PinRole.HOLE, PinRole.UNUSED),
}
_DRIVING = {PinRole.GROUND, PinRole.SUPPLY, PinRole.OUTPUT, PinRole.BOTH}


class OnlyIf(NamedTuple):
    """What is there only while an attribute has one of some values."""

    attr: str
    values: tuple[str, ...]


class PartPin(NamedTuple):
    """A pin; ``supply_mv`` is what a supply gives, in mV.

    ``supply_attr`` is the attribute that says otherwise, in V.
    """

    name: str
    role: PinRole
    only_if: OnlyIf | None = None
    supply_mv: int = 0
    supply_attr: str = ""


class PinPair(NamedTuple):
    """Two pins with something between: a switch, a diode (anode first), a resistor."""

    one: str
    other: str
    only_if: OnlyIf | None = None
    also_if: OnlyIf | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PartAttribute:
    """A setting of a part: text, one of ``choices``, or a number in a range.

    Args:
        default: Its value where a diagram does not say.
        is_number: Whether it has to be one.
        lowest: The least that it can be, if it is a number.
        highest: The most that it can be, if it is a number.
        choices: All that it can be, if it is a word.
        parse: What makes something of it, or raises ``ValueError`` with what it must
            be; ``None`` if any text will do.
    """

    default: str = ""
    is_number: bool = False
    lowest: float | None = None
    highest: float | None = None
    choices: tuple[str, ...] = ()
    parse: Callable[[str], object] | None = None


class NamedBy(enum.Enum):
    """Who gave a control its name."""

    WOKWI = "wokwi"
    """Wokwi's pages."""
    USAGE = "usage"
    """Public tests that Wokwi runs, and no page."""
    US = "us"
    """Nobody but us: the cloud does not have it."""


class PartControl(NamedTuple):
    """What a test can set while a circuit runs."""

    lowest: float
    highest: float
    unit: str = ""
    named_by: NamedBy = NamedBy.WOKWI


@dataclass(frozen=True, slots=True, kw_only=True)
class PartType:
    """All that is known of parts of a type without knowing what they do.

    ``aliases`` are more names of pins, or more holes that are one with them: name to
    pin. ``observables`` are what a person would see, with the unit or form of each.
    ``board`` is the board of ours that it is, if any.
    """

    name: str
    title: str
    pins: tuple[PartPin, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict[str, str])
    switches: tuple[PinPair, ...] = ()
    diodes: tuple[PinPair, ...] = ()
    resistors: tuple[PinPair, ...] = ()
    attrs: Mapping[str, PartAttribute] = field(default_factory=dict[str, PartAttribute])
    controls: Mapping[str, PartControl] = field(default_factory=dict[str, PartControl])
    observables: Mapping[str, str] = field(default_factory=dict[str, str])
    board: str = ""

    def attr(self, attrs: Mapping[str, str], name: str) -> str:
        """Return an attribute as a diagram has it, or its default."""
        known = self.attrs.get(name)
        return attrs.get(name, known.default if known else "")

    def pins_with(self, attrs: Mapping[str, str]) -> Mapping[str, PartPin]:
        """Return the pins that a part with these attributes has, by name."""
        return {
            pin.name: self._supplied(pin, attrs) if pin.supply_attr else pin
            for pin in self.pins
            if self._holds(pin.only_if, attrs)
        }

    def pin_named(self, name: str, attrs: Mapping[str, str]) -> PartPin | None:
        """Return the pin that a name or an alias means, if it is there."""
        return self.pins_with(attrs).get(self.aliases.get(name, name))

    def pairs_with(
        self, pairs: tuple[PinPair, ...], attrs: Mapping[str, str]
    ) -> tuple[PinPair, ...]:
        """Return those of some pairs whose pins a part with these attributes has."""
        pins = self.pins_with(attrs)
        return tuple(
            pair
            for pair in pairs
            if pair.one in pins
            and pair.other in pins
            and self._holds(pair.only_if, attrs)
            and self._holds(pair.also_if, attrs)
        )

    def _supplied(self, pin: PartPin, attrs: Mapping[str, str]) -> PartPin:
        try:
            voltage = float(self.attr(attrs, pin.supply_attr))
            return pin._replace(supply_mv=round(voltage * 1000))
        except (ValueError, OverflowError):  # which is a finding of its own
            return pin

    def _holds(self, condition: OnlyIf | None, attrs: Mapping[str, str]) -> bool:
        return condition is None or self.attr(attrs, condition.attr) in condition.values
