"""Clock DS1307 on I2C.

By Maxim's datasheet "DS1307, 64 x 8, Serial, I2C Real-Time Clock", tables 2 and 3. A
START copies the time to what is then read; a write counts at its acknowledge, and to
the seconds it begins a new second. After 3Fh comes 00h. The clock is exact and counts
simulated time.

``initTime`` is Wokwi's (docs.wokwi.com/parts/wokwi-ds1307), but for ``now``: so that
equal runs are equal, it is 2020-01-01 00:00:00, a Wednesday. The clock runs and is in
24-hour mode then; Sunday is 1; the RAM holds zeros.

SQW pulls down or lets go, with a weak pull-up here. Its square wave is high in the
second half of a period, so that 1 Hz falls as a second begins, of which the datasheet
says nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.parts.attribute_values import start
from pytest_embedbench.parts.models.bcd_calendar import Calendar, from_bcd, to_bcd
from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.drives import Strength, drive

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.wiring.part_model import Reading, Wires

_ADDRESS = 0x68
_US_PER_S = 1_000_000
_FIELDS = Calendar._fields
_MASKS = {"second": 0x7F, "minute": 0x7F, "weekday": 0x07, "day": 0x3F, "month": 0x1F}
_HOUR, _CONTROL, _SIZE = 2, 7, 64
_HALTED, _IS_12_HOURS, _IS_AFTERNOON = 0x80, 0x40, 0x20
_HOUR_MASK, _HOUR_12_MASK, _HALF_DAY = 0x3F, 0x1F, 12
_OUT, _SQUARE_WAVE, _RATE_MASK, _CONTROL_MASK = 0x80, 0x10, 0x03, 0x93
_RATES_HZ = (1, 4096, 8192, 32_768)
_AFTER_POWER_ON = 0x03
_LOW = drive(Strength.OUTPUT, Level.LOW)
_PULL_UP = drive(Strength.PULL, Level.HIGH)


class Ds1307:
    """A clock."""

    def __init__(self, wires: Wires, attrs: Mapping[str, str]) -> None:
        self._wires = wires
        self._second_ticks = _US_PER_S * wires.ticks_per_us
        self._calendar = _first(attrs["initTime"])
        self._since_ticks = 0  # when the calendar's second began
        self._is_halted = self._is_12_hours = False
        self._ram = bytearray(_SIZE)
        self._ram[_CONTROL] = _AFTER_POWER_ON
        self._copy = self._registers()
        self._pointer = 0
        self._expects_pointer = False
        self._waves = 0  # how many square waves there have been
        wires.on_i2c("SDA", "SCL", _ADDRESS, self)
        self._set_output(0)

    def observe(self, at_ticks: int, _: str) -> Reading:
        """Return the date and time of day, in ISO 8601."""
        return self._now(at_ticks).as_text()

    # -------------------------------------------------------------------- I2C

    def begin(self, at_ticks: int, *, reads: bool) -> bool:
        """Copy the time."""
        self._count(at_ticks)
        self._copy = self._registers()
        self._expects_pointer = not reads
        return True

    def write(self, at_ticks: int, byte: int) -> bool:
        """Take the pointer, or what is written there."""
        if self._expects_pointer:
            self._expects_pointer = False
            self._pointer = byte % _SIZE
            return True
        if self._pointer < len(_FIELDS):
            self._count(at_ticks)
            self._set_time(at_ticks, _FIELDS[self._pointer], byte)
        elif self._pointer == _CONTROL:
            self._ram[_CONTROL] = byte & _CONTROL_MASK
            self._set_output(at_ticks)
        else:
            self._ram[self._pointer] = byte
        self._advance()
        return True

    def read(self, _at_ticks: int) -> int:
        """Return what is at the pointer."""
        is_time = self._pointer < len(_FIELDS)
        byte = (self._copy if is_time else self._ram)[self._pointer]
        self._advance()
        return byte

    def end(self, _at_ticks: int) -> None:
        """Keep the pointer where it is."""

    def _advance(self) -> None:
        self._pointer = (self._pointer + 1) % _SIZE

    # ------------------------------------------------------------------- time

    def _now(self, at_ticks: int) -> Calendar:
        return self._calendar.after(self._seconds(at_ticks))

    def _seconds(self, at_ticks: int) -> int:
        passed_ticks = 0 if self._is_halted else at_ticks - self._since_ticks
        return passed_ticks // self._second_ticks

    def _count(self, at_ticks: int) -> None:
        seconds = self._seconds(at_ticks)
        self._calendar = self._calendar.after(seconds)
        self._since_ticks += seconds * self._second_ticks

    def _set_time(self, at_ticks: int, field: str, byte: int) -> None:
        if field == "hour":
            self._set_hour(byte)
            return
        value = from_bcd(byte & _MASKS.get(field, 0xFF))
        self._calendar = self._calendar._replace(**{field: value})
        if field == "second":
            self._since_ticks = at_ticks
            self._is_halted = bool(byte & _HALTED)
            self._set_output(at_ticks)

    def _set_hour(self, byte: int) -> None:
        self._is_12_hours = bool(byte & _IS_12_HOURS)
        hour = from_bcd(byte & _HOUR_MASK)
        if self._is_12_hours:
            hour = from_bcd(byte & _HOUR_12_MASK) % _HALF_DAY
            hour += _HALF_DAY if byte & _IS_AFTERNOON else 0
        self._calendar = self._calendar._replace(hour=hour)

    def _registers(self) -> bytes:
        registers = [to_bcd(value) & 0xFF for value in self._calendar]
        registers[0] |= _HALTED if self._is_halted else 0
        if self._is_12_hours:
            afternoon, hour = divmod(self._calendar.hour, _HALF_DAY)
            registers[_HOUR] = to_bcd(hour or _HALF_DAY) | _IS_12_HOURS
            registers[_HOUR] |= _IS_AFTERNOON if afternoon else 0
        return bytes(registers)

    # -------------------------------------------------------------------- SQW

    def _set_output(self, at_ticks: int) -> None:
        self._waves += 1
        control = self._ram[_CONTROL]
        if control & _SQUARE_WAVE and not self._is_halted:
            self._begin_wave(at_ticks, _RATES_HZ[control & _RATE_MASK])
        elif not control & _SQUARE_WAVE:
            self._wires.drive("SQW", _PULL_UP if control & _OUT else _LOW)

    def _begin_wave(self, at_ticks: int, rate_hz: int) -> None:
        """Change the output at each half of a period, from the last second on."""
        origin_ticks, wave = self._since_ticks, self._waves
        halves_hz = 2 * rate_hz

        def edge(now_ticks: int) -> None:
            if wave != self._waves:
                return
            half = (now_ticks - origin_ticks) * halves_hz // self._second_ticks
            self._wires.drive("SQW", _PULL_UP if half % 2 else _LOW)
            due_ticks = -(-(half + 1) * self._second_ticks // halves_hz)
            self._wires.at(origin_ticks + due_ticks, edge)

        edge(at_ticks)


def _first(given: str) -> Calendar:
    try:
        moment = start(given)
    except ValueError as error:
        raise ConfigError(f"initTime is {given!r}, {error}") from None
    return Calendar(
        *(moment.second, moment.minute, moment.hour, moment.isoweekday() % 7 + 1),
        *(moment.day, moment.month, moment.year % 100),
    )
