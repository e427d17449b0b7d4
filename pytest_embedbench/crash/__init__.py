"""Say in terms of the source what a crash dump says in numbers."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from pytest_embedbench.crash.addr2line import run_addr2line
from pytest_embedbench.crash.dwarf import Frame, frames_at
from pytest_embedbench.crash.unwind import unwind
from pytest_embedbench.support.symbols import load_symbols
from pytest_embedbench.wire.crash_dump import registers, stack

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_embedbench.wire.crash import Crash

__all__ = ["Frame", "comes_from", "decode", "explain"]


def decode(crash: Crash, elf_path: Path) -> list[Frame]:
    """Return where the firmware was, innermost first, inlined calls spelled out.

    Read from the ELF's own debug information; by the toolchain's ``addr2line`` where
    that is not enough; with the names of functions alone where there is none.
    """
    places = unwind(registers(crash.lines), stack(crash.lines), elf_path)
    return locate(places or crash.addresses, elf_path)


def locate(addresses: Sequence[int], elf_path: Path) -> list[Frame]:
    """Return the frames of some addresses; those outside of the program are bare."""
    found = frames_at(elf_path, addresses)
    found |= run_addr2line(elf_path, [at for at in addresses if at not in found])
    if any(at not in found for at in addresses):
        describe = load_symbols(elf_path).describe
        found |= {
            at: [Frame(address=at, function=describe(at))]
            for at in addresses
            if at not in found
        }
    return [frame for at in addresses for frame in found[at]]


def comes_from(crash: Crash, elf_path: Path) -> bool:
    """Say whether the crash may be one of this ELF: its digest, if given, agrees."""
    digest = hashlib.sha256(elf_path.read_bytes()).hexdigest()
    return digest.startswith(crash.elf_sha256)


def explain(crash: Crash, elf_path: Path | None) -> str:
    """Return the crash as a paragraph: what has happened, and where."""
    if not crash.addresses:
        return crash.summary
    if elf_path is None or not elf_path.is_file():
        bare = " ".join(f"{address:#x}" for address in crash.addresses)
        return f"{crash.summary}\nbacktrace (no ELF to decode it with): {bare}"
    if not comes_from(crash, elf_path):
        return (
            f"{crash.summary}\nbacktrace not decoded: the board runs an ELF whose "
            f"SHA-256 begins with {crash.elf_sha256}, which is not {elf_path}"
        )
    frames = "".join(f"\n  {frame}" for frame in decode(crash, elf_path))
    return f"{crash.summary}\nbacktrace, innermost first:{frames}"
