"""The end of a program: ``exit()``, where ``abort()`` and ``main`` lead to as well."""

from __future__ import annotations

import ctypes

from pytest_embedbench.engines.simavr.core import layout
from pytest_embedbench.engines.simavr.core.mcus import SPH, SPL, WDE, WDTCSR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pytest_embedbench.engines.simavr.core.machine import AvrMachine

# rjmp .-2, and with cli before it the end of exit(), which is the end of all code.
_JUMP_ON_THE_SPOT = b"\xff\xcf"
_END_OF_EXIT = b"\xf8\x94" + _JUMP_ON_THE_SPOT
_I = 7  # the bit of SREG


class ProgramEnd:
    """Waits with a trap at the last instruction of ``exit()``.

    ``reached`` says that it has just been executed.
    """

    def __init__(self, machine: AvrMachine) -> None:
        self._machine = machine
        self._address = 0
        self.reached = False
        self._timer = machine.keep(layout.CycleTimer(self._on_end))

    def look_for(self, address: int, code: bytes) -> None:
        """Find ``exit()`` in a part of the program."""
        if code.endswith(_END_OF_EXIT):
            self._address = address + len(code) - len(_JUMP_ON_THE_SPOT)

    def set_trap(self, trap: bytes) -> None:
        """Put an instruction there that simavr reports."""
        if self._address:
            ctypes.memmove(self._machine.avr.flash + self._address, trap, len(trap))

    def is_here(self, pc: int) -> bool:
        """Say whether the trap is what has been executed; the run stops then."""
        if pc and pc == self._address:
            self.reached = True
            self._machine.avr.state = layout.LIMBO
        return self.reached

    def go_on(self) -> None:
        """Let it jump on the spot, as exit() does, until its last byte is out.

        A watchdog that is on will end that in a way of its own.
        """
        machine, avr = self._machine, self._machine.avr
        self.reached = False
        self.set_trap(_JUMP_ON_THE_SPOT)
        avr.pc, avr.state = self._address, layout.RUNNING
        if not machine.data[WDTCSR] & WDE:
            ends = max([avr.cycle, *(busy() for busy in machine.busy_until)])
            machine.at(ends + 1, self._timer)

    def has_come(self) -> bool:
        """Say whether the core jumps on the spot, and nothing could take it away."""
        avr = self._machine.avr
        if avr.sreg[_I] or self._machine.data[WDTCSR] & WDE:
            return False
        return ctypes.string_at(avr.flash + avr.pc, 2) == _JUMP_ON_THE_SPOT

    def _on_end(self, _avr: int, _when: int, _param: int) -> int:
        machine = self._machine
        stack = machine.data[SPL] | machine.data[SPH] << 8
        kind = "exited" if stack < machine.mcu.ramend else "returned"
        machine.fail(kind, machine.avr.pc)
        machine.stop_now()
        return 0
