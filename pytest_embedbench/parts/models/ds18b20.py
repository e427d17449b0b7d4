"""Thermometer DS18B20, by Maxim's datasheet "DS18B20" (19-7487).

Powered at VCC. It measures when it is told to, for 93.75 ms with 9 bits to 750 ms with
12, which are the longest times of the datasheet: it holds what it felt as it began, in
1/16 of a degree, cut off to its resolution. Until it has measured it says 85 C. Slots
for reading are 0 while it measures, or writes to its EEPROM (10 ms), and 1 after that.

The EEPROM is as chips are sold: alarms at 75 and 70 C, 12 bits; and forgets at power
off what it has learned. Byte 6 of the scratchpad, reserved, is what chips have there at
power on. ``deviceID`` and ``familyCode`` are hexadecimal, in the order in which they
are sent, of which docs.wokwi.com/parts/wokwi-ds18b20 says nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.parts.models.one_wire import (
    OneWireDevice,
    Talk,
    crc8,
    hear_byte,
    say,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.wiring.part_model import Reading, Wires

_CONVERT, _READ_POWER_SUPPLY = 0x44, 0xB4
_WRITE_SCRATCHPAD, _READ_SCRATCHPAD, _COPY, _RECALL = 0x4E, 0xBE, 0x48, 0xB8
_AT_POWER_ON = 85 * 16
_SOLD_WITH = (0x4B, 0x46, 0x7F)
"""Alarm at or above, alarm at or below, configuration."""
_RESERVED = (0xFF, 0x0C, 0x10)
_RESOLUTION_MASK, _CONFIGURATION_ONES = 0x60, 0x1F
_MOST_BITS = 12
_LONGEST_CONVERSION_US = 750_000
_EEPROM_WRITE_US = 10_000
_ID_BYTES = 6


class Thermometer:
    """A thermometer."""

    def __init__(self, wires: Wires, attrs: Mapping[str, str]) -> None:
        rom = _hex("familyCode", attrs, 1) + _hex("deviceID", attrs, _ID_BYTES)
        self._ticks_per_us = wires.ticks_per_us
        self._temperature_c = float(attrs["temperature"])
        self._eeprom = _SOLD_WITH
        self.power_on(0)
        self._line = OneWireDevice(
            wires,
            "DQ",
            rom=rom + bytes([crc8(rom)]),
            talk=self._talk,
            is_alarmed=self._has_alarm,
        )

    def power_on(self, _at_ticks: int) -> None:
        """Have what its EEPROM has, and 85 C until it measures."""
        self._settings = self._eeprom
        self._measured = self._measuring = _AT_POWER_ON
        self._is_alarmed = False
        self._measured_at_ticks: int | None = None
        self._busy_until_ticks = 0

    def control(self, _at_ticks: int, _: str, value: float) -> None:
        """Set how warm it is, in Celsius."""
        self._temperature_c = value

    def observe(self, at_ticks: int, _: str) -> Reading:
        """Return what it has measured last, in Celsius."""
        done = self._measured_at_ticks
        is_new = done is not None and at_ticks >= done
        return (self._measuring if is_new else self._measured) / 16

    def _talk(self) -> Talk:
        command = yield from hear_byte()
        self._settle()
        if command == _CONVERT:
            self._measure()
            yield from self._tell_when_ready()
        elif command == _WRITE_SCRATCHPAD:
            high = yield from hear_byte()
            low = yield from hear_byte()
            configuration = yield from hear_byte()
            resolution = configuration & _RESOLUTION_MASK
            self._settings = (high, low, resolution | _CONFIGURATION_ONES)
        elif command == _READ_SCRATCHPAD:
            measured = (self._measured & 0xFFFF).to_bytes(2, "little")
            scratchpad = bytes((*measured, *self._settings, *_RESERVED))
            yield from say((*scratchpad, crc8(scratchpad)))
        elif command == _COPY:
            self._eeprom = self._settings
            self._work(_EEPROM_WRITE_US)
            yield from self._tell_when_ready()
        elif command == _RECALL:
            self._settings = self._eeprom
            yield from self._tell_when_ready()
        elif command == _READ_POWER_SUPPLY:
            yield 1

    def _tell_when_ready(self) -> Talk:
        while True:
            yield lambda at_ticks: int(at_ticks >= self._busy_until_ticks)

    def _measure(self) -> None:
        bits = 9 + (self._settings[2] >> 5 & 3)
        spare = _MOST_BITS - bits
        self._measuring = round(self._temperature_c * 16) >> spare << spare
        self._work(_LONGEST_CONVERSION_US / (1 << spare))
        self._measured_at_ticks = self._busy_until_ticks

    def _work(self, duration_us: float) -> None:
        duration_ticks = round(duration_us * self._ticks_per_us)
        self._busy_until_ticks = self._line.now_ticks + duration_ticks

    def _has_alarm(self) -> bool:
        self._settle()
        return self._is_alarmed

    def _settle(self) -> None:
        """Take over what a conversion has come to, if one is over."""
        done = self._measured_at_ticks
        if done is None or self._line.now_ticks < done:
            return
        self._measured_at_ticks = None
        self._measured = self._measuring
        degrees = self._measured >> 4
        highest, lowest = map(_signed, self._settings[:2])
        self._is_alarmed = degrees >= highest or degrees <= lowest


def _signed(byte: int) -> int:
    return byte - 256 if byte & 0x80 else byte


def _hex(name: str, attrs: Mapping[str, str], length: int) -> bytes:
    try:
        value = bytes.fromhex(attrs[name])
    except ValueError:
        value = b""
    if len(value) != length:
        wanted = f"it takes {2 * length} hexadecimal digits"
        raise ConfigError(f"{name} cannot be {attrs[name]!r}: {wanted}")
    return value
