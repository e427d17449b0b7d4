"""Stepper motors: bipolar with 200 steps, and 28BYJ-48 with its gears.

Bipolar, by docs.wokwi.com/parts/wokwi-stepper-motor: 1.8 degrees per step, 400 half
steps per turn. A coil has current while one end is high and the other low. Clockwise is
B+, A+, B-, A-, which is what an A4988 does with DIR high if it is wired as its page
says; at power on the rotor is where that driver begins, between B+ and A+.

28BYJ-48, by Kiatronics' datasheet: 5.625 degrees per half step of the rotor; clockwise,
seen from the shaft, is orange, yellow, pink, blue, each low while red is high. At power
on the rotor is at blue. The datasheet's gears of 1:64 are rounded: who opened motors
counted teeth of 32/9 * 22/11 * 26/9 * 31/10 (forum.arduino.cc/t/geared-stepper-motor/
71308), thus 63.68395:1 and 4075.77 half steps per turn of the shaft.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.parts.models.averaging import LineShare
from pytest_embedbench.parts.models.rotor import Rotor

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.wiring.part_model import Reading, Wires

_BIPOLAR_DEG = Fraction(9, 10)
_BIPOLAR_FIRST = 1
_GEARED_DEG = Fraction(45, 8)
_GEARS = Fraction(32 * 22 * 26 * 31, 9 * 11 * 9 * 10)
_BLUE = 6


class Stepper:
    """A motor whose shaft turns by ``half_step_deg`` with each half step."""

    def __init__(self, rotor: Rotor, half_step_deg: Fraction) -> None:
        self._rotor = rotor
        self._half_step_deg = half_step_deg

    def observe(self, at_ticks: int, name: str) -> Reading:
        """Return steps of the rotor, or degrees of the shaft, over turns too."""
        half_steps = self._rotor.half_steps(at_ticks)
        if name == "steps":
            return half_steps / 2
        return float(half_steps * self._half_step_deg)


def bipolar(wires: Wires, attrs: Mapping[str, str]) -> Stepper:
    """Make a bipolar motor.

    Raises:
        ConfigError: ``gearRatio`` is no ratio.
    """
    ends = [LineShare(wires, pin) for pin in ("B+", "B-", "A+", "A-")]
    b_plus, b_minus, a_plus, a_minus = ends

    def field() -> tuple[float, float]:
        return _current(b_plus, b_minus), _current(a_plus, a_minus)

    rotor = Rotor(wires, ends, field, first_direction=_BIPOLAR_FIRST)
    return Stepper(rotor, _BIPOLAR_DEG / _ratio(attrs["gearRatio"]))


def geared(wires: Wires, _: Mapping[str, str]) -> Stepper:
    """Make a 28BYJ-48."""
    red = LineShare(wires, "RED")
    coils = [LineShare(wires, pin) for pin in ("ORANGE", "YELLOW", "PINK", "BLUE")]
    orange, yellow, pink, blue = coils

    def field() -> tuple[float, float]:
        return red.high * (orange.low - pink.low), red.high * (yellow.low - blue.low)

    rotor = Rotor(wires, [red, *coils], field, first_direction=_BLUE)
    return Stepper(rotor, _GEARED_DEG / _GEARS)


def _current(plus: LineShare, minus: LineShare) -> float:
    return plus.high * minus.low - plus.low * minus.high


def _ratio(text: str) -> Fraction:
    try:
        turns, _, of_shaft = text.partition(":")
        ratio = Fraction(turns) / Fraction(of_shaft or "1")
    except (ValueError, ZeroDivisionError):
        ratio = Fraction(0)
    if ratio <= 0:
        raise ConfigError(f"gearRatio cannot be {text!r}: it is a ratio such as 2:1")
    return ratio
