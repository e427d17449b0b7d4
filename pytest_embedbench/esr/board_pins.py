"""Pins of Arduino boards: numbers, names, and what each can.

Sources: variants standard, eightanaloginputs and mega of the Arduino AVR core 1.8
(``pins_arduino.h``), and the pinouts at docs.arduino.cc.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.model import BoardSpec


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
                f"{self.spec.name}: which pins its firmware names is known of {known} "
                "alone: run ESR on one of these"
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

    def is_analog_only(self, pin: str) -> bool:
        """Say whether it has no digital side, as a Nano's A6."""
        named = {printed(name): its.port for name, its in self.spec.pins.items()}
        return named[pin].startswith("ADC")

    @cached_property
    def uart(self) -> tuple[str, ...]:
        """The pins of ``Serial``: what it hears, what it says."""
        return (self.at(0), self.at(1))

    @cached_property
    def i2c(self) -> tuple[str, ...]:
        """SDA and SCL."""
        return (self.by_name["SDA"], self.by_name["SCL"])

    @cached_property
    def spi(self) -> tuple[str, ...]:
        """SCK, MOSI and MISO."""
        return tuple(self.by_name[name] for name in ("SCK", "MOSI", "MISO"))


def printed(name: str) -> str:
    """Return what a board prints beside a pin of its datasheet: ``9`` for ``D9``."""
    return name[1:] if name.startswith("D") and name[1:].isdigit() else name
