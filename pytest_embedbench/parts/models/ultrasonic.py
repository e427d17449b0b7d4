"""Ultrasonic ranger HC-SR04, by ElecFreaks' datasheet of the module.

It says: TRIG is high for 10 us at least; the module sends 8 periods of 40 kHz and
raises ECHO; range is high time times 340 m/s, halved, or us / 58 in cm, which is 1.4 %
less time. The former is what is done here: 58.82 us per cm.

It does not say how long after the trigger ECHO rises. Here it is once the 8 periods
are over, 200 us after TRIG falls; users have measured from 0.46 ms to 2.3 ms. Nor does
it say what a trigger does before the echo is over: here, nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.drives import Strength, drive

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.wiring.part_model import Wires

_TRIGGER_US = 10
_BURST_US = 8 * 25
_SOUND_CM_PER_S = 34_000
_US_PER_S = 1_000_000
_LOW = drive(Strength.OUTPUT, Level.LOW)
_HIGH = drive(Strength.OUTPUT, Level.HIGH)


class UltrasonicRanger:
    """A ranger; how far it is counts as the sound is sent."""

    def __init__(self, wires: Wires, attrs: Mapping[str, str]) -> None:
        self._wires = wires
        self._distance_cm = float(attrs["distance"])
        self._rose_at_ticks: int | None = None
        self._is_busy = False
        wires.drive("ECHO", _LOW)
        wires.on_level("TRIG", self._on_trigger)

    def control(self, _at_ticks: int, _: str, value: float) -> None:
        """Put something at a distance in cm."""
        self._distance_cm = value

    def _on_trigger(self, at_ticks: int, level: Level) -> None:
        rose_at_ticks, self._rose_at_ticks = self._rose_at_ticks, None
        if level is Level.HIGH:
            self._rose_at_ticks = at_ticks
        elif rose_at_ticks is not None and not self._is_busy:
            self._take(at_ticks, at_ticks - rose_at_ticks)

    def _take(self, at_ticks: int, width_ticks: int) -> None:
        if width_ticks >= _TRIGGER_US * self._wires.ticks_per_us:
            self._send(at_ticks)

    def _send(self, at_ticks: int) -> None:
        self._is_busy = True
        ticks_per_us = self._wires.ticks_per_us
        flight_us = 2 * self._distance_cm / _SOUND_CM_PER_S * _US_PER_S
        begin_ticks = at_ticks + _BURST_US * ticks_per_us
        self._wires.at(begin_ticks, self._raise)
        self._wires.at(begin_ticks + round(flight_us * ticks_per_us), self._end)

    def _raise(self, _at_ticks: int) -> None:
        self._wires.drive("ECHO", _HIGH)

    def _end(self, _at_ticks: int) -> None:
        self._is_busy = False
        self._wires.drive("ECHO", _LOW)
