"""The TWI master: status codes and times of the chip; simavr's are neither.

Sources: ATmega328P data sheet, 22.5.2 (SCL = F_CPU / (16 + 2 * TWBR * 4^TWPS)), 22.7
and tables 22-2 and 22-3 (status codes). A byte with its acknowledge is nine clocks;
START and STOP are taken for one clock each.
"""

from __future__ import annotations

from functools import partial

from pytest_embedbench.engines.simavr.core import layout
from pytest_embedbench.engines.simavr.core.mcus import TWBR, TWCR, TWDR, TWSR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_embedbench.engines.simavr.core.machine import AvrMachine
    from pytest_embedbench.engines.simavr.core.ram_poll import RamPoll
    from pytest_embedbench.wiring.i2c_backlog import I2cBacklog
    from pytest_embedbench.wiring.part_model import I2cDevice

    Told = Callable[[int, int, bool, bool], None]

_TWINT, _TWEA, _TWSTA, _TWSTO, _TWEN, _TWIE = 0x80, 0x40, 0x20, 0x10, 0x04, 0x01
_START, _AGAIN = 0x08, 0x10
_WRITE_ADDRESS, _WRITE_DATA, _READ_ADDRESS = 0x18, 0x28, 0x40
_READ_ACK, _READ_NACK, _IDLE = 0x50, 0x58, 0xF8
_NACK = 8  # how far a status is from that of the same thing acknowledged
_BYTE_CLOCKS, _CONDITION_CLOCKS = 9, 1
_MOST_KEPT = 4096
_STS_CYCLES = 2  # of the instruction that writes TWCR; the bus goes on as it ends


