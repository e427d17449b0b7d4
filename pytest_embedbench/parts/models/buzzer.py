"""A buzzer without electronics: its pitch is how often its voltage comes and goes.

A pitch is the average of the last periods, eight at most, that are alike; so it follows
a tune at once, and does not tremble with the interrupts of whoever plays it.
"""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from typing import TYPE_CHECKING

from pytest_embedbench.pins import Level

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.wiring.part_model import Reading, Wires

_PERIODS = 8
_ALIKE = 0.05
_LONGEST_PERIOD_US = 50_000
"""Below 20 Hz it is ticking, no tone."""
_SILENT_AFTER_PERIODS = 1.5
_US_PER_S = 1_000_000


class Buzzer:
    """A buzzer, whichever way round it is wired."""

    def __init__(self, wires: Wires, _: Mapping[str, str]) -> None:
        self._ticks_per_us = wires.ticks_per_us
        self._high = {"1": False, "2": False}
        self._pwm_ticks = {"1": 0, "2": 0}
        self._was_rising = False
        self._rises: deque[int] = deque(maxlen=_PERIODS + 1)
        for pin in self._high:
            self._listen(wires, pin)

    def observe(self, at_ticks: int, _: str) -> Reading:
        """Return the pitch in Hz, 0 while it is silent."""
        period_ticks = max(self._pwm_ticks.values()) or self._period_ticks(at_ticks)
        if not 0 < period_ticks <= _LONGEST_PERIOD_US * self._ticks_per_us:
            return 0.0
        return _US_PER_S * self._ticks_per_us / period_ticks

    def _listen(self, wires: Wires, pin: str) -> None:
        def on_level(at_ticks: int, level: Level) -> None:
            self._pwm_ticks[pin] = 0
            is_high = level is Level.HIGH
            if is_high == self._high[pin]:
                return
            self._high[pin] = is_high
            # The voltage from 2 to 1: it rises where 2 does, and where 1 falls.
            is_rising = is_high == (pin == "2")
            if is_rising and not self._was_rising:
                self._rises.append(at_ticks)
            self._was_rising = is_rising

        def on_pwm(_at_ticks: int, period_ticks: int, high_ticks: int) -> None:
            is_square = 0 < high_ticks < period_ticks
            self._pwm_ticks[pin] = period_ticks if is_square else 0
            self._rises.clear()

        wires.on_level(pin, on_level)
        wires.on_pwm(pin, on_pwm)

    def _period_ticks(self, at_ticks: int) -> float:
        """Return the period of the edges of late, 0 if they are over or too few."""
        periods = [later - sooner for sooner, later in pairwise(self._rises)]
        if not periods:
            return 0
        last = periods[-1]
        if at_ticks - self._rises[-1] > _SILENT_AFTER_PERIODS * last:
            return 0
        alike: list[int] = []
        for period in reversed(periods):
            if abs(period - last) > _ALIKE * last:
                break
            alike.append(period)
        return sum(alike) / len(alike)
