"""Hobby servos, by the width of their pulses: SG90 and HITEC HS-311.

SG90: 0 degrees are 544 us, 180 degrees 2400 us, as in Arduino's library (Servo.h:
``MIN_PULSE_WIDTH`` and ``MAX_PULSE_WIDTH``). TowerPro's sheet has 1 to 2 ms for the
same, and users found servos that do not keep to it. Wokwi's page
(docs.wokwi.com/parts/wokwi-servo) has hard stops at 0 and 180 degrees, and no pulses.

HS-311: 1500 us are neutral, and 400 us to one side 40 degrees, clockwise as pulses get
longer (HITEC, "Announced specification of HS-311"): 10 us per degree. DFRobot (SER0001)
has 600 to 2400 us for its 180 degrees.

The horn is where it is wanted at once, and stays there when pulses end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.pins import Level

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.wiring.part_model import Reading, Wires

_SG90_US = (544, 2400)
_HS311_US = (600, 2400)
_TRAVEL_DEG = 180
_NO_PULSE_US = 3000
"""What is high for longer is no pulse for a servo, and does not move it."""


def sg90(wires: Wires, _: Mapping[str, str]) -> Servo:
    """Make an SG90."""
    return Servo(wires, *_SG90_US)


def hs311(wires: Wires, _: Mapping[str, str]) -> Servo:
    """Make an HS-311."""
    return Servo(wires, *_HS311_US)


class Servo:
    """A servo; at 0 degrees before the first pulse."""

    def __init__(self, wires: Wires, shortest_us: int, longest_us: int) -> None:
        self._shortest_us, self._longest_us = shortest_us, longest_us
        self._ticks_per_us = wires.ticks_per_us
        self._rose_at_ticks: int | None = None
        self._pulse_us = 0.0
        wires.on_level("PWM", self._on_level)
        wires.on_pwm("PWM", self._on_pwm)

    def observe(self, _at_ticks: int, name: str) -> Reading:
        """Return the angle, or the width of the last pulse."""
        if name == "pulse_us":
            return self._pulse_us
        width_us = min(max(self._pulse_us, self._shortest_us), self._longest_us)
        span_us = self._longest_us - self._shortest_us
        return _TRAVEL_DEG * (width_us - self._shortest_us) / span_us

    def _on_level(self, at_ticks: int, level: Level) -> None:
        if level is Level.HIGH:
            self._rose_at_ticks = at_ticks
        elif self._rose_at_ticks is not None:
            self._take(at_ticks - self._rose_at_ticks)
            self._rose_at_ticks = None

    def _on_pwm(self, _at_ticks: int, period_ticks: int, high_ticks: int) -> None:
        self._rose_at_ticks = None
        if 0 < high_ticks < period_ticks:
            self._take(high_ticks)

    def _take(self, width_ticks: int) -> None:
        width_us = width_ticks / self._ticks_per_us
        if width_us <= _NO_PULSE_US:
            self._pulse_us = width_us
