"""Pins of boards: numbers, names, and what each can.

Sources: variants standard, eightanaloginputs and mega of the Arduino AVR core 1.8
(``pins_arduino.h``), and the pinouts at docs.arduino.cc.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.esr.desk_boards import DESK_BOARDS
from pytest_embedbench.installed_parts import installed_catalogue
from pytest_embedbench.wiring.catalogue import PartCatalogue

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.esr.desk_boards import DeskBoard
    from pytest_embedbench.model import BoardSpec
    from pytest_embedbench.wiring.diagram import Diagram


@dataclass(frozen=True, slots=True, kw_only=True)
class _Variant:
    """What a variant of the core has; pins by number."""

    pwm: frozenset[int]
    interrupts: tuple[int, ...]
    names: Mapping[str, int]


_SMALL = _Variant(
    pwm=frozenset({3, 5, 6, 9, 10, 11}),
    interrupts=(2, 3),
    names={
        "LED_BUILTIN": 13,
        "SS": 10,
        "MOSI": 11,
        "MISO": 12,
        "SCK": 13,
        "SDA": 18,
        "SCL": 19,
    },
)
_MEGA = _Variant(
    pwm=frozenset({*range(2, 14), 44, 45, 46}),
    interrupts=(2, 3, 21, 20, 19, 18),
    names={
        "LED_BUILTIN": 13,
        "SS": 53,
        "MOSI": 51,
        "MISO": 50,
        "SCK": 52,
        "SDA": 20,
        "SCL": 21,
    },
)
_DRAWN = {part.name: kind for kind in DESK_BOARDS for part in kind.parts}
_NO_NUMBER = 1000
_VARIANTS = {"uno": _SMALL, "nano": _SMALL, "mega": _MEGA}


@dataclass(frozen=True)
class BoardPins:
    """The pins of a board by the names that it prints: ``9``, ``A0``."""

    spec: BoardSpec

    @cached_property
    def _variant(self) -> _Variant:
        variant = _VARIANTS.get(self.spec.name)
        if variant is None:
            known = ", ".join(sorted(_VARIANTS))
            raise ConfigError(
                f"{self.spec.name}: which pins its firmware names is known of {known}, "
                f"and with a diagram that has one of {', '.join(sorted(_DRAWN))}"
            )
        return variant

    @cached_property
    def pins(self) -> tuple[str, ...]:
        """All pins, in the order of their numbers."""
        return tuple(printed(name) for name in self.spec.pins)

    @cached_property
    def _analog_from(self) -> int:
        return sum(pin.isdigit() for pin in self.pins)

    @cached_property
    def by_name(self) -> Mapping[str, str]:
        """Pins by the names that a sketch can say."""
        named = {name: self.at(number) for name, number in self._variant.names.items()}
        analog = {pin: pin for pin in self.pins if not pin.isdigit()}
        return {
            **named,
            **analog,
            **{f"PIN_{name}": pin for name, pin in named.items()},
        }

    def at(self, number: int) -> str:
        """Return the pin that the core knows by a number; ``""`` if there is none."""
        return self.pins[number] if 0 <= number < len(self.pins) else ""

    def of_channel(self, number: int) -> str:
        """Return the pin that ``analogRead(number)`` measures; or ``""``."""
        if number < self._analog_from and f"A{number}" in self.pins:
            return f"A{number}"
        pin = self.at(number)
        return pin if pin.startswith("A") else ""

    def of_interrupt(self, number: int) -> str:
        """Return the pin of ``attachInterrupt(number, ...)``; or ``""``."""
        pins = self._variant.interrupts
        return self.at(pins[number]) if 0 <= number < len(pins) else ""

    def number(self, pin: str) -> int:
        """Return the core's number of a pin."""
        return self.pins.index(pin)

    def has_pwm(self, pin: str) -> bool:
        """Say whether ``analogWrite`` is PWM there."""
        return self.number(pin) in self._variant.pwm

    def has_interrupt(self, pin: str) -> bool:
        """Say whether ``attachInterrupt`` works there."""
        return self.number(pin) in self._variant.interrupts

    def has_adc(self, pin: str) -> bool:
        """Say whether ``analogRead`` works there."""
        return pin.startswith("A")

    @cached_property
    def i2c(self) -> tuple[str, ...]:
        """SDA and SCL."""
        return (self.by_name["SDA"], self.by_name["SCL"])

    def spelled(self, pin: str, like: str) -> str:
        """Return how a source says a pin that says another one ``like`` this."""
        del like
        return pin