class Twi:
    """A master; who is on the bus is told with the cycle at which a byte was over.

    Its flag is simavr's only while its interrupt is on, for each word with simavr
    takes as long as all else of a byte.
    """

    def __init__(self, machine: AvrMachine) -> None:
        self._devices: Mapping[int, I2cDevice] = {}
        self._told: Told | None = None
        self._ended: Callable[[int, bool], None] | None = None
        self._backlog: I2cBacklog | None = None
        self.poll: RamPoll | None = None
        """Who leaps over the wait for a byte."""
        self._data, self._cycle = machine.data, machine.cycle_view
        self._after = machine.after
        vector = machine.vector(machine.mcu.twi_vector)
        self._flags = machine.vector_flags(vector)
        lib, pointer = machine.lib, machine.pointer
        self._raise = partial(lib.avr_raise_interrupt, pointer, vector)
        self._clear = partial(lib.avr_clear_interrupt, pointer, vector)
        self._timer = machine.keep(layout.CycleTimer(self._on_done))
        machine.on_write(TWCR, self._on_control)
        machine.on_write(TWSR, self._on_status)
        # Any other time there is nothing to do about it.
        machine.io(TWDR).write = machine.io(TWDR).read = None
        machine.revive.append(self._on_reset)
        self._on_reset()

    def connect(
        self,
        devices: Mapping[int, I2cDevice],
        told: Told | None = None,
        ended: Callable[[int, bool], None] | None = None,
        backlog: I2cBacklog | None = None,
    ) -> None:
        """Put devices on the bus.

        Args:
            devices: By their address of 7 bits.
            told: Hears of every byte: when it was over, it, whether it was
                acknowledged, whether START was before.
            ended: Hears that a device has been told of the end: when, and whether
                that was a STOP; of a STOP without a device, too.
            backlog: Keeps bytes, of which nobody hears then, for devices that may be
                told them late.
        """
        self._devices, self._told, self._ended = devices, told, ended
        self._backlog = backlog

    def _on_reset(self) -> None:
        self.takes_cycles = 0
        """How long it takes, or took, what was begun last."""
        self._owns = False
        self._device: I2cDevice | None = None
        self._goes_on: Callable[[int], None] = self._address
        """What the next byte is."""
        self._action: Callable[[int], None] = self._nothing
        self._data[TWSR] = _IDLE
        self._data[TWDR] = 0xFF

    # ------------------------------------------------------------ what firmware does
    def _on_control(self, _avr: int, _address: int, value: int, _param: int) -> None:
        data = self._data
        if not value & _TWEN:
            data[TWCR] = value & ~_TWINT
            self._let_go()
        elif value & _TWINT:
            if self._flags[0] & layout.IS_PENDING:
                self._clear()
            data[TWCR] = value & ~_TWINT
            if value & (_TWSTO | _TWSTA):
                begun = self._stop if value & _TWSTO else self._start
                self._do(begun, _CONDITION_CLOCKS)
            elif self._owns:
                self._do(self._goes_on, _BYTE_CLOCKS)
                if self.poll is not None:
                    self.poll.skip()
        else:
            raised = data[TWCR] & _TWINT
            data[TWCR] = value | raised
            if raised and value & _TWIE:
                self._raise()

    def _do(self, action: Callable[[int], None], clocks: int) -> None:
        self._action = action
        data = self._data
        clock_cycles = 16 + (2 * data[TWBR] << 2 * (data[TWSR] & 3))
        self.takes_cycles = cycles = clocks * clock_cycles
        self._after(_STS_CYCLES + cycles, self._timer, None)

    def _on_done(self, _avr: int, _when: int, _param: int) -> int:
        self._action(self._cycle[0])
        return 0

    def _on_status(self, _avr: int, address: int, value: int, _param: int) -> None:
        """The prescaler can be written, the status cannot."""
        self._data[address] = self._data[address] & ~3 | value & 3

    # ------------------------------------------------------------ what the bus does
    def _nothing(self, at_ticks: int) -> None:
        """Nothing has been begun, or it has been called off."""

    def _start(self, at_ticks: int) -> None:
        if self._device is not None:
            self._end(at_ticks, stops=False)
        status = _AGAIN if self._owns else _START
        self._owns, self._goes_on = True, self._address
        self._tell(status)

    def _stop(self, at_ticks: int) -> None:
        self._end(at_ticks, stops=True)
        self._owns = False
        self._data[TWCR] &= ~_TWSTO
        self._show(_IDLE)
        if self._data[TWCR] & _TWSTA:
            self._do(self._start, _CONDITION_CLOCKS)

    def _end(self, at_ticks: int, *, stops: bool) -> None:
        device, self._device = self._device, None
        if self._backlog is not None:
            self._backlog.catch_up()
        if device is not None:
            device.end(at_ticks)
        if self._ended:
            self._ended(at_ticks, stops)

    def _address(self, at_ticks: int) -> None:
        byte = self._data[TWDR]
        reads = bool(byte & 1)
        device = self._devices.get(byte >> 1)
        acknowledged = device is not None and device.begin(at_ticks, reads=reads)
        self._device = device if acknowledged else None
        self._goes_on = self._read if reads else self._write
        if acknowledged and not reads and self._backlog is not None:
            self._goes_on = (
                self._keep if self._backlog.opens(byte >> 1) else self._write
            )
        if self._told:
            self._told(at_ticks, byte, acknowledged, True)  # noqa: FBT003  # after START
        status = _READ_ADDRESS if reads else _WRITE_ADDRESS
        self._tell(status if acknowledged else status + _NACK)

    def _keep(self, at_ticks: int) -> None:
        """Have a byte written that the device takes late, as most are."""
        backlog, takes_cycles = self._backlog, self.takes_cycles
        assert backlog is not None
        if takes_cycles != backlog.lasts_ticks or len(backlog.values) >= _MOST_KEPT:
            backlog.go_over(takes_cycles)
        backlog.begins.append(at_ticks - takes_cycles)
        backlog.values.append(self._data[TWDR])
        self._tell(_WRITE_DATA)

    def _write(self, at_ticks: int) -> None:
        device, byte = self._device, self._data[TWDR]
        acknowledged = device is not None and device.write(at_ticks, byte)
        self._end_byte(at_ticks, byte, _WRITE_DATA, acknowledged=acknowledged)

    def _read(self, at_ticks: int) -> None:
        data, device = self._data, self._device
        data[TWDR] = byte = 0xFF if device is None else device.read(at_ticks)
        acknowledged = bool(data[TWCR] & _TWEA)
        self._end_byte(at_ticks, byte, _READ_ACK, acknowledged=acknowledged)

    def _end_byte(
        self, at_ticks: int, byte: int, status: int, *, acknowledged: bool
    ) -> None:
        if self._told:
            self._told(at_ticks, byte, acknowledged, False)  # noqa: FBT003  # no START
        self._tell(status if acknowledged else status + _NACK)

    def _tell(self, status: int) -> None:
        data = self._data
        data[TWSR] = status | data[TWSR] & 3
        if data[TWCR] & _TWIE:
            self._raise()
        else:
            data[TWCR] |= _TWINT

    def _show(self, status: int) -> None:
        self._data[TWSR] = status | self._data[TWSR] & 3

    def _let_go(self) -> None:
        """TWEN is off: the bus is nobody's, whatever was going on."""
        self._clear()
        self._data[TWCR] &= ~(_TWINT | _TWSTO)
        if self._backlog is not None:
            self._backlog.catch_up()
        self._owns = False
        self._goes_on = self._address
        self._device = None
        self._action = self._nothing
        self._show(_IDLE)
