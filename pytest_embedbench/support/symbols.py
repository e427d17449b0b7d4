"""Names for addresses, from the symbol table of an ELF file."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_embedbench.errors import FirmwareFault

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Symbol:
    """A function: where it starts in the ELF file's addresses, and its length."""

    start: int
    length_bytes: int
    name: str


@dataclass(frozen=True, slots=True)
class Symbols:
    """The functions of a program, by rising address."""

    functions: tuple[Symbol, ...] = ()

    def at(self, address: int) -> Symbol | None:
        """Return the function that ``address`` lies in, if it lies in one."""
        index = bisect_right(self.functions, address, key=lambda entry: entry.start)
        if index == 0:
            return None
        nearest = self.functions[index - 1]
        return nearest if address < nearest.start + nearest.length_bytes else None

    def describe(self, address: int) -> str:
        """Return ``controller_step+0x1c``, or the bare address."""
        function = self.at(address)
        if function is None:
            return f"{address:#x}"
        return f"{function.name}+{address - function.start:#x}"


def load_symbols(elf_path: Path) -> Symbols:
    """Read the functions of an ELF file; none if it is stripped or not ELF."""
    # Only a program that has already failed is looked at: do not import it earlier.
    from elftools.common.exceptions import ELFError  # noqa: PLC0415
    from elftools.elf.elffile import ELFFile  # noqa: PLC0415

    try:
        with elf_path.open("rb") as file:
            return Symbols(tuple(_functions(ELFFile(file))))
    except (OSError, ELFError):
        return Symbols()


def elf_machine(path: Path) -> str:
    """Return what an ELF file is for, as ``EM_ARM``.

    Raises:
        FirmwareFault: it is no ELF file.
    """
    from elftools.common.exceptions import ELFError  # noqa: PLC0415  # as above
    from elftools.elf.elffile import ELFFile  # noqa: PLC0415

    try:
        with path.open("rb") as file:
            return str(ELFFile(file)["e_machine"])
    except (OSError, ELFError) as error:
        raise FirmwareFault(f"{path}: is no ELF file: {error}") from error


def _functions(elf: Any) -> list[Symbol]:  # noqa: ANN401  # elftools is untyped
    """Return the functions, by rising address.

    Those in hand-written assembly have no length: they reach up to the next symbol,
    or to the end of their section.
    """
    table = elf.get_section_by_name(".symtab")
    if table is None:
        return []
    entries = sorted(
        (entry for entry in table.iter_symbols() if _is_function(entry)),
        key=lambda entry: entry["st_value"],
    )
    functions: list[Symbol] = []
    for index, entry in enumerate(entries):
        start: int = entry["st_value"]
        if elf["e_machine"] == "EM_ARM":
            start &= ~1  # the lowest bit says Thumb
        section = elf.get_section(entry["st_shndx"])
        end: int = section["sh_addr"] + section["sh_size"]
        if index + 1 < len(entries):
            end = min(end, entries[index + 1]["st_value"])
        functions.append(Symbol(start, entry["st_size"] or end - start, entry.name))
    return functions


def _is_function(entry: Any) -> bool:  # noqa: ANN401
    defined: bool = entry["st_shndx"] not in ("SHN_UNDEF", "SHN_ABS")
    kind: str = entry["st_info"]["type"]
    return defined and kind == "STT_FUNC"