@dataclass(frozen=True)
class DeskPins(BoardPins):
    """The pins of a board that no circuit runs on here."""

    kind: DeskBoard

    @cached_property
    def pins(self) -> tuple[str, ...]:
        """All pins, in order."""
        return tuple(self.kind.numbers)

    @cached_property
    def by_name(self) -> Mapping[str, str]:
        """Pins by the names that a source can say."""
        return self.kind.names

    @cached_property
    def _by_number(self) -> Mapping[int, str]:
        return {number: pin for pin, number in self.kind.numbers.items() if number >= 0}

    def at(self, number: int) -> str:
        """Return the pin that a source knows by a number; ``""`` if there is none."""
        return self._by_number.get(number, "")

    def of_channel(self, number: int) -> str:
        """Return the pin that is measured by its number; or ``""``."""
        return self.at(number)

    def of_interrupt(self, number: int) -> str:
        """Return the pin that an interrupt is at: it has its number."""
        return self.at(number)

    def number(self, pin: str) -> int:
        """Return a pin's number; of one without, one that no source says."""
        number = self.kind.numbers[pin]
        return number if number >= 0 else _NO_NUMBER + self.pins.index(pin)

    def has_pwm(self, pin: str) -> bool:
        """Say that it may: the corrected firmware shows it."""
        return pin in self.pins

    def has_interrupt(self, pin: str) -> bool:
        """Say that it may: the corrected firmware shows it."""
        return pin in self.pins

    def has_adc(self, pin: str) -> bool:
        """Say whether it can be measured."""
        return pin in self.kind.adc

    @cached_property
    def i2c(self) -> tuple[str, ...]:
        """SDA and SCL."""
        return self.kind.i2c

    def spelled(self, pin: str, like: str) -> str:
        """Return how a source says a pin that says another one ``like`` this."""
        if like[:1].isdigit() and self.kind.numbers[pin] >= 0:
            return str(self.kind.numbers[pin])
        for before, names in self.kind.spellings.items():
            if like.startswith(before) and like in self.by_name and pin in names:
                return names[pin]
        return pin


def pins_of(spec: BoardSpec, diagram: Diagram) -> BoardPins:
    """Return the pins of a board, by its name or by what a diagram has for it.

    Raises:
        ConfigError: the diagram has a board for another chip.
    """
    for part in diagram.parts:
        kind = _DRAWN.get(part.type)
        if kind is not None and spec.mcu not in kind.mcus:
            raise ConfigError(
                f"{diagram.file}: {part.id} is a {part.type}, and {spec.name} has the "
                f"chip {spec.mcu}: draw the board that is there"
            )
        if kind is not None:
            return DeskPins(spec, kind)
    return BoardPins(spec)


def drawn_catalogue() -> PartCatalogue:
    """Return the types of parts that a diagram may have, desk boards among them."""
    installed = installed_catalogue()
    more = {part.name: part for kind in DESK_BOARDS for part in kind.parts}
    elsewhere = installed.boards_elsewhere - more.keys()
    return PartCatalogue(types={**installed.types, **more}, boards_elsewhere=elsewhere)


def printed(name: str) -> str:
    """Return what a board prints beside a pin of its datasheet: ``9`` for ``D9``."""
    return name[1:] if name.startswith("D") and name[1:].isdigit() else name
