"""A device on a 1-Wire line: reset, slots and ROM commands.

By Maxim's datasheet "DS18B20" (19-7487, "1-Wire signaling" and figures 13 to 16). The
host holds the line low for 480 us and lets go: 15 to 60 us later the device holds it
for 60 to 240 us, here 30 and 120. A slot begins as the host pulls the line down. A
device looks at it 15 to 60 us later, here 30: low is a 0. To send a 0 it holds the line
from the beginning of a slot for 15 us at least, here 30 as chips do.

475 us count as 480, for the clock of a device is its own, and delays of firmware end a
little early. Devices have no pull-up; here each has a weak one, as drawings that were
made for Wokwi have none. What checks a diagram says where one is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, TypeAlias

from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.drives import Strength, drive

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_embedbench.wiring.drives import Drive
    from pytest_embedbench.wiring.part_model import Wires

_RESET_US = 475
_PRESENCE_AFTER_US, _PRESENCE_US = 30, 120
_SAMPLE_US = 30
_READ_ROM, _MATCH_ROM, _SKIP_ROM = 0x33, 0x55, 0xCC
_SEARCH_ROM, _ALARM_SEARCH = 0xF0, 0xEC
_CRC_POLYNOMIAL = 0x8C  # x^8 + x^5 + x^4 + 1, lowest bit first
_LOW = drive(Strength.OUTPUT, Level.LOW)
_PULL_UP = drive(Strength.PULL, Level.HIGH)

Talk: TypeAlias = Generator["int | Callable[[int], int] | None", int, None]
"""A conversation, slot by slot: it yields the bit to send, a function that has it at
the time of the slot, or None to hear one; and is sent what the slot was: 0 or 1."""


class OneWireDevice:
    """A device with a number of its own; what it does once it is meant is ``talk``.

    Args:
        wires: Has the pin.
        pin: The line.
        rom: Its number: family, six bytes of its own, CRC.
        talk: Begins the conversation that follows its selection.
        is_alarmed: Whether an alarm search finds it.
    """

    def __init__(
        self,
        wires: Wires,
        pin: str,
        *,
        rom: bytes,
        talk: Callable[[], Talk],
        is_alarmed: Callable[[], bool],
    ) -> None:
        self._wires = wires
        self._pin = pin
        self._rom = rom
        self._talk = talk
        self._is_alarmed = is_alarmed
        self._session: Talk | None = None
        self._due: int | Callable[[int], int] | None = None
        self._fell_at_ticks: int | None = None
        self._deaf_until_ticks = 0
        self.now_ticks = 0
        wires.drive(pin, _PULL_UP)
        wires.on_level(pin, self._on_level)

    # ------------------------------------------------------------------ the line

    def _on_level(self, at_ticks: int, level: Level) -> None:
        fell_at_ticks, self._fell_at_ticks = self._fell_at_ticks, None
        self.now_ticks = at_ticks
        if level is Level.LOW:
            self._fell_at_ticks = at_ticks
            if at_ticks >= self._deaf_until_ticks:
                self._begin_slot(at_ticks)
        elif level is Level.HIGH and fell_at_ticks is not None:
            low_ticks = at_ticks - fell_at_ticks
            if low_ticks >= _RESET_US * self._wires.ticks_per_us:
                self._reset(at_ticks)
            elif fell_at_ticks >= self._deaf_until_ticks:
                self._end_slot(low_ticks)

    def _reset(self, at_ticks: int) -> None:
        us = self._wires.ticks_per_us
        begin_ticks = at_ticks + _PRESENCE_AFTER_US * us
        self._deaf_until_ticks = begin_ticks + _PRESENCE_US * us
        self._wires.at(begin_ticks, self._holding(_LOW))
        self._wires.at(self._deaf_until_ticks, self._holding(_PULL_UP))
        self._session = self._selection()
        self._due = next(self._session)

    def _begin_slot(self, at_ticks: int) -> None:
        due = self._due(at_ticks) if callable(self._due) else self._due
        if self._session is not None and due == 0:
            self._wires.drive(self._pin, _LOW)
            end_ticks = at_ticks + _SAMPLE_US * self._wires.ticks_per_us
            self._wires.at(end_ticks, self._holding(_PULL_UP))

    def _end_slot(self, low_ticks: int) -> None:
        if self._session is None:
            return
        bit = low_ticks < _SAMPLE_US * self._wires.ticks_per_us
        try:
            self._due = self._session.send(int(bit))
        except StopIteration:
            self._session = None

    def _holding(self, held: Drive) -> Callable[[int], None]:
        return lambda _: self._wires.drive(self._pin, held)

    # ------------------------------------------------------------------ ROM commands

    def _selection(self) -> Talk:
        bits = [byte >> index & 1 for byte in self._rom for index in range(8)]
        command = yield from hear_byte()
        if command == _READ_ROM:
            yield from say(self._rom)
        elif command == _MATCH_ROM:
            for bit in bits:
                if (yield None) != bit:
                    return
        elif command == _SEARCH_ROM or (
            command == _ALARM_SEARCH and self._is_alarmed()
        ):
            # Whoever has been found wants a reset before he is spoken to.
            for bit in bits:
                yield bit
                yield 1 - bit
                if (yield None) != bit:
                    return
            return
        elif command != _SKIP_ROM:
            return
        yield from self._talk()


def hear_byte() -> Generator[None, int, int]:
    """Hear a byte, the lowest bit first."""
    value = 0
    for index in range(8):
        value |= (yield None) << index
    return value


def say(data: Iterable[int]) -> Generator[int, int, None]:
    """Send bytes, lowest bits first."""
    for byte in data:
        for index in range(8):
            yield byte >> index & 1


def crc8(data: Iterable[int]) -> int:
    """Return the checksum of 1-Wire; that of data with its checksum is 0."""
    crc = 0
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (_CRC_POLYNOMIAL if crc & 1 else 0)
    return crc
