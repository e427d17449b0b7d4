"""A plant that senses and acts through a circuit: its lines become parts, and back.

To the plant nothing changes: ``SENSE TEMP 47`` sets the temperature of a thermistor,
and when a transistor conducts half of the time, the plant is given ``ACT HEATER 50``.
So faults, traces, plots, invariants and metrics are what they are over a UART.
"""

from __future__ import annotations

from dataclasses import dataclass

from pytest_embedbench.support.validation import line_text


@dataclass(frozen=True, slots=True, kw_only=True)
class SensedBy:
    """Whose control a line of the plant's sets: ``number * scale + offset``.

    Args:
        line: The words that the line begins with; behind them is one number.
        part: The part of the circuit that senses it.
        control: Which of its controls.
        scale: Units of the control in one of the line.
        offset: The control at 0.
    """

    line: str
    part: str
    control: str
    scale: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        line_text("SensedBy(line=...)", self.line)


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
    """

    line: str
    part: str
    observable: str
    scale: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        line_text("ActsBy(line=...)", self.line)


@dataclass(frozen=True, slots=True)
class PlantPins:
    """All that a plant senses and does through a circuit."""

    senses: tuple[SensedBy, ...] = ()
    acts: tuple[ActsBy, ...] = ()
