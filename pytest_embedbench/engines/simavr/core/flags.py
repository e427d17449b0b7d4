"""Flags of interrupts: simavr stores what is written, and forgets those it has.

Sources: ATmega328P data sheet, 13.2.3 (EIFR), 13.2.5 (PCIFR), 23.3.2 (ACSR), 24.9.2
(ADCSRA): a flag is cleared by writing 1 to it, and one that is up interrupts as soon as
that is switched on.
"""

from __future__ import annotations

from pytest_embedbench.engines.simavr.core import layout
from pytest_embedbench.engines.simavr.core.mcus import EIFR, EIMSK, PCICR, PCIFR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.engines.simavr.core.machine import AvrMachine

_FIRST_VECTOR = 1


class InterruptFlags:
    """A register of flags, one for each of ``vectors``, and that of their masks."""

    def __init__(
        self, machine: AvrMachine, flags: int, masks: int, vectors: Sequence[int]
    ) -> None:
        self._machine = machine
        self._flags = flags
        self._vectors = [machine.vector(number) for number in vectors]
        machine.on_write(flags, self._on_flags)
        machine.on_write(masks, self._on_masks)

    def _on_flags(self, _avr: int, address: int, value: int, _param: int) -> None:
        machine = self._machine
        value = machine.written_bits(value) & machine.data[address]
        for bit, vector in enumerate(self._vectors):
            if value >> bit & 1:
                machine.lib.avr_clear_interrupt(machine.pointer, vector)
                machine.data[address] &= ~(1 << bit)

    def _on_masks(self, _avr: int, address: int, value: int, _param: int) -> None:
        machine = self._machine
        ready = value & ~machine.data[address] & machine.data[self._flags]
        machine.data[address] = value
        for bit, vector in enumerate(self._vectors):
            if ready >> bit & 1:
                machine.lib.avr_raise_interrupt(machine.pointer, vector)


class FlagAmongControls:
    """A flag that shares a register with what simavr has to see, as in ADCSRA.

    The bit below it is that of its interrupt; ``shown`` are bits that are only read.
    """

    def __init__(
        self, machine: AvrMachine, address: int, flag: int, vector: int, shown: int = 0
    ) -> None:
        self._kept = 1 << flag | shown
        self._machine = machine
        self._flag, self._mask = 1 << flag, 1 << flag - 1
        self._vector = machine.vector(vector)
        slot = machine.io(address)
        self._simavrs_write = layout.IoWrite(slot.write)
        self._param = slot.write_param
        machine.on_write(address, self._on_write)

    def _on_write(self, avr: int, address: int, value: int, _param: int) -> None:
        machine, flag = self._machine, self._flag
        before = machine.data[address]
        clears = before & machine.written_bits(value) & flag
        written = value & ~self._kept | before & self._kept
        self._simavrs_write(avr, address, written, self._param)
        if clears:
            machine.lib.avr_clear_interrupt(machine.pointer, self._vector)
            machine.data[address] &= ~flag
        elif before & flag and value & ~before & self._mask:
            machine.lib.avr_raise_interrupt(machine.pointer, self._vector)


def pin_flags(machine: AvrMachine) -> tuple[InterruptFlags, InterruptFlags]:
    """Take over the flags of INT0, INT1, ..., and those of PCINT."""
    count = len(machine.mcu.interrupt_pins)
    ints = range(_FIRST_VECTOR, _FIRST_VECTOR + count)
    return (
        InterruptFlags(machine, EIFR, EIMSK, ints),
        InterruptFlags(machine, PCIFR, PCICR, machine.mcu.pin_change_vectors),
    )
