"""Buses as software makes them: a microcontroller's side of I2C and SPI, bit by bit."""

from __future__ import annotations

from pytest_embedbench.pins import Level
from pytest_embedbench.testing import FakeWires
from pytest_embedbench.wiring.drives import RELEASED

LOW, HIGH = Level.LOW, Level.HIGH
QUARTER_US = 2.5


def level(*, is_high: bool) -> Level:
    return HIGH if is_high else LOW


class NotAcknowledged(Exception):
    """Nothing is at an address."""


class SoftI2c:
    """A master at 100 kHz whose SDA goes back to the device, as on a real line."""

    def __init__(self, wires: FakeWires, sda: str = "SDA", scl: str = "SCL") -> None:
        self.wires, self.sda, self.scl = wires, sda, scl
        self.is_let_go = True
        self.wires.show_all({sda: HIGH, scl: HIGH})
        self.step()

    def step(self) -> None:
        """Let a quarter of a clock pass; what the device does to SDA comes back."""
        self.wires.advance_us(QUARTER_US / 2)
        self.wires.show_all({self.sda: level(is_high=self.is_high)})
        self.wires.advance_us(QUARTER_US / 2)

    @property
    def is_high(self) -> bool:
        return self.is_let_go and not self.wires.driven.get(self.sda, RELEASED).is_low

    def put(self, *, is_high: bool) -> None:
        self.is_let_go = is_high
        self.wires.show_all({self.sda: level(is_high=self.is_high)})
        self.step()

    def clock(self, *, is_high: bool) -> None:
        self.wires.show_all({self.scl: level(is_high=is_high)})
        self.step()

    def start(self) -> None:
        self.put(is_high=True)
        self.clock(is_high=True)
        self.put(is_high=False)
        self.clock(is_high=False)

    def stop(self) -> None:
        self.put(is_high=False)
        self.clock(is_high=True)
        self.put(is_high=True)

    def bit(self, *, is_high: bool = True) -> bool:
        self.put(is_high=is_high)
        self.clock(is_high=True)
        taken = self.is_high
        self.clock(is_high=False)
        return taken

    def send(self, byte: int) -> bool:
        """Send a byte, and return whether it was acknowledged."""
        for index in range(7, -1, -1):
            self.bit(is_high=bool(byte >> index & 1))
        return not self.bit()

    def receive(self, *, more: bool) -> int:
        byte = 0
        for _ in range(8):
            byte = byte << 1 | self.bit()
        self.bit(is_high=not more)
        return byte

    def write(self, address: int, data: bytes, *, then_stop: bool = True) -> list[bool]:
        self.start()
        acknowledged = [self.send(byte) for byte in (address << 1, *data)]
        if then_stop:
            self.stop()
        return acknowledged

    def read(self, address: int, count: int) -> bytes:
        self.start()
        if not self.send(address << 1 | 1):
            raise NotAcknowledged(address)
        data = bytes(self.receive(more=left > 0) for left in range(count - 1, -1, -1))
        self.stop()
        return data


class SoftSpi:
    """A master at 1 MHz, in mode 0 or 3."""

    def __init__(
        self,
        wires: FakeWires,
        pins: tuple[str, str, str],
        data_out: str = "",
        *,
        idles_high: bool = False,
    ) -> None:
        self.wires, self.data_out = wires, data_out
        self.clock, self.data_in, self.select = pins
        self.idle = level(is_high=idles_high)
        self.wires.show_all({self.select: HIGH, self.clock: self.idle})
        self.wires.advance_us(1)

    def chosen(self, *, is_selected: bool) -> None:
        self.wires.show_all({self.select: level(is_high=not is_selected)})
        self.wires.advance_us(1)

    def bit(self, *, is_high: bool) -> bool:
        if self.idle is HIGH:
            self.wires.show_all({self.clock: LOW})
        self.wires.show_all({self.data_in: level(is_high=is_high)})
        self.wires.advance_us(0.5)
        taken = self.wires.driven.get(self.data_out, RELEASED).is_high
        self.wires.show_all({self.clock: HIGH})
        self.wires.advance_us(0.5)
        if self.idle is LOW:
            self.wires.show_all({self.clock: LOW})
        return taken

    def transfer(self, byte: int) -> int:
        taken = 0
        for index in range(7, -1, -1):
            taken = taken << 1 | self.bit(is_high=bool(byte >> index & 1))
        return taken

    def send(self, *data: int) -> bytes:
        """Send bytes while it is selected, and return what came back."""
        self.chosen(is_selected=True)
        answer = bytes(self.transfer(byte) for byte in data)
        self.chosen(is_selected=False)
        return answer


class ByteI2c:
    """The same master for who has no need of bits: transactions of whole bytes."""

    def __init__(self, wires: FakeWires, *, byte_us: float = 22.5) -> None:
        self.wires, self.byte_us = wires, byte_us

    def write(self, address: int, data: bytes) -> list[bool]:
        device = self.wires.i2c.get(address)
        acknowledged = [device is not None and device.begin(self._after(), reads=False)]
        if device is None or not acknowledged[0]:
            return acknowledged
        acknowledged += [device.write(self._after(), byte) for byte in data]
        device.end(self.wires.now_ticks)
        return acknowledged

    def read(self, address: int, count: int) -> bytes:
        device = self.wires.i2c.get(address)
        if device is None or not device.begin(self._after(), reads=True):
            raise NotAcknowledged(address)
        data = bytes(device.read(self._after()) for _ in range(count))
        device.end(self.wires.now_ticks)
        return data

    def _after(self) -> int:
        self.wires.advance_us(self.byte_us)
        return self.wires.now_ticks


class ByteSpi:
    """A master of SPI for who has no need of bits, at 4 MHz."""

    def __init__(
        self, wires: FakeWires, select: str = "CS", *, byte_us: float = 2
    ) -> None:
        self.wires, self.device = wires, wires.spi[select]
        self.byte_us, self.coming = byte_us, 0xFF

    def chosen(self, *, is_selected: bool) -> None:
        self.wires.advance_us(1)
        now_ticks = self.wires.now_ticks
        self.coming = self.device.select(now_ticks, is_selected=is_selected)

    def transfer(self, byte: int) -> int:
        self.wires.advance_us(self.byte_us)
        taken = self.coming
        self.coming = self.device.transfer(self.wires.now_ticks, byte)
        return taken
