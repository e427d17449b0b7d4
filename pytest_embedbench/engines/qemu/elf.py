"""Where things lie in a firmware's memory, by the names in its ELF file."""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from pytest_embedbench.errors import FirmwareFault
from pytest_embedbench.flashing.esp_origin import Loadable

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_THUMB = 1


@dataclass(frozen=True, slots=True)
class SymbolAddresses:
    """Addresses by name; of functions, where their first instruction lies."""

    addresses: Mapping[str, int]

    def __contains__(self, name: object) -> bool:
        """Say whether the firmware has it."""
        return name in self.addresses

    def __getitem__(self, name: str) -> int:
        """Return its address."""
        return self.addresses[name]

    def get(self, name: str) -> int | None:
        """Return its address, if the firmware has it."""
        return self.addresses.get(name)


def read_names(elf_path: Path) -> SymbolAddresses:
    """Read the symbol table, local names too; a stripped file has none.

    Raises:
        FirmwareFault: it is no ELF file.
    """
    try:
        with elf_path.open("rb") as file:
            return SymbolAddresses(_addresses(ELFFile(file)))
    except (OSError, ELFError) as error:
        raise FirmwareFault(
            f"{elf_path}: not a readable ELF file: {error}; without one a board can "
            "only run in real time (its option lockstep = false)"
        ) from error


def read_loadable(path: Path) -> Loadable | None:
    """Return what an ELF file wants in memory; nothing if it is no ELF file."""
    try:
        data = path.read_bytes()
        elf = ELFFile(io.BytesIO(data))
        segments = [
            (part["p_vaddr"], part.data())
            for part in elf.iter_segments("PT_LOAD")
            if part["p_filesz"]
        ]
    except (OSError, ELFError):
        return None
    digest = hashlib.sha256(data).digest()
    return Loadable(path.name, digest, elf["e_entry"], segments)


def _addresses(elf: Any) -> dict[str, int]:  # noqa: ANN401  # elftools is untyped
    table = elf.get_section_by_name(".symtab")
    is_arm = elf["e_machine"] == "EM_ARM"
    addresses: dict[str, int] = {}
    for entry in table.iter_symbols() if table is not None else ():
        kind: str = entry["st_info"]["type"]
        address: int = entry["st_value"]
        if kind == "STT_FUNC" and is_arm:
            address &= ~_THUMB
        if kind in ("STT_FUNC", "STT_OBJECT"):
            addresses[entry.name] = address
    return addresses
