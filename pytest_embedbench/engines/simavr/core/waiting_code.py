"""Follow code that only waits: when it comes round, and how long a round takes.

A loop that waits for an interrupt reads RAM, and comes round to the state in which it
began; so it goes on for ever, if nothing but itself happens. What it does is followed
instruction by instruction, from any place that leads to it, such as the end of another
interrupt. Code that does anything else, counts for instance, is none.

Source: "AVR Instruction Set Manual": opcodes, flags, and cycles of ATmega.
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from pytest_embedbench.engines.simavr.core.known_state import FLAGS, KnownState
from pytest_embedbench.engines.simavr.core.opcodes import (
    constant,
    destination,
    length,
    source,
    upper,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container
    from typing import Any

    _Instruction = tuple[int, int, Callable[[Any, int], bool]]

_C, _Z, _I = 0, 1, 7
_MOST_STEPS = 200


class Round(NamedTuple):
    """A loop that waits, as seen from where the code was followed from.

    Args:
        lead_cycles: Until the first time that it comes round.
        period_cycles: How long a round takes; 0 if it is no such loop.
        seen: The addresses of registers and RAM, in order, that it follows from.
    """

    lead_cycles: int
    period_cycles: int
    seen: tuple[int, ...]


class WaitingCode(KnownState):
    """The state of a core, as far as it is known, on its way to a loop.

    Args:
        word: Returns the word of the program at an address in bytes.
        data: Registers and RAM.
        readable: The addresses that nothing but an interrupt can change.
        pc: Where to begin, in bytes.
        sp: The stack pointer.
        is_wide: Whether return addresses take three bytes.
    """

    def __init__(
        self,
        word: Callable[[int], int],
        data: memoryview,
        *,
        readable: Container[int],
        pc: int,
        sp: int,
        is_wide: bool,
    ) -> None:
        super().__init__(data, readable)
        self._word = word
        self._pc, self._sp, self._is_wide = pc, sp, is_wide

    def round(self) -> Round:
        """Return the loop that it comes to, if that waits."""
        begun: dict[object, int] = {}
        for _ in range(_MOST_STEPS):
            before = self._pc
            if not self._step():
                break
            if self._pc > before:
                continue
            state = self._state()
            if state in begun:
                period_cycles = self._cycles - begun[state]
                return Round(begun[state], period_cycles, tuple(sorted(self._seen)))
            begun[state] = self._cycles
        return Round(0, 0, tuple(sorted(self._seen)))

    def _state(self) -> object:
        registers = frozenset(self._registers.items())
        popped = frozenset(self._popped.items())
        return self._pc, self._sp, registers, popped, tuple(self._flags)

    # ------------------------------------------------------------------- instructions
    def _step(self) -> bool:
        """Obey an instruction; say whether that was possible."""
        opcode = self._word(self._pc)
        self._pc += 2
        self._cycles += 1
        for mask, value, obey in self._INSTRUCTIONS:
            if opcode & mask == value:
                return obey(self, opcode)
        return False

    def _nop(self, _opcode: int) -> bool:
        return True

    def _movw(self, opcode: int) -> bool:
        to, of = (opcode >> 4 & 15) * 2, (opcode & 15) * 2
        self._set(to, self._register(of))
        return self._set(to + 1, self._register(of + 1))

    def _mov(self, opcode: int) -> bool:
        return self._set(destination(opcode), self._register(source(opcode)))

    def _ldi(self, opcode: int) -> bool:
        return self._set(upper(opcode), constant(opcode))

    def _cp(self, opcode: int) -> bool:
        one, other = self._both(opcode)
        return self._compare(one, other, 0)

    def _cpi(self, opcode: int) -> bool:
        return self._compare(self._register(upper(opcode)), constant(opcode), 0)

    def _cpc(self, opcode: int) -> bool:
        return self._compare_on(*self._both(opcode))

    def _sbci(self, opcode: int) -> bool:
        number, carry = upper(opcode), self._flags[_C] or 0
        one, other = self._register(number), constant(opcode)
        is_known = self._compare_on(one, other)
        return is_known and self._set(number, (one - other - carry) & 0xFF)

    def _compare_on(self, one: int, other: int) -> bool:
        """Compare what is above of a wider value."""
        carry, was_zero = self._flags[_C], self._flags[_Z]
        if carry is None or was_zero is None:
            return False
        self._compare(one, other, carry)
        self._flags[_Z] = was_zero and self._flags[_Z]
        return True

    def _cpse(self, opcode: int) -> bool:
        one, other = self._both(opcode)
        return self._skip_if(is_so=one == other)

    def _and(self, opcode: int) -> bool:
        one, other = self._both(opcode)
        return self._logical(destination(opcode), one & other)

    def _eor(self, opcode: int) -> bool:
        if destination(opcode) == source(opcode):
            return self._logical(destination(opcode), 0)
        one, other = self._both(opcode)
        return self._logical(destination(opcode), one ^ other)

    def _or(self, opcode: int) -> bool:
        one, other = self._both(opcode)
        return self._logical(destination(opcode), one | other)

    def _andi(self, opcode: int) -> bool:
        number = upper(opcode)
        return self._logical(number, self._register(number) & constant(opcode))

    def _ori(self, opcode: int) -> bool:
        number = upper(opcode)
        return self._logical(number, self._register(number) | constant(opcode))

    def _lds(self, opcode: int) -> bool:
        address = self._word(self._pc)
        self._pc += 2
        return self._load(destination(opcode), address)

    def _ld_x(self, opcode: int) -> bool:
        return self._load(destination(opcode), self._pointer(26))

    def _ldd(self, opcode: int) -> bool:
        far = opcode & 7 | opcode >> 7 & 0x18 | opcode >> 8 & 0x20
        base = self._pointer(28 if opcode & 8 else 30)
        return self._load(destination(opcode), base + far)

    def _pop(self, opcode: int) -> bool:
        self._cycles += 1
        self._sp += 1
        number = destination(opcode)
        self._registers.pop(number, None)
        self._popped[number] = self._sp
        return self._sp in self._readable

    def _out_sreg(self, opcode: int) -> bool:
        value = self._register(destination(opcode))
        self._flags = [value >> bit & 1 for bit in range(FLAGS)]
        return True

    def _ret(self, opcode: int) -> bool:
        words = 0
        for _ in range(2 + self._is_wide):
            self._sp += 1
            if self._sp not in self._readable:
                return False
            words = words << 8 | self._memory(self._sp)
        self._pc = 2 * words
        self._cycles += 3 + self._is_wide
        if opcode & 0x10:  # reti
            self._flags[_I] = 1
        return True

    def _rjmp(self, opcode: int) -> bool:
        self._cycles += 1
        self._pc += 2 * ((opcode & 0x7FF) - (opcode & 0x800))
        return True

    def _jmp(self, opcode: int) -> bool:
        self._cycles += 2
        high = (opcode >> 3 & 0x3E | opcode & 1) << 16
        self._pc = 2 * (high | self._word(self._pc))
        return True

    def _branch(self, opcode: int) -> bool:
        """Obey brbs and brbc."""
        flag = self._flags[opcode & 7]
        if flag is None:
            return False
        if flag != opcode >> 10 & 1:
            self._cycles += 1
            self._pc += 2 * ((opcode >> 3 & 0x3F) - (opcode >> 3 & 0x40))
        return True

    def _skip_on_bit(self, opcode: int) -> bool:
        """Obey sbrc and sbrs."""
        bit = self._register(destination(opcode)) >> (opcode & 7) & 1
        return self._skip_if(is_so=bit == opcode >> 9 & 1)

    # ------------------------------------------------------------------ what they share
    def _both(self, opcode: int) -> tuple[int, int]:
        return self._register(destination(opcode)), self._register(source(opcode))

    def _skip_if(self, *, is_so: bool) -> bool:
        if is_so:
            skipped_bytes = length(self._word(self._pc))
            self._pc += skipped_bytes
            self._cycles += skipped_bytes // 2
        return True

    _INSTRUCTIONS: ClassVar[tuple[_Instruction, ...]] = (
        (0xFFFF, 0x0000, _nop),
        (0xFF00, 0x0100, _movw),
        (0xFC00, 0x0400, _cpc),
        (0xFC00, 0x1000, _cpse),
        (0xFC00, 0x1400, _cp),
        (0xFC00, 0x2000, _and),
        (0xFC00, 0x2400, _eor),
        (0xFC00, 0x2800, _or),
        (0xFC00, 0x2C00, _mov),
        (0xF000, 0x3000, _cpi),
        (0xF000, 0x4000, _sbci),
        (0xF000, 0x6000, _ori),
        (0xF000, 0x7000, _andi),
        (0xD200, 0x8000, _ldd),
        (0xFE0F, 0x9000, _lds),
        (0xFE0F, 0x900C, _ld_x),
        (0xFE0F, 0x900F, _pop),
        (0xFFEF, 0x9508, _ret),
        (0xFE0E, 0x940C, _jmp),
        (0xFE0F, 0xBE0F, _out_sreg),
        (0xF000, 0xC000, _rjmp),
        (0xF000, 0xE000, _ldi),
        (0xF800, 0xF000, _branch),
        (0xFC08, 0xFC00, _skip_on_bit),
    )
