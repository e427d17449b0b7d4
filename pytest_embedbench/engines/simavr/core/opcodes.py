"""What opcodes of the AVR name: registers, constants, and how long they are.

Source: AVR Instruction Set Manual (DS40002198).
"""

from __future__ import annotations

_UPPER = 16
_LDS_STS = 0xFC0F, 0x9000
_JMP_CALL = 0xFE0C, 0x940C


def destination(opcode: int) -> int:
    """Return the register that an instruction writes, or its first one."""
    return opcode >> 4 & 0x1F


def source(opcode: int) -> int:
    """Return the second register of an instruction with two."""
    return opcode & 0xF | opcode >> 5 & 0x10


def upper(opcode: int) -> int:
    """Return the register of an instruction with a constant: 16 to 31."""
    return _UPPER + (opcode >> 4 & 0xF)


def constant(opcode: int) -> int:
    """Return the constant."""
    return opcode >> 4 & 0xF0 | opcode & 0xF


def length(opcode: int) -> int:
    """Return how many bytes an instruction takes."""
    is_long = any(opcode & mask == value for mask, value in (_LDS_STS, _JMP_CALL))
    return 4 if is_long else 2
