"""The SPI master's bytes, in SCK's time: simavr's take 100 us at any clock.

Source: ATmega328P data sheet, 19.5 (SPCR, SPSR) and table 19-5 (SCK over F_CPU).
"""

from __future__ import annotations

from pytest_embedbench.engines.simavr.core import layout
from pytest_embedbench.engines.simavr.core.mcus import SPCR, SPDR, SPSR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.engines.simavr.core.machine import AvrMachine

_SPE, _MSTR = 0x40, 0x10
_DORD, _CPOL, _CPHA = 0x20, 0x08, 0x04
_SPIF, _WCOL, _SPI2X = 0x80, 0x40, 0x01
_DIVISORS = (4, 16, 64, 128)
_BITS = 8
_OUT_CYCLES = 1  # of the instruction that writes SPDR; the byte begins as it ends


class SpiByte:
    """A byte that goes over now: when it begins and ends, and how, by the registers."""

    __slots__ = (
        "begins_at",
        "clock_idles_high",
        "ends_at",
        "is_low_first",
        "late",
        "value",
    )

    def __init__(self, value: int, control: int, begins_at: int, ends_at: int) -> None:
        self.value = value
        self.begins_at, self.ends_at = begins_at, ends_at
        self.is_low_first = bool(control & _DORD)
        self.clock_idles_high = bool(control & _CPOL)
        self.late = bool(control & _CPHA)
        """Whether it is sampled at the clock's second edge."""


class Spi:
    """A master; with nothing at its pins it reads eight times what MISO shows.

    ``begun`` hears of every byte as it begins, ``exchange`` as it ends, and may return
    what came back.
    """

    def __init__(self, machine: AvrMachine) -> None:
        self._machine = machine
        self._data = machine.data
        self._vector = machine.vector(machine.mcu.spi_vector)
        miso = machine.mcu.spi_pins[2]
        self._miso = machine.mcu.ports[miso[1]], 1 << int(miso[2])
        self.begun: Callable[[SpiByte], None] | None = None
        self.exchange: Callable[[SpiByte], int | None] | None = None
        self._byte = SpiByte(0, 0, 0, 0)
        self._received = 0
        self._shifts = False
        self._timer = machine.keep(layout.CycleTimer(self._on_byte))
        machine.on_write(SPDR, self._on_write)
        machine.on_read(SPDR, self._on_read)
        machine.revive.append(self._on_reset)

    def byte_cycles(self) -> int:
        """Return how long a byte takes with the registers as they are."""
        divisor = _DIVISORS[self._data[SPCR] & 3]
        return _BITS * (divisor // 2 if self._data[SPSR] & _SPI2X else divisor)

    def _on_write(self, _avr: int, address: int, value: int, _param: int) -> None:
        self._clear_flag()
        if self._shifts:
            self._data[SPSR] |= _WCOL
            return
        self._data[address] = value
        if self._data[SPCR] & (_SPE | _MSTR) == _SPE | _MSTR:
            self._shifts = True
            begins_at = self._machine.avr.cycle + _OUT_CYCLES
            ends_at = begins_at + self.byte_cycles()
            self._byte = SpiByte(value, self._data[SPCR], begins_at, ends_at)
            if self.begun:
                self.begun(self._byte)
            self._machine.at(ends_at, self._timer)

    def _on_byte(self, _avr: int, _when: int, _param: int) -> int:
        self._shifts = False
        back = self.exchange(self._byte) if self.exchange else None
        if back is None:
            pins, mask = self._miso
            back = 0xFF if self._data[pins] & mask else 0
        self._received = back
        self._machine.lib.avr_raise_interrupt(self._machine.pointer, self._vector)
        return 0

    def _on_read(self, _avr: int, _address: int, _param: int) -> int:
        self._clear_flag()
        return self._received

    def _clear_flag(self) -> None:
        if self._data[SPSR] & _SPIF:
            self._machine.lib.avr_clear_interrupt(self._machine.pointer, self._vector)
        self._data[SPSR] &= ~(_SPIF | _WCOL)

    def _on_reset(self) -> None:
        self._shifts = False
