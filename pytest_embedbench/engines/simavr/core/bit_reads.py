"""Which bits of a port the code behind an instruction looks at, by its opcodes.

A port is read as a byte. What is meant is in the instructions that follow: ``sbis``
names its bit, ``digitalRead`` has a mask in a register. Source of the encodings: AVR
Instruction Set Manual (DS40002198).
"""

from __future__ import annotations

from typing import NamedTuple

from pytest_embedbench.engines.simavr.core.opcodes import (
    constant,
    destination,
    length,
    source,
    upper,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

ALL_BITS = 0xFF
_LOOK_AHEAD = 8


class _Kind(NamedTuple):
    mask: int
    value: int

    def fits(self, opcode: int) -> bool:
        return opcode & self.mask == self.value


_SBIC_SBIS = _Kind(0xFD00, 0x9900)
_LOADS = (
    _Kind(0xF800, 0xB000),  # in
    _Kind(0xFE00, 0x9000),  # ld, lds
    _Kind(0xD200, 0x8000),  # ldd
)
_STORES = (
    _Kind(0xFE00, 0x9200),  # st, sts
    _Kind(0xF800, 0xB800),  # out
)
_AND = _Kind(0xFC00, 0x2000)
_ANDI = _Kind(0xF000, 0x7000)
_ONE_BIT = (
    _Kind(0xFC08, 0xFC00),  # sbrc, sbrs
    _Kind(0xFE08, 0xFA00),  # bst
)
_MOV = _Kind(0xFC00, 0x2C00)
_MOVW = _Kind(0xFF00, 0x0100)
_LDI = _Kind(0xF000, 0xE000)
_COM = _Kind(0xFE0F, 0x9400)
_EOR = _Kind(0xFC00, 0x2400)


class BitsRead(NamedTuple):
    """A mask, or the register that has it; without either all bits are meant."""

    mask: int = ALL_BITS
    register: int | None = None


def bits_read(word: Callable[[int], int], pc: int) -> BitsRead:
    """Return which bits the read at ``pc`` is about.

    All of them, where the byte is used as a whole or its use cannot be told.

    Args:
        word: Returns the word of the program at an address in bytes.
        pc: Where the instruction that reads the port is, in bytes.
    """
    opcode = word(pc)
    if _SBIC_SBIS.fits(opcode):
        return BitsRead(1 << (opcode & 7))
    if not any(kind.fits(opcode) for kind in _LOADS):
        return BitsRead()
    byte = _Byte(destination(opcode))
    at = pc + length(opcode)
    for _ in range(_LOOK_AHEAD):
        opcode = word(at)
        at += length(opcode)
        meant = byte.meant(opcode)
        if meant is not None:
            return meant
        if not byte.goes_on(opcode):
            break
    return BitsRead()


class _Byte:
    """A byte that has been read: the registers that it is in, and known others."""

    def __init__(self, register: int) -> None:
        self._copies = {register}
        self._known: dict[int, int] = {}

    def meant(self, opcode: int) -> BitsRead | None:
        """Return the bits that an instruction takes of it, if that is what it does."""
        one, other, copies = destination(opcode), source(opcode), self._copies
        if _AND.fits(opcode) and (one in copies) != (other in copies):
            mask = other if one in copies else one
            if mask in self._known:
                return BitsRead(self._known[mask] or ALL_BITS)
            return BitsRead(register=mask)
        if _ANDI.fits(opcode) and upper(opcode) in copies:
            return BitsRead(constant(opcode) or ALL_BITS)
        if any(kind.fits(opcode) for kind in _ONE_BIT) and one in copies:
            return BitsRead(1 << (opcode & 7))
        return None

    def goes_on(self, opcode: int) -> bool:
        """Follow it through an instruction; say whether it is known still."""
        one, other, copies = destination(opcode), source(opcode), self._copies
        if _MOV.fits(opcode):
            self._copies = copies | {one} if other in copies else copies - {one}
        elif _MOVW.fits(opcode):
            self._move_pair((opcode >> 4 & 0xF) * 2, (opcode & 0xF) * 2)
        elif _LDI.fits(opcode):
            self._known[upper(opcode)] = constant(opcode)
            self._copies = copies - {upper(opcode)}
        elif _EOR.fits(opcode) and one == other:  # clr
            self._copies = copies - {one}
        elif any(kind.fits(opcode) for kind in (*_LOADS, *_STORES)):
            return one not in copies
        else:
            return _COM.fits(opcode)
        return True

    def _move_pair(self, to: int, low: int) -> None:
        moved = {to + i for i in (0, 1) if low + i in self._copies}
        self._copies = self._copies - {to, to + 1} | moved
