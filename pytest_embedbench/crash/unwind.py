"""Walk a RISC-V stack dump: who called whom, by the ELF's call frame information.

A RISC-V ESP prints registers and raw stack where an Xtensa prints a backtrace.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_RA, _SP, _FP = 1, 2, 8
_DEEPEST = 32
_WORD = 0xFFFF_FFFF


def unwind(
    registers: Mapping[str, int], stack: Mapping[int, int], elf_path: Path
) -> tuple[int, ...]:
    """Return the places of all callers, innermost first; none where there is no way."""
    if "MEPC" not in registers or not stack:
        return ()
    # Only a program that has already failed is looked at: do not import it earlier.
    from elftools.common.exceptions import DWARFError, ELFError  # noqa: PLC0415
    from elftools.elf.elffile import ELFFile  # noqa: PLC0415

    try:
        with elf_path.open("rb") as file:
            elf: Any = ELFFile(file)
            if elf["e_machine"] != "EM_RISCV" or not elf.has_dwarf_info():
                return ()
            return tuple(_walk(registers, stack, _descriptions(elf.get_dwarf_info())))
    except (OSError, ELFError, DWARFError):
        return ()


def _descriptions(dwarf: Any) -> list[Any]:  # noqa: ANN401  # elftools is untyped
    entries: list[Any] = list(dwarf.CFI_entries()) if dwarf.has_CFI() else []
    entries += dwarf.EH_CFI_entries() if dwarf.has_EH_CFI() else []
    return [entry for entry in entries if "initial_location" in entry.header]


def _walk(
    registers: Mapping[str, int], stack: Mapping[int, int], descriptions: list[Any]
) -> list[int]:
    place = registers["MEPC"]
    values = {
        _RA: registers.get("RA", 0),
        _SP: registers.get("SP", 0),
        _FP: registers.get("S0", 0),
    }
    places = [place]
    while len(places) < _DEEPEST:
        row = _row_at(descriptions, place)
        if row is None or row["cfa"].reg not in values:
            break
        frame = (values[row["cfa"].reg] + row["cfa"].offset) & _WORD
        saved = {
            number: stack.get(frame + rule.arg)
            for number, rule in row.items()
            if number in values and rule.type == "OFFSET"
        }
        caller = saved.get(_RA, values[_RA] if len(places) == 1 else None)
        if not caller:
            break
        values = {
            _RA: caller,
            _SP: frame,
            _FP: saved.get(_FP) or values[_FP],
        }
        place = caller - 1
        places.append(place)
    return places


def _row_at(descriptions: list[Any], place: int) -> Any:  # noqa: ANN401
    """Return the rules that hold at ``place``."""
    for entry in descriptions:
        start: int = entry.header["initial_location"]
        if start <= place < start + entry.header["address_range"]:
            rows = [row for row in entry.get_decoded().table if row["pc"] <= place]
            return rows[-1] if rows else None
    return None
