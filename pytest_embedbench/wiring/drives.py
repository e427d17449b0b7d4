"""What holds a net: strengths, levels, and what comes of two that meet.

A drive is a number, so that a simulation that meets millions of them finds what two
come to in a table.
"""

from __future__ import annotations

import enum

from pytest_embedbench.pins import Level

_LOW, _HIGH, _FIGHTS, _LEVEL_BITS, _FLAG_BITS = 1, 2, 4, 3, 3
_LEVELS = (Level.FLOATING, Level.LOW, Level.HIGH, Level.FLOATING)


class Strength(enum.IntEnum):
    """How firmly a net is held."""

    NOTHING = 0
    PULL = 1
    """The pull-up of a microcontroller's pin."""
    RESISTOR = 2
    """Whatever is stronger, through a resistor."""
    OUTPUT = 3
    SUPPLY = 4


class Drive(int):
    """How firmly a net is held, and at which levels: at both in a conflict."""

    __slots__ = ()

    @property
    def strength(self) -> Strength:
        """How firmly."""
        return Strength(self >> _FLAG_BITS)

    @property
    def is_low(self) -> bool:
        """Whether something holds it low."""
        return bool(self & _LOW)

    @property
    def is_high(self) -> bool:
        """Whether something holds it high."""
        return bool(self & _HIGH)

    @property
    def is_contention(self) -> bool:
        """Whether outputs or supplies work against each other.

        So does an output against a supply, which wins.
        """
        return bool(self & _FIGHTS)

    @property
    def is_short(self) -> bool:
        """Whether two supplies work against each other."""
        both = self & _LEVEL_BITS == _LOW | _HIGH
        return both and self.strength is Strength.SUPPLY

    @property
    def level(self) -> Level:
        """What a digital input reads; in a conflict nobody can tell."""
        return _LEVELS[self & _LEVEL_BITS]

    def __repr__(self) -> str:
        words = ["Drive", self.strength.name]
        words += ["low"] * self.is_low + ["high"] * self.is_high
        words += ["in contention"] * self.is_contention
        return f"<{' '.join(words)}>"


def drive(strength: Strength, level: Level) -> Drive:
    """Return what holds a net at a level; nothing does at ``FLOATING``."""
    if level is Level.FLOATING or strength is Strength.NOTHING:
        return RELEASED
    return Drive(strength << _FLAG_BITS | (_HIGH if level is Level.HIGH else _LOW))


def stronger(one: Drive, other: Drive) -> Drive:
    """Return what two drives come to; equal strengths add their levels.

    So does a pull-up to a resistor.
    """
    return _TOGETHER[one][other]


def through_resistor(one: Drive) -> Drive:
    """Return what is left of a drive behind a resistor."""
    return _WEAKENED[one]


def _together(one: int, other: int) -> int:
    weaker, firmer = sorted((one, other))  # strength is in the highest bits
    fights = (one | other) & _FIGHTS
    if weaker >> _FLAG_BITS >= Strength.OUTPUT:
        levels = (one | other) & _LEVEL_BITS
        fights |= _FIGHTS if levels == _LOW | _HIGH else 0
    if weaker >> _FLAG_BITS == firmer >> _FLAG_BITS or _both_pull(weaker, firmer):
        firmer |= weaker & _LEVEL_BITS
    return firmer | fights


def _both_pull(weaker: int, firmer: int) -> bool:
    """Say whether a pull-up meets a resistor: what wins depends on their values."""
    pair = weaker >> _FLAG_BITS, firmer >> _FLAG_BITS
    return pair == (Strength.PULL, Strength.RESISTOR)


def _weakened(one: int) -> int:
    strength = min(one >> _FLAG_BITS, int(Strength.RESISTOR))
    return strength << _FLAG_BITS | (one & _LEVEL_BITS)


RELEASED = Drive(0)
"""What an input does to its net."""
TIED = Drive(Strength.RESISTOR << _FLAG_BITS | _LOW | _HIGH)
"""What resistors do that pull to both sides: their values decide."""
_EVERY = [Drive(code) for code in range((max(Strength) + 1) << _FLAG_BITS)]
_TOGETHER = tuple(
    tuple(_EVERY[_together(one, other)] for other in _EVERY) for one in _EVERY
)
LEVEL_OF = tuple(each.level for each in _EVERY)
"""``Drive.level`` by drive, for who asks a million times."""
_WEAKENED = tuple(_EVERY[_weakened(one)] for one in _EVERY)
