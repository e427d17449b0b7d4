"""Load cell with HX711, by Avia Semiconductor's datasheet "HX711".

DT is high until a reading is there, and falls then. Each rise of SCK shifts out a bit,
the highest of 24 first, in two's complement; the 25th lets DT rise. How many pulses
there were says what comes next: 25 channel A with gain 128, 26 channel B with 32, 27
channel A with 64. SCK high for more than 60 us turns the chip off, and low on again,
with gain 128. Modules have RATE at ground, so there are 10 readings a second; with the
attribute ``rate`` ``"80"``, which only we know, 80. The first after power on, after
sleep and after a change of gain takes as long as four: 400 ms, or 50.

Wokwi's page (docs.wokwi.com/parts/wokwi-hx711) has 0 to 2100 for 5 kg and 0 to 21000
for 50 kg, thus 420 per kg for every cell, whatever the gain; so it is here. A reading
has the load of the moment at which its first bit is fetched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.drives import Strength, drive

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.wiring.part_model import Reading, Wires

_RAW_PER_KG = 420
_BITS = 24
_PERIODS_US = {"10": 100_000, "80": 12_500}
_SETTLING_PERIODS = 4
_OFF_AFTER_US = 60
_GAINS = {25: 128, 26: 32, 27: 64}
_FIRST_GAIN = 128
_LOW = drive(Strength.OUTPUT, Level.LOW)
_HIGH = drive(Strength.OUTPUT, Level.HIGH)


class LoadCell:
    """A cell and its amplifier."""

    def __init__(self, wires: Wires, attrs: Mapping[str, str]) -> None:
        self._wires = wires
        self._load_kg = float(attrs["weight"])
        self._period_ticks = self._ticks(_PERIODS_US[attrs["rate"]])
        wires.on_level("SCK", self._on_clock)
        self.power_on(0)

    def power_on(self, at_ticks: int) -> None:
        """Measure with its first gain; the first reading takes longer."""
        self._gain = _FIRST_GAIN
        self._first_ready_ticks = 0
        self._is_off = self._is_ready = False
        self._pulses = self._word = 0
        self._rose_at_ticks: int | None = None
        self._begin(at_ticks, _FIRST_GAIN)

    def control(self, _at_ticks: int, _: str, value: float) -> None:
        """Put a load on it, in kg."""
        self._load_kg = value

    def observe(self, _at_ticks: int, name: str) -> Reading:
        """Return whether it is on, or the gain that was asked for last."""
        return not self._is_off if name == "is_on" else self._next_gain

    def _begin(self, at_ticks: int, gain: int) -> None:
        """Measure anew; the first reading takes longer."""
        self._next_gain = gain
        self._await(at_ticks + _SETTLING_PERIODS * self._period_ticks)

    def _await(self, ready_at_ticks: int) -> None:
        self._ready_at_ticks = ready_at_ticks
        self._wires.drive("DT", _HIGH)
        self._wires.at(ready_at_ticks, self._on_ready)

    def _on_ready(self, at_ticks: int) -> None:
        if at_ticks != self._ready_at_ticks or self._is_off or self._is_ready:
            return
        if self._next_gain != self._gain or not self._first_ready_ticks:
            self._first_ready_ticks = at_ticks
        self._gain = self._next_gain
        self._pulses = 0
        self._is_ready = True
        self._wires.drive("DT", _LOW)

    def _on_clock(self, at_ticks: int, level: Level) -> None:
        rose_at_ticks, self._rose_at_ticks = self._rose_at_ticks, None
        off_ticks = self._ticks(_OFF_AFTER_US)
        if level is Level.HIGH:
            self._rose_at_ticks = at_ticks
            self._wires.at(at_ticks + off_ticks + 1, self._turn_off)
            if self._is_ready or self._pulses > _BITS:
                self._shift()
        elif rose_at_ticks is None:
            return
        elif at_ticks - rose_at_ticks > off_ticks:
            self._is_off = self._is_ready = False
            self._pulses = self._first_ready_ticks = 0
            self._begin(at_ticks, _FIRST_GAIN)
        elif self._pulses in _GAINS:
            self._choose(at_ticks, _GAINS[self._pulses])

    def _turn_off(self, at_ticks: int) -> None:
        if self._rose_at_ticks == at_ticks - self._ticks(_OFF_AFTER_US) - 1:
            self._is_off, self._is_ready = True, False
            self._wires.drive("DT", _HIGH)

    def _shift(self) -> None:
        self._pulses += 1
        if self._pulses == 1:
            self._word = round(_RAW_PER_KG * self._load_kg)
        is_high = self._pulses > _BITS or self._word >> (_BITS - self._pulses) & 1
        self._wires.drive("DT", _HIGH if is_high else _LOW)

    def _choose(self, at_ticks: int, gain: int) -> None:
        """Say by which gain to measure next, which a pulse more may still change."""
        self._is_ready = False
        if gain != self._gain:
            self._begin(at_ticks, gain)
            return
        self._next_gain = gain
        passed = (at_ticks - self._first_ready_ticks) // self._period_ticks
        self._await(self._first_ready_ticks + (passed + 1) * self._period_ticks)

    def _ticks(self, duration_us: int) -> int:
        return duration_us * self._wires.ticks_per_us
