"""The SPI master's bytes, in SCK's time: simavr's take 100 us at any clock.

Source: ATmega328P data sheet, 19.5 (SPCR, SPSR) and table 19-5 (SCK over F_CPU).
"""

from __future__ import annotations

from pytest_embedbench.engines.simavr.core import layout
from pytest_embedbench.engines.simavr.core.mcus import SPCR, SPDR, SPSR
from pytest_embedbench.engines.simavr.core.spi_lines import SpiLines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_embedbench.engines.simavr.core.machine import AvrMachine
    from pytest_embedbench.engines.simavr.core.pins import AvrPort
    from pytest_embedbench.engines.simavr.core.spi_poll import SpiPoll
    from pytest_embedbench.wiring.spi_backlog import SpiBacklog

_SPE, _MSTR = 0x40, 0x10
_SPIE, _DORD, _CPOL, _CPHA = 0x80, 0x20, 0x08, 0x04
_SPIE_BIT = 7
_IS_MASTER = _SPE | _MSTR
_SPIF, _WCOL, _SPI2X = 0x80, 0x40, 0x01
_FLAGS = _SPIF | _WCOL
_BITS = 8
# By SPR1, SPR0, and SPI2X over them.
_BYTE_CYCLES = tuple(_BITS * it for it in (4, 16, 64, 128, 2, 8, 32, 64))
_MOST_KEPT = 4096
_OUT_CYCLES = 1  # of the instruction that writes SPDR; the byte begins as it ends


class SpiByte:
    """A byte that goes over now: when it begins and ends, and how, by the registers."""

    __slots__ = ("begins_at", "control", "ends_at", "value")

    def __init__(self, value: int, control: int, begins_at: int, ends_at: int) -> None:
        self.value, self.control = value, control
        self.begins_at, self.ends_at = begins_at, ends_at

    @property
    def mode(self) -> int:
        """The mode, 0 to 3: CPOL and CPHA."""
        return self.control >> 2 & 3

    @property
    def is_low_first(self) -> bool:
        """Whether the lowest bit goes first."""
        return bool(self.control & _DORD)

    @property
    def clock_idles_high(self) -> bool:
        """Whether SCK is high between bytes."""
        return bool(self.control & _CPOL)

    @property
    def late(self) -> bool:
        """Whether it is sampled at the clock's second edge."""
        return bool(self.control & _CPHA)


class Spi:
    """A master; with nothing at its pins it reads eight times what MISO shows.

    Its flag is simavr's only while its interrupt is on: to raise and clear that one
    takes as long as all else of a byte.
    """

    def __init__(self, machine: AvrMachine, ports: Mapping[str, AvrPort]) -> None:
        self._machine = machine
        self.lines = SpiLines(machine, ports)
        self._data, self._cycle = machine.data, machine.cycle_view
        self._vector = machine.vector(machine.mcu.spi_vector)
        miso = machine.mcu.spi_pins[2]
        self._miso = machine.mcu.ports[miso[1]], 1 << int(miso[2])
        self._begun: Callable[[SpiByte], None] | None = None
        self._exchange: Callable[[SpiByte], int | None] | None = None
        self._backlog: SpiBacklog | None = None
        self._is_simple = True
        self.poll: SpiPoll | None = None
        """Who leaps over the wait for a byte."""
        self._setting = self._value = self._begins_at = self._byte_cycles = 0
        self._received = 0
        self._shifts = self._is_raised = False
        self._timer = machine.keep(layout.CycleTimer(self._on_byte))
        machine.on_write(SPDR, self._on_write)
        machine.on_read(SPDR, self._on_read)
        machine.on_bits([(SPCR, _SPIE_BIT)], self._on_enable)
        machine.revive.append(self._on_reset)

    def connect(
        self,
        *,
        begun: Callable[[SpiByte], None] | None = None,
        exchange: Callable[[SpiByte], int | None] | None = None,
        backlog: SpiBacklog | None = None,
    ) -> None:
        """Tell others what goes over, from the next byte on.

        ``begun`` hears of every byte as it begins, ``exchange`` as it ends, and may
        return what came back. With a ``backlog`` nobody answers, and it is kept there.
        """
        self._begun, self._exchange, self._backlog = begun, exchange, backlog
        self._is_simple = begun is None and exchange is None
        self._set(self._setting)

    def _set(self, setting: int) -> None:
        """Take how bytes go over from now on: SPCR, and SPI2X over it."""
        self._setting = setting
        rate = setting & 3 | (setting >> 8 & _SPI2X) << 2
        is_master = setting & _IS_MASTER == _IS_MASTER
        self._byte_cycles = _BYTE_CYCLES[rate] if is_master else 0
        if self._backlog is not None:
            mode, low_first = setting >> 2 & 3, bool(setting & _DORD)
            self._backlog.go_over(mode, self._byte_cycles, is_low_first=low_first)

    def _on_write(self, _avr: int, address: int, value: int, _param: int) -> None:
        data = self._data
        status = data[SPSR]
        if status & _FLAGS:
            self._clear_flag()
        if self._shifts:
            data[SPSR] |= _WCOL
            return
        data[address] = value
        setting = data[SPCR] | (status & _SPI2X) << 8
        if setting != self._setting:
            self._set(setting)
        if not self._byte_cycles:
            return
        self._value = value
        self._begins_at = begins_at = self._cycle[0] + _OUT_CYCLES
        ends_at = begins_at + self._byte_cycles
        if self._is_simple:
            poll = self.poll
            if poll is not None and not setting & _SPIE and poll.skip(ends_at):
                self._end()
                return
        elif self._begun is not None:
            self._begun(self._byte())
        self._shifts = True
        self._machine.after(_OUT_CYCLES + self._byte_cycles, self._timer, None)

    def _byte(self) -> SpiByte:
        begins_at = self._begins_at
        ends_at = begins_at + self._byte_cycles
        return SpiByte(self._value, self._setting & 0xFF, begins_at, ends_at)

    def _on_byte(self, _avr: int, _when: int, _param: int) -> int:
        self._shifts = False
        self._end()
        if self._data[SPCR] & _SPIE:
            self._raise()
        return 0

    def _end(self) -> None:
        back, backlog = None, self._backlog
        if backlog is not None:
            backlog.begins.append(self._begins_at)
            values = backlog.values
            values.append(self._value)
            if len(values) >= _MOST_KEPT:
                backlog.catch_up()
        elif self._exchange is not None:
            back = self._exchange(self._byte())
        data = self._data
        if back is None:
            pins, mask = self._miso
            back = 0xFF if data[pins] & mask else 0
        self._received = back
        data[SPSR] |= _SPIF

    def _on_read(self, _avr: int, _address: int, _param: int) -> int:
        if self._data[SPSR] & _FLAGS:
            self._clear_flag()
        return self._received

    def _on_enable(self, _irq: int, is_on: int, _param: int) -> None:
        if is_on and self._data[SPSR] & _SPIF:
            self._raise()

    def _raise(self) -> None:
        self._is_raised = True
        self._machine.lib.avr_raise_interrupt(self._machine.pointer, self._vector)

    def _clear_flag(self) -> None:
        if self._is_raised:
            self._is_raised = False
            self._machine.lib.avr_clear_interrupt(self._machine.pointer, self._vector)
        self._data[SPSR] &= ~_FLAGS

    def _on_reset(self) -> None:
        self._shifts = self._is_raised = False
