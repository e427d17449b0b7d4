"""Read what a crash dump says: where the program was, and why it stopped."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_HEX = r"(?:0x)?([0-9a-fA-F]{6,8})\b"
_PAIRS = re.compile(r"(?i)(0x[0-9a-f]{8}):0x[0-9a-f]{8}")
_REGISTER = re.compile(r"\b([A-Z][A-Z0-9/]{1,8}) *: 0x([0-9a-f]{8})")
_ABORTED = re.compile(r"(?:was called at PC|\) at) (0x[0-9a-f]+)")
_CALLS = re.compile(r"addr2line -e \S+ -\w+(?: -\w+)*((?: [0-9a-fA-F]{8})+)")
_ARM_PC = re.compile(rf"(?i)(?:\bpc\b|r15/pc\)|\bfault at)(?: *\[r15\])?[ :=]*{_HEX}")
_ARM_LR = re.compile(rf"(?i)(?:\blr\b|r14/lr:?)(?: *\[r14\])?[ :=]*{_HEX}")
_CFSR = re.compile(rf"(?i)\bCFSR[ :=]*{_HEX}")
_FAULT_ADDRESS = re.compile(rf"(?i)\b(BFAR|MMFAR)(?: Address)?[ :=]*{_HEX}")
_DIGEST = re.compile(r"ELF file SHA256: +([0-9a-f]{8,64})")
_STACK_ROW = re.compile(r"^(?:0x)?([0-9a-f]{8}): ((?:0x[0-9a-f]{8} ?)+)$")
_EXC_RETURN = 0xFF00_0000

# Configurable Fault Status Register, from the ARMv7-M manual.
_CFSR_BITS = {
    0: "instruction access violation",
    1: "data access violation",
    3: "violation on exception return",
    4: "violation on exception entry",
    8: "instruction bus error",
    9: "precise data bus error",
    10: "imprecise data bus error",
    11: "bus error on exception return",
    12: "bus error on exception entry",
    16: "undefined instruction",
    17: "invalid state",
    18: "invalid PC on exception return",
    19: "no coprocessor",
    20: "stack overflow",
    24: "unaligned access",
    25: "division by zero",
}
_MMFAR_VALID, _BFAR_VALID = 7, 15


def addresses(lines: Sequence[str]) -> tuple[int, ...]:
    """Return where the program was: the innermost place first, then its callers.

    A caller is given by an address inside the call, not by the one it returns to.
    """
    for line in lines:
        if line.startswith("Backtrace:") and (pairs := _PAIRS.findall(line)):
            return _calls_of(pairs, lines)
        if calls := _CALLS.search(line):
            return tuple(int(word, 16) for word in calls[1].split())
    found, abort_place = registers(lines), _abort_place(lines)
    if "MEPC" in found:
        return _distinct(abort_place, found["MEPC"], found.get("RA", 0) - 1)
    if "PC" in found and "A0" in found:
        return _distinct(abort_place, found["PC"], _xtensa_caller(found["A0"]))
    return _distinct(abort_place) or _distinct(*_arm(lines))


def registers(lines: Iterable[str]) -> dict[str, int]:
    """Return the registers of an ESP-IDF dump, of the first core that has them."""
    found: dict[str, int] = {}
    for line in lines:
        for name, value in _REGISTER.findall(line):
            found.setdefault(name.partition("/")[0], int(value, 16))
    return found


def stack(lines: Iterable[str]) -> dict[int, int]:
    """Return the words of a stack dump by address."""
    words: dict[int, int] = {}
    for line in lines:
        if row := _STACK_ROW.match(line.strip()):
            start = int(row[1], 16)
            for index, word in enumerate(row[2].split()):
                words[start + 4 * index] = int(word, 16)
    return words


def digest(lines: Iterable[str]) -> str:
    """Return what is given of the SHA-256 of the ELF that has died, or ``""``."""
    for line in lines:
        if found := _DIGEST.search(line):
            return found[1]
    return ""


def cause(lines: Sequence[str]) -> str:
    """Return what the fault registers add to the story, or ``""``."""
    found = registers(lines)
    for name in ("EXCVADDR", "MTVAL"):
        if name in found:
            return f"address {found[name]:#010x}"
    for line in lines:
        if status := _CFSR.search(line):
            return _fault_status(int(status[1], 16), lines)
    return ""


def _calls_of(pairs: list[str], lines: Sequence[str]) -> tuple[int, ...]:
    """Xtensa prints places inside the calls, RISC-V prints return addresses."""
    back = 1 if "MEPC" in registers(lines) else 0
    first, *callers = (int(pair, 16) for pair in pairs)
    wanted = (first, *(caller - back for caller in callers))
    return tuple(address for address in wanted if 0 < address < _EXC_RETURN)


def _abort_place(lines: Sequence[str]) -> int:
    for line in lines:
        if at := _ABORTED.search(line):
            return int(at[1], 16)
    return 0


def _xtensa_caller(a0: int) -> int:
    """The top bits of a return address say how far the register window rotates."""
    return (a0 & 0x3FFF_FFFF | 0x4000_0000) - 3 if a0 else 0


def _arm(lines: Sequence[str]) -> Iterator[int]:
    for pattern, back in ((_ARM_PC, 0), (_ARM_LR, 2)):
        for line in lines:
            if found := pattern.search(line):
                value = int(found[1], 16)
                if 0 < value < _EXC_RETURN:
                    yield (value & ~1) - back
                break


def _distinct(*places: int) -> tuple[int, ...]:
    return tuple(dict.fromkeys(place for place in places if place > 0))


def _fault_status(status: int, lines: Sequence[str]) -> str:
    causes = [text for bit, text in _CFSR_BITS.items() if status >> bit & 1]
    valid = {"BFAR": status >> _BFAR_VALID & 1, "MMFAR": status >> _MMFAR_VALID & 1}
    for line in lines:
        for name, value in _FAULT_ADDRESS.findall(line):
            if valid[name.upper()]:
                causes.append(f"address 0x{value.lower()}")
    return ", ".join(causes)
