"""The EEPROM, in its time and its modes: simavr's is written at once, whatever is said.

Source: ATmega328P data sheet, 8.4 and 8.6.3: 26,368 clocks of the calibrated oscillator
of 8 MHz for a byte, of which half erase and half write; EEMPE holds for four cycles;
the interrupt comes as long as EERIE is set and nothing is written.
"""

from __future__ import annotations

from pytest_embedbench.engines.simavr.core import layout
from pytest_embedbench.engines.simavr.core.mcus import EEARL, EECR, EEDR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pytest_embedbench.engines.simavr.core.machine import AvrMachine

_EERE, _EEPE, _EEMPE, _EERIE = 0x01, 0x02, 0x04, 0x08
_MODE_SHIFT, _ERASE_ONLY, _WRITE_ONLY = 4, 1, 2
_OSCILLATOR_HZ = 8_000_000
_BYTE_CLOCKS = 26_368
_ARMED_CYCLES = 4


class Eeprom:
    """What is stored; it is blank when the board boots, and outlives resets."""

    def __init__(self, machine: AvrMachine) -> None:
        self.cells = bytearray(b"\xff") * machine.mcu.eeprom_bytes
        self._machine = machine
        self._data = machine.data
        self._cycle = machine.cycle_view
        self._vector = machine.vector(machine.mcu.eeprom_vector)
        self._armed_at = -_ARMED_CYCLES - 1
        self._done = machine.keep(layout.CycleTimer(self._on_done))
        self._again = machine.keep(layout.CycleTimer(self._on_again))
        machine.going_on |= {self._done, self._again}
        machine.on_write(EECR, self._on_control)
        machine.on_read(EECR, self._on_read_control)
        irq = machine.vector_irq(machine.mcu.eeprom_vector)
        machine.notify(irq, self._on_interrupt)

    def cut_power(self) -> None:
        """Lose the byte that is being written: it has been erased, and no more."""
        if self._data[EECR] & _EEPE:
            self.cells[self._place()] = 0xFF
            self._data[EECR] &= ~_EEPE
        self._armed_at = -_ARMED_CYCLES - 1

    def _is_armed(self) -> bool:
        return self._cycle[0] - self._armed_at <= _ARMED_CYCLES

    def _on_control(self, _avr: int, address: int, value: int, _param: int) -> None:
        before = self._on_read_control(_avr, address, _param)
        starts = value & _EEPE and self._is_armed() and not before & _EEPE
        if value & _EEMPE and not value & _EEPE:
            self._armed_at = self._cycle[0]
        self._data[address] = value & ~(_EERE | _EEPE) | before & _EEPE
        if starts:
            self._write(value >> _MODE_SHIFT & 3)
        elif value & _EERE and not before & _EEPE:
            self._data[EEDR] = self.cells[self._place()]
        self._ask(value)

    def _ask(self, control: int) -> None:
        machine = self._machine
        if not control & _EERIE or self._data[EECR] & _EEPE:
            machine.lib.avr_clear_interrupt(machine.pointer, self._vector)
        else:
            machine.lib.avr_raise_interrupt(machine.pointer, self._vector)

    def _write(self, mode: int) -> None:
        place, byte = self._place(), self._data[EEDR]
        if mode == _ERASE_ONLY:
            byte = 0xFF
        elif mode == _WRITE_ONLY:
            byte &= self.cells[place]
        self.cells[place] = byte
        clocks = _BYTE_CLOCKS // 2 if mode else _BYTE_CLOCKS
        self._data[EECR] |= _EEPE
        self._armed_at = -_ARMED_CYCLES - 1
        machine = self._machine
        cycles = clocks * machine.cpu_hz // _OSCILLATOR_HZ
        machine.at(machine.avr.cycle + cycles, self._done)

    def _place(self) -> int:
        address = self._data[EEARL] | self._data[EEARL + 1] << 8
        return address % len(self.cells)

    def _on_read_control(self, _avr: int, address: int, _param: int) -> int:
        if not self._is_armed():
            self._data[address] &= ~_EEMPE
        return self._data[address]

    def _on_done(self, _avr: int, _when: int, _param: int) -> int:
        self._data[EECR] &= ~_EEPE
        self._ask(self._data[EECR])
        return 0

    def _on_interrupt(self, _irq: int, raised: int, _param: int) -> None:
        """Come again after this one, as long as there is no end of the cause."""
        if not raised and self._data[EECR] & (_EERIE | _EEPE) == _EERIE:
            self._machine.at(self._machine.avr.cycle + 1, self._again)

    def _on_again(self, _avr: int, _when: int, _param: int) -> int:
        self._ask(self._data[EECR])
        return 0
