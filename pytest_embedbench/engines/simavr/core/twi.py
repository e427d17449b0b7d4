"""The TWI master: status codes and times of the chip; simavr's are neither.

Sources: ATmega328P data sheet, 22.5.2 (SCL = F_CPU / (16 + 2 * TWBR * 4^TWPS)), 22.7
and tables 22-2 and 22-3 (status codes). A byte with its acknowledge is nine clocks;
START and STOP are taken for one clock each.
"""

from __future__ import annotations

from pytest_embedbench.engines.simavr.core import layout
from pytest_embedbench.engines.simavr.core.mcus import TWBR, TWCR, TWDR, TWSR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from pytest_embedbench.engines.simavr.core.machine import AvrMachine

    class Device(Protocol):
        """Something on the bus; every call is made when the byte has gone over."""

        def begin(self, *, reads: bool) -> bool:
            """Take note of being addressed; say whether to acknowledge."""
            ...

        def write(self, byte: int) -> bool:
            """Take a byte; say whether to acknowledge."""
            ...

        def read(self) -> int:
            """Return the next byte."""
            ...

        def end(self) -> None:
            """Take note of a STOP, or of another START."""
            ...


_TWINT, _TWEA, _TWSTA, _TWSTO, _TWEN, _TWIE = 0x80, 0x40, 0x20, 0x10, 0x04, 0x01
_START, _AGAIN = 0x08, 0x10
_WRITE_ADDRESS, _WRITE_DATA, _READ_ADDRESS = 0x18, 0x28, 0x40
_READ_ACK, _READ_NACK, _IDLE = 0x50, 0x58, 0xF8
_NACK = 8  # how far a status is from that of the same thing acknowledged
_BYTE_CLOCKS, _CONDITION_CLOCKS = 9, 1
_STS_CYCLES = 2  # of the instruction that writes TWCR; the bus goes on as it ends


class Twi:
    """A master; on the bus are ``devices``, by their address of 7 bits."""

    def __init__(self, machine: AvrMachine) -> None:
        self.devices: dict[int, Device] = {}
        self.told: Callable[[int, bool, bool], None] | None = None
        """Who hears of every byte: it, whether acknowledged, whether START was before.
        """
        self.stopped: Callable[[], None] | None = None
        self._machine = machine
        self._data = machine.data
        self._vector = machine.vector(machine.mcu.twi_vector)
        self._timer = machine.keep(layout.CycleTimer(self._on_done))
        machine.on_write(TWCR, self._on_control)
        machine.on_write(TWDR, self._on_data)
        machine.on_write(TWSR, self._on_status)
        machine.on_read(TWDR, self._on_read_data)
        machine.revive.append(self._on_reset)
        self._on_reset()

    def _on_reset(self) -> None:
        self._owns = False
        self._addressed = False
        self._reads = False
        self._device: Device | None = None
        self._action = self._nothing
        self._data[TWSR] = _IDLE
        self._data[TWDR] = 0xFF

    def clock_cycles(self) -> int:
        """Return how long a clock of SCL takes with the registers as they are."""
        return 16 + (2 * self._data[TWBR] << 2 * (self._data[TWSR] & 3))

    # ------------------------------------------------------------ what firmware does
    def _on_control(self, _avr: int, _address: int, value: int, _param: int) -> None:
        machine, data = self._machine, self._data
        raised = data[TWCR] & _TWINT
        goes_on = value & _TWINT
        data[TWCR] = value & ~_TWINT | (0 if goes_on else raised)
        if not value & _TWEN:
            self._let_go()
        elif goes_on:
            machine.lib.avr_clear_interrupt(machine.pointer, self._vector)
            data[TWCR] &= ~_TWINT
            self._go_on(value)
        elif raised and value & _TWIE:
            machine.lib.avr_raise_interrupt(machine.pointer, self._vector)

    def _go_on(self, control: int) -> None:
        if control & _TWSTO:
            self._do(self._stop, _CONDITION_CLOCKS)
        elif control & _TWSTA:
            self._do(self._start, _CONDITION_CLOCKS)
        elif self._owns:
            self._do(self._byte, _BYTE_CLOCKS)

    def _do(self, action: Callable[[], None], clocks: int) -> None:
        self._action = action
        begins_at = self._machine.avr.cycle + _STS_CYCLES
        self._machine.at(begins_at + clocks * self.clock_cycles(), self._timer)

    def _on_done(self, _avr: int, _when: int, _param: int) -> int:
        self._action()
        return 0

    def _on_data(self, _avr: int, address: int, value: int, _param: int) -> None:
        self._data[address] = value

    def _on_read_data(self, _avr: int, address: int, _param: int) -> int:
        return self._data[address]

    def _on_status(self, _avr: int, address: int, value: int, _param: int) -> None:
        """The prescaler can be written, the status cannot."""
        self._data[address] = self._data[address] & ~3 | value & 3

    # ------------------------------------------------------------ what the bus does
    def _nothing(self) -> None:
        """Nothing has been begun, or it has been called off."""

    def _start(self) -> None:
        if self._device is not None:
            self._device.end()
        self._device = None
        status = _AGAIN if self._owns else _START
        self._owns, self._addressed = True, False
        self._tell(status)

    def _stop(self) -> None:
        if self._device is not None:
            self._device.end()
        self._device = None
        self._owns = False
        if self.stopped:
            self.stopped()
        self._data[TWCR] &= ~_TWSTO
        self._show(_IDLE)
        if self._data[TWCR] & _TWSTA:
            self._do(self._start, _CONDITION_CLOCKS)

    def _byte(self) -> None:
        if not self._addressed:
            self._address()
        elif self._reads:
            byte = 0xFF if self._device is None else self._device.read()
            self._data[TWDR] = byte
            acknowledged = bool(self._data[TWCR] & _TWEA)
            self._say(byte, acknowledged=acknowledged)
            self._tell(_READ_ACK if acknowledged else _READ_NACK)
        else:
            device, byte = self._device, self._data[TWDR]
            acknowledged = device is not None and device.write(byte)
            self._say(byte, acknowledged=acknowledged)
            self._tell(_WRITE_DATA if acknowledged else _WRITE_DATA + _NACK)

    def _address(self) -> None:
        self._addressed = True
        byte = self._data[TWDR]
        self._reads = bool(byte & 1)
        device = self.devices.get(byte >> 1)
        acknowledged = device is not None and device.begin(reads=self._reads)
        self._device = device if acknowledged else None
        self._say(byte, acknowledged=acknowledged, begins=True)
        status = _READ_ADDRESS if self._reads else _WRITE_ADDRESS
        self._tell(status if acknowledged else status + _NACK)

    def _say(self, byte: int, *, acknowledged: bool, begins: bool = False) -> None:
        if self.told:
            self.told(byte, acknowledged, begins)

    def _tell(self, status: int) -> None:
        self._show(status)
        self._machine.lib.avr_raise_interrupt(self._machine.pointer, self._vector)

    def _show(self, status: int) -> None:
        self._data[TWSR] = status | self._data[TWSR] & 3

    def _let_go(self) -> None:
        """TWEN is off: the bus is nobody's, whatever was going on."""
        machine = self._machine
        machine.lib.avr_clear_interrupt(machine.pointer, self._vector)
        self._data[TWCR] &= ~(_TWINT | _TWSTO)
        self._owns = self._addressed = False
        self._device = None
        self._action = self._nothing
        self._show(_IDLE)
