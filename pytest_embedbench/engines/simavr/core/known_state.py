"""Registers, flags and RAM of an AVR as far as they are known, and what that is from.

Source: "AVR Instruction Set Manual": flags.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

_C, _Z, _N, _V, _S, _H = range(6)
FLAGS = 8
_MASK_8 = 0xFF


class KnownState:
    """What is looked at is taken from ``data`` and noted; flags are not known then.

    Args:
        data: Registers and RAM.
        readable: The addresses whose cells may be read.
    """

    def __init__(self, data: memoryview, readable: Container[int]) -> None:
        self._data, self._readable = data, readable
        self._cycles: int = 0
        self._seen: set[int] = set()
        self._registers: dict[int, int] = {}
        self._popped: dict[int, int] = {}  # registers that nobody has looked at yet
        self._flags: list[int | None] = [None] * FLAGS

    def _register(self, number: int) -> int:
        if number in self._popped:
            self._registers[number] = self._memory(self._popped.pop(number))
        elif number not in self._registers:
            self._registers[number] = self._memory(number)
        return self._registers[number]

    def _memory(self, address: int) -> int:
        self._seen.add(address)
        return self._data[address]

    def _set(self, number: int, value: int) -> bool:
        self._popped.pop(number, None)
        self._registers[number] = value
        return True

    def _load(self, number: int, address: int) -> bool:
        self._cycles += 1
        is_known = address in self._readable
        return is_known and self._set(number, self._memory(address))

    def _pointer(self, low: int) -> int:
        return self._register(low) | self._register(low + 1) << 8

    def _logical(self, number: int, value: int) -> bool:
        flags, sign = self._flags, value >> 7
        flags[_Z], flags[_N], flags[_V], flags[_S] = int(not value), sign, 0, sign
        return self._set(number, value)

    def _compare(self, one: int, other: int, carry: int) -> bool:
        flags, result = self._flags, (one - other - carry) & _MASK_8
        borrows = ~one & other | other & result | result & ~one
        flags[_C], flags[_H] = borrows >> 7 & 1, borrows >> 3 & 1
        flags[_Z], flags[_N] = int(not result), result >> 7
        flags[_V] = overflows = ((one ^ other) & (one ^ result)) >> 7
        flags[_S] = result >> 7 ^ overflows
        return True
