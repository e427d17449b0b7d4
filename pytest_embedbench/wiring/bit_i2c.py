"""I2C by the edges of its two lines, for devices that know bytes alone.

By NXP's UM10204, "I2C-bus specification and user manual", chapter 3: a START is SDA's
fall while SCL is high, a STOP its rise; data is taken as SCL rises and changed after it
falls; the ninth clock is the acknowledge. Addresses have 7 bits. No device stretches
the clock, and none hears a general call.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.bit_lines import BitLine
from pytest_embedbench.wiring.drives import Strength, drive

if TYPE_CHECKING:
    from pytest_embedbench.wiring.part_model import I2cDevice, Wires

_LOW = drive(Strength.OUTPUT, Level.LOW)
_PULL_UP = drive(Strength.RESISTOR, Level.HIGH)
_BITS = 8


class _Role(enum.Enum):
    """What a device does on the bus."""

    WAITS = enum.auto()
    """For the next START."""
    HEARS = enum.auto()
    """An address: its own, or another one."""
    TAKES = enum.auto()
    GIVES = enum.auto()


class BitI2c:
    """What puts a device on two lines.

    A START or STOP counts a tick later, when it is known that SCL did not move at the
    same moment.

    Args:
        wires: What the device's part hangs on.
        sda: The pin of the data line.
        scl: The pin of the clock line.
        address: Of 7 bits.
        device: Who is told.
    """

    def __init__(
        self, wires: Wires, sda: str, scl: str, address: int, device: I2cDevice
    ) -> None:
        self._wires, self._sda_pin, self._device = wires, sda, device
        self._address = address
        self._sda, self._scl = BitLine(is_high=True), BitLine(is_high=True)
        self._condition_at_ticks: int | None = None
        self._role = _Role.WAITS
        self._is_open = self._is_read = False
        self._bits = self._byte = 0
        self._is_acknowledged = self._is_holding = False
        wires.drive(sda, _PULL_UP)
        wires.drive(scl, _PULL_UP)
        wires.on_level(sda, self._on_sda)
        wires.on_level(scl, self._on_scl)

    # --------------------------------------------------------- START and STOP

    def _on_sda(self, at_ticks: int, level: Level) -> None:
        self._settle(at_ticks)
        if not self._sda.move(at_ticks, level):
            return
        if self._scl.is_high and self._scl.changed_at_ticks != at_ticks:
            self._condition_at_ticks = at_ticks
            self._wires.at(at_ticks + 1, self._settle)

    def _settle(self, at_ticks: int) -> None:
        """Take a START or STOP of an earlier moment."""
        since_ticks = self._condition_at_ticks
        if since_ticks is None or since_ticks >= at_ticks:
            return
        self._condition_at_ticks = None
        if self._is_open:
            self._is_open = False
            self._device.end(since_ticks)
        is_start = not self._sda.is_high
        self._role = _Role.HEARS if is_start else _Role.WAITS
        self._bits = self._byte = 0
        self._hold(low=False)

    # ------------------------------------------------------------------- bits

    def _on_scl(self, at_ticks: int, level: Level) -> None:
        self._settle(at_ticks)
        if not self._scl.move(at_ticks, level):
            return
        self._condition_at_ticks = None  # of this very moment: it was none
        if self._role is _Role.WAITS:
            return
        if self._scl.is_high:
            self._sample(is_high=self._sda.was_high(at_ticks))
        elif self._role is _Role.GIVES:
            self._give(at_ticks)
        else:
            self._take(at_ticks)

    def _sample(self, *, is_high: bool) -> None:
        self._bits += 1
        if self._bits > _BITS:
            self._is_acknowledged = not is_high
        elif self._role is not _Role.GIVES:
            self._byte = self._byte << 1 | is_high

    def _take(self, at_ticks: int) -> None:
        if self._bits > _BITS:
            self._hold(low=False)
            self._bits = self._byte = 0
            if self._role is _Role.HEARS:
                self._turn_round(at_ticks)
        elif self._bits == _BITS:
            is_address = self._role is _Role.HEARS
            tell = self._tell_address if is_address else self._device.write
            self._hold(low=tell(at_ticks, self._byte))

    def _tell_address(self, at_ticks: int, byte: int) -> bool:
        address, reads = divmod(byte, 2)
        self._is_read = bool(reads)
        if address == self._address:
            self._is_open = self._device.begin(at_ticks, reads=self._is_read)
        if not self._is_open:
            self._role = _Role.WAITS
        return self._is_open

    def _turn_round(self, at_ticks: int) -> None:
        """Take or give, after the acknowledge of the address."""
        self._role = _Role.GIVES if self._is_read else _Role.TAKES
        if self._is_read:
            self._fetch(at_ticks)

    def _give(self, at_ticks: int) -> None:
        if self._bits < _BITS:
            self._put()
        elif self._bits == _BITS:
            self._hold(low=False)
        elif self._is_acknowledged:
            self._fetch(at_ticks)
        else:
            self._role = _Role.WAITS

    def _fetch(self, at_ticks: int) -> None:
        self._bits, self._byte = 0, self._device.read(at_ticks)
        self._put()

    def _put(self) -> None:
        is_high = self._byte >> (_BITS - 1 - self._bits) & 1
        self._hold(low=not is_high)

    def _hold(self, *, low: bool) -> None:
        if low != self._is_holding:
            self._is_holding = low
            self._wires.drive(self._sda_pin, _LOW if low else _PULL_UP)
