"""Leap over the loop that waits for a byte of SPI: it asks for nothing but its flag.

A byte begins with ``out SPDR``; where ``in``, ``sbrs``, ``rjmp`` on SPSR's flag follow
at once, as in ``SPI.transfer()``, nothing but time passes until the first look that
comes after the byte's end. So it may end at once, if the time is added that the looks
before would have taken, and if nothing else is due in that time.

Source: "AVR Instruction Set Manual": opcodes, and a cycle each for ``out``, ``nop``,
``in`` and a ``sbrs`` that does not skip, two for ``rjmp``.
"""

from __future__ import annotations

import ctypes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pytest_embedbench.engines.simavr.core.machine import AvrMachine

_REGISTER_MASK = 0x01F0
_OUT_SPDR, _IN_SPSR = 0xBC0E, 0xB40D
_SBRS_SPIF = 0xFE07
_RJMP_TO_IN, _NOP = 0xCFFD, 0x0000
_LOOK_CYCLES = 4
_MOST_NOPS = 4
_WORDS = 1 + _MOST_NOPS + 3


class SpiPoll:
    """Asked at each write of SPDR."""

    def __init__(self, machine: AvrMachine) -> None:
        self._machine = machine
        self._cycle = machine.cycle_view
        self._pc = machine.view("pc", "I")
        self._free = machine.view("run_cycle_count", "Q")
        self._interrupts = machine.view("interrupt_state", "b")
        self._leads: dict[int, int] = {}  # from SPDR to the first look, by PC

    def skip(self, ends_at: int) -> bool:
        """Pass the time of a byte that begins now; say whether that could be done."""
        pc = self._pc[0]
        lead = self._leads.get(pc)
        if lead is None:
            lead = self._leads[pc] = self._looked_at(pc)
        if not lead or self._interrupts[0]:
            return False
        looks = -((self._cycle[0] + lead - ends_at) // _LOOK_CYCLES)
        cycles = looks * _LOOK_CYCLES if looks > 0 else 0
        if self._free[0] <= lead + cycles:
            return False
        self._cycle[0] += cycles
        self._free[0] -= cycles
        return True

    def _looked_at(self, pc: int) -> int:
        """Return after how many cycles the first look is; 0 if it is none we know."""
        if pc + 2 * _WORDS > self._machine.mcu.flash_bytes:
            return 0
        code = ctypes.string_at(self._machine.avr.flash + pc, 2 * _WORDS)
        words = memoryview(code).cast("H").tolist()
        if words[0] & ~_REGISTER_MASK != _OUT_SPDR:
            return 0
        nops = next((n for n in range(_MOST_NOPS + 1) if words[1 + n] != _NOP), 0)
        looks, tests, again = words[1 + nops : 4 + nops]
        is_loop = (
            looks & ~_REGISTER_MASK == _IN_SPSR
            and tests == _SBRS_SPIF | looks & _REGISTER_MASK
            and again == _RJMP_TO_IN
        )
        return 1 + nops if is_loop else 0
