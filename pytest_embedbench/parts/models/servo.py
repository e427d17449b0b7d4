"""Hobby servo SG90 with the pulses that Wokwi and Arduino's library give it.

0 degrees are 544 us, 180 degrees 2400 us (Servo.h: ``MIN_PULSE_WIDTH`` and
``MAX_PULSE_WIDTH``); docs.wokwi.com/parts/wokwi-servo has the same. The horn is where
it is wanted at once, and stays there when pulses end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.pins import Level

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.wiring.part_model import Reading, Wires

_SHORTEST_US, _LONGEST_US = 544, 2400
_TRAVEL_DEG = 180
_NO_PULSE_US = 3000
"""What is high for longer is no pulse for a servo, and does not move it."""


class Servo:
    """A servo; at 0 degrees before the first pulse."""

    def __init__(self, wires: Wires, _: Mapping[str, str]) -> None:
        self._ticks_per_us = wires.ticks_per_us
        self._rose_at_ticks: int | None = None
        self._pulse_us = 0.0
        wires.on_level("PWM", self._on_level)
        wires.on_pwm("PWM", self._on_pwm)

    def observe(self, _at_ticks: int, name: str) -> Reading:
        """Return the angle, or the width of the last pulse."""
        if name == "pulse_us":
            return self._pulse_us
        width_us = min(max(self._pulse_us, _SHORTEST_US), _LONGEST_US)
        return _TRAVEL_DEG * (width_us - _SHORTEST_US) / (_LONGEST_US - _SHORTEST_US)

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
