"""Ask the toolchain's ``addr2line`` for what the debug information did not give."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

from pytest_embedbench.crash.dwarf import Frame

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_PREFIXES = {
    "EM_ARM": ("arm-none-eabi-", "arm-zephyr-eabi-"),
    "EM_AVR": ("avr-",),
    "EM_RISCV": ("riscv32-esp-elf-", "riscv64-unknown-elf-"),
    "EM_XTENSA": ("xtensa-esp-elf-", "xtensa-esp32-elf-", "xtensa-lx106-elf-"),
}
_ANSWERS_WITHIN_S = 5.0
_PLACE = re.compile(r"(.+):(\d+)(?: \(discriminator \d+\))?$")


def run_addr2line(elf_path: Path, addresses: Sequence[int]) -> dict[int, list[Frame]]:
    """Return the frames it knows; none if there is no such tool for this ELF here."""
    program = _program_for(elf_path) if addresses else None
    if program is None:
        return {}
    words = [f"{address:#x}" for address in addresses]
    try:
        done = subprocess.run(
            [program, "-a", "-f", "-C", "-i", "-e", str(elf_path), *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_ANSWERS_WITHIN_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return {}
    return {
        int(address, 16): frames
        for address, *rest in _blocks(done.stdout)
        if (frames := list(_frames(int(address, 16), rest)))
    }


def _program_for(elf_path: Path) -> str | None:
    from elftools.common.exceptions import ELFError  # noqa: PLC0415
    from elftools.elf.elffile import ELFFile  # noqa: PLC0415

    try:
        with elf_path.open("rb") as file:
            elf: Any = ELFFile(file)
            machine: str = elf["e_machine"]
    except (OSError, ELFError):
        return None
    names = (f"{prefix}addr2line" for prefix in _PREFIXES.get(machine, ()))
    return next(filter(None, map(shutil.which, names)), None)


def _blocks(text: str) -> Iterator[list[str]]:
    """Split at the lines that repeat an address."""
    block: list[str] = []
    for line in text.splitlines():
        if line.startswith("0x") and block:
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def _frames(address: int, lines: Sequence[str]) -> Iterator[Frame]:
    """Read pairs of lines: a function, and where it is."""
    for function, where in zip(lines[::2], lines[1::2], strict=False):
        place = _PLACE.match(where)
        if place is not None and function != "??":
            file, line = place[1], int(place[2])
            yield Frame(address=address, function=function, file=file, line=line)
