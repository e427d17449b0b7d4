"""Who reads an input that nothing holds: on a real board that is chance.

A read is looked at only while an input that is wired floats, and not after its first.
"""

from __future__ import annotations

from pytest_embedbench.engines.simavr.core import layout
from pytest_embedbench.engines.simavr.core.bit_reads import ALL_BITS, bits_read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.engines.simavr.core.bit_reads import BitsRead
    from pytest_embedbench.engines.simavr.core.machine import AvrMachine
    from pytest_embedbench.engines.simavr.core.pins import AvrPort


class FloatingReads:
    """Tells of the bits of a port that are read while they float, each once.

    Which bits a read means is in the program; one that takes the whole port means none.
    """

    def __init__(
        self,
        machine: AvrMachine,
        port: AvrPort,
        address: int,
        wired: int,
        found: Callable[[int, int], None],
    ) -> None:
        self._machine, self._slot, self._found = machine, machine.io(address), found
        self._read = machine.keep(layout.IoRead(self._on_read))
        self._before: int | None = None
        self._is_in = False
        self._floating, self._left = 0, wired
        self._places: dict[int, BitsRead] = {}
        port.floating_reads = self
        port.on_floating(wired, self._on_floating)

    def put_under(self, wrap: Callable[[int | None], int]) -> None:
        """Have what tells the port's value wrapped, whether it is looked at or not."""
        if self._slot.read == self._read:
            self._before = wrap(self._before)
        else:
            self._slot.read = wrap(self._slot.read)

    def _on_floating(self, floating: int) -> None:
        self._floating = floating & self._left
        if self._floating and not self._is_in:
            self._before, self._slot.read = self._slot.read, self._read
            self._is_in = True
        # Whoever has come before us since then calls us: we stay where we are.
        elif not self._floating and self._slot.read == self._read:
            self._slot.read = self._before
            self._is_in = False

    def _on_read(self, avr: int, address: int, _param: int) -> int:
        machine = self._machine
        value = int(machine.data[address])
        if self._before:
            param = self._slot.read_param
            value = layout.IoRead(self._before)(avr, address, param)
        pc = machine.avr.pc
        meant = self._places.get(pc)
        if meant is None:
            meant = self._places[pc] = bits_read(machine.word, pc)
        mask = meant.mask
        if meant.register is not None:
            mask = machine.data[meant.register]
        seen = self._floating & mask if mask != ALL_BITS else 0
        if seen:
            self._left &= ~seen
            for bit in range(8):
                if seen >> bit & 1:
                    self._found(machine.avr.cycle, bit)
            self._on_floating(self._floating)
        return value
