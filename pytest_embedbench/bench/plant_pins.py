"""A plant that senses and acts through a circuit: its lines become parts, and back.

To the plant nothing changes: ``SENSE TEMP 47`` sets the temperature of a thermistor,
and when a transistor conducts half of the time, the plant is given ``ACT HEATER 50``.
So faults, traces, plots, invariants and metrics are what they are over a UART.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isfinite
from typing import cast

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.support.validation import line_text
from pytest_embedbench.wire.streams import is_in_stream


@dataclass(frozen=True, slots=True, kw_only=True)
class SensedBy:
    """Whose control a line of the plant's sets: ``number * scale + offset``.

    Args:
        line: The words that the line begins with; behind them is one number.
        part: The part of the circuit that senses it.
        control: Which of its controls.
        scale: Units of the control in one of the line.
        offset: The control at 0.

    Raises:
        ConfigError: the line has no words, or a factor is no number.
    """

    line: str
    part: str
    control: str
    scale: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        _check("SensedBy", self.line, self.scale, self.offset)


@dataclass(frozen=True, slots=True, kw_only=True)
class ActsBy:
    """What is seen of a part makes a line for the plant: ``seen * scale + offset``.

    Rounded to a whole number, and said when that has become another one. A light,
    angle or share is what it is at the end of a step of time.

    Args:
        line: The words that the line begins with.
        part: The part of the circuit that acts.
        observable: What is seen of it: a number, or yes and no for 1 and 0.
        scale: Units of the line in one of what is seen.
        offset: The line's number where that is 0.

    Raises:
        ConfigError: the line has no words, or a factor is no number.
    """

    line: str
    part: str
    observable: str
    scale: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        _check("ActsBy", self.line, self.scale, self.offset)


@dataclass(frozen=True, slots=True)
class PlantPins:
    """All that a plant senses and does through a circuit.

    Raises:
        ConfigError: a line or a control is in it twice, or it is made of anything else.
    """

    senses: tuple[SensedBy, ...] = ()
    acts: tuple[ActsBy, ...] = ()

    def __post_init__(self) -> None:
        _check_all("senses", self.senses, SensedBy)
        _check_all("acts", self.acts, ActsBy)
        for one, other in combinations(self.senses, 2):
            if is_in_stream(one.line, other.line) or is_in_stream(other.line, one.line):
                raise ConfigError(
                    f"pins: {one.line!r} is sensed by {one.part}, and {other.line!r} "
                    f"by {other.part}: what begins with both can go to one only"
                )
            if (one.part, one.control) == (other.part, other.control):
                raise ConfigError(
                    f"pins: {one.line!r} and {other.line!r} would both set "
                    f"{one.control} of {one.part}: leave one away"
                )
        for act, another in combinations(self.acts, 2):
            if act.line == another.line:
                raise ConfigError(
                    f"pins: {act.line!r} is said of {act.part} and of {another.part}: "
                    "give each a line of its own"
                )

    def sensing(self, line: str) -> SensedBy | None:
        """Return what senses a line of the plant's; ``None`` is the UART."""
        found = (each for each in self.senses if is_in_stream(line, each.line))
        return next(found, None)


def check_said(pins: PlantPins, lines: Sequence[str]) -> None:
    """Refuse pins for a line that is not among those that a plant says.

    Raises:
        ConfigError: naming the line, and what the plant says.
    """
    for sensed in pins.senses:
        if not any(is_in_stream(line, sensed.line) for line in lines):
            raise ConfigError(
                f"pins: no sensor line begins with {sensed.line!r}, which "
                f"{sensed.part} is to sense; the plant says: {', '.join(lines)}"
            )


def _check(kind: str, line: str, *factors: float) -> None:
    if not line_text(f"{kind}(line=...)", line).strip():
        raise ConfigError(f"{kind}(line={line!r}): give the words of a line")
    for factor in cast("tuple[object, ...]", factors):
        if type(factor) not in {int, float} or not isfinite(cast("float", factor)):
            raise ConfigError(
                f"{kind}(line={line!r}): scale and offset are numbers, not {factor!r}"
            )


def _check_all(name: str, given: object, kind: type) -> None:
    all_are = isinstance(given, Sequence) and all(
        isinstance(each, kind) for each in cast("Sequence[object]", given)
    )
    if not all_are:
        raise ConfigError(
            f"pins: {name} = {given!r}: give a tuple, ({kind.__name__}(...),)"
        )
