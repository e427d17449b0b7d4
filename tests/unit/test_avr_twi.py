"""Status codes of an AVR's TWI master, with somebody on the bus.

Source: ATmega328P data sheet, tables 22-2 (transmitter) and 22-3 (receiver).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.engines.simavr.core.mcus import TWBR, TWCR, TWDR, TWSR
from pytest_embedbench.engines.simavr.core.twi import Twi
from pytest_embedbench.wiring.i2c_backlog import I2cBacklog
from pytest_embedbench.wiring.net_log import BusByte, BusKind, NetLog, bus_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

TWINT, TWEA, TWSTA, TWSTO, TWEN = 0x80, 0x40, 0x20, 0x10, 0x04
STS_CYCLES = 2
"""What the bus does begins as the instruction that writes the register ends."""


@dataclass
class Memory:
    """A device that takes two bytes, and gives what it was given."""

    took: list[int] = field(default_factory=list[int])
    calls: list[str] = field(default_factory=list[str])

    def begin(self, _at_ticks: int, *, reads: bool) -> bool:
        self.calls.append("reads" if reads else "writes")
        return True

    def write(self, _at_ticks: int, byte: int) -> bool:
        self.took.append(byte)
        return len(self.took) <= 2

    def read(self, _at_ticks: int) -> int:
        return self.took.pop(0)

    def end(self, _at_ticks: int) -> None:
        self.calls.append("end")


class Patient(Memory):
    """One that takes all, late."""

    def take_bytes(self, data: bytes) -> None:
        self.calls.append(data.hex())


class Core:
    """As much of a machine as the TWI hangs itself on."""

    def __init__(self) -> None:
        self.data = memoryview(bytearray(0x100))
        self.mcu = self
        self.twi_vector = 24
        self.avr = self.lib = self
        self.pointer = None
        self.cycle_view = memoryview(bytearray(8)).cast("Q")
        self.revive: list[Callable[[], None]] = []
        self.writes: dict[int, Any] = {}
        self.due: tuple[int, Any] | None = None
        self.memory = Memory()

    def keep(self, callback: object) -> object:
        return callback

    def vector(self, number: int) -> int:
        return number

    def on_write(self, address: int, write: object) -> None:
        self.writes[address] = write

    def vector_flags(self, number: int) -> bytes:
        return bytes((number - 24,))

    def io(self, address: int) -> SimpleNamespace:
        assert address == TWDR
        return SimpleNamespace()

    def after(self, cycles: int, timer: object, param: None) -> None:
        assert param is None
        self.due = self.cycle_view[0] + cycles, timer

    def avr_raise_interrupt(self, pointer: None, vector: int) -> None:
        assert (pointer, vector) == (None, 24)
        self.data[TWCR] |= TWINT

    def avr_clear_interrupt(self, pointer: None, vector: int) -> None:
        del pointer, vector

    def write(self, address: int, value: int) -> None:
        if address in self.writes:
            self.writes[address](0, address, value, 0)
        else:
            self.data[address] = value
        self.cycle_view[0] += STS_CYCLES

    def clocks(self) -> float:
        """Go on to what is due; return how many clocks of SCL that took."""
        assert self.due is not None
        (cycle, timer), before = self.due, self.cycle_view[0]
        self.cycle_view[0] = cycle
        self.due = None
        timer(0, cycle, 0)
        return (cycle - before) / 160


@pytest.fixture
def core() -> Core:
    core = Core()
    machine: Any = core  # as much as the TWI needs of one
    twi = Twi(machine)
    twi.connect({0x50: core.memory}, lambda *_: None, lambda *_: None)
    core.data[TWBR] = 72
    return core


def step(core: Core, control: int, byte: int | None = None) -> tuple[int, float]:
    """Have the TWI do a thing; return its status, and the clocks it took."""
    if byte is not None:
        core.write(TWDR, byte)
    core.write(TWCR, TWINT | TWEN | control)
    assert not core.data[TWCR] & TWINT
    clocks = core.clocks()
    return core.data[TWSR], clocks


def test_writing_and_reading_have_the_codes_and_times_of_the_chip(core: Core) -> None:
    assert step(core, TWSTA) == (0x08, 1)
    assert step(core, 0, 0xA0) == (0x18, 9)
    assert step(core, 0, 7) == (0x28, 9)
    assert step(core, 0, 8) == (0x28, 9)
    assert step(core, 0, 9) == (0x30, 9)  # it takes no more
    assert step(core, TWSTA) == (0x10, 1)
    assert step(core, 0, 0xA1) == (0x40, 9)
    assert step(core, TWEA) == (0x50, 9)
    assert core.data[TWDR] == 7
    assert step(core, 0) == (0x58, 9)
    assert core.data[TWDR] == 8
    core.write(TWCR, TWINT | TWEN | TWSTO)
    assert core.clocks() == 1
    assert not core.data[TWCR] & (TWSTO | TWINT)
    assert core.data[TWSR] == 0xF8
    assert core.memory.calls == ["writes", "end", "reads", "end"]


def test_nobody_at_an_address_is_no_acknowledge(core: Core) -> None:
    step(core, TWSTA)
    assert step(core, 0, 0x20) == (0x20, 9)
    assert step(core, TWSTA) == (0x10, 1)
    assert step(core, 0, 0x21) == (0x48, 9)


def test_its_prescaler_can_be_written_and_its_status_cannot(core: Core) -> None:
    core.write(TWSR, 0xFE)
    assert core.data[TWSR] == 0xF8 | 2
    assert step(core, TWSTA) == (0x08 | 2, (16 + 2 * 72 * 16) / 160)


def test_switched_off_it_lets_go_of_the_bus(core: Core) -> None:
    step(core, TWSTA)
    core.write(TWCR, 0)
    assert core.data[TWSR] == 0xF8
    assert step(core, TWSTA) == (0x08, 1)


def test_bytes_that_are_taken_late_are_told_before_the_end_and_written_down() -> None:
    core = Core()
    core.memory = Patient()
    log = NetLog()
    devices = {0x50: core.memory}
    machine: Any = core  # as much as the TWI needs of one
    backlog = I2cBacklog(log, devices)
    Twi(machine).connect(devices, backlog=backlog)
    core.data[TWBR] = 72
    step(core, TWSTA)
    assert step(core, 0, 0xA0) == (0x18, 9)
    assert [step(core, 0, byte) for byte in (7, 8)] == [(0x28, 9)] * 2
    until = core.cycle_view[0]
    assert core.memory.calls == ["writes"]
    backlog.catch_up()  # somebody looks
    core.data[TWBR] = 12  # four times as fast
    assert step(core, 0, 9) == (0x28, 9 / 4)
    assert step(core, TWSTA) == (0x10, 1 / 4)
    assert core.memory.calls == ["writes", "0708", "09", "end"]
    assert step(core, 0, 0xA1)[0] == 0x40
    assert core.memory.calls[-1] == "reads"
    writes_cycles = 2 * STS_CYCLES  # of TWDR, then TWCR
    ends = [until - 1440 - writes_cycles, until, until + 360 + writes_cycles]
    assert bus_bytes(log.bus.tobytes()) == [
        BusByte(BusKind.I2C_ACK, end - lasts, end, byte, 0)
        for end, lasts, byte in zip(ends, (1440, 1440, 360), (7, 8, 9), strict=True)
    ]
