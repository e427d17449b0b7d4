"""From an address to function, file and line, by the ELF's debug information."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_FIRST_WITH_FILES_FROM_0 = 5
_SCOPES = ("DW_TAG_namespace", "DW_TAG_class_type")
_ABSTRACT = ("DW_AT_abstract_origin", "DW_AT_specification")


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A place in a program. ``line`` is 0 where only the function is known."""

    address: int
    function: str
    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        where = f" at {self.file}:{self.line}" if self.file else ""
        return f"{self.address:#010x} {self.function}{where}"


def frames_at(elf_path: Path, addresses: Iterable[int]) -> dict[int, list[Frame]]:
    """Return the frames of the addresses that debug information is there for.

    A place in an inlined function has several: itself, then where it was inlined.
    """
    # Only a program that has already failed is looked at: do not import it earlier.
    from elftools.common.exceptions import DWARFError, ELFError  # noqa: PLC0415
    from elftools.elf.elffile import ELFFile  # noqa: PLC0415

    found: dict[int, list[Frame]] = {}
    try:
        with elf_path.open("rb") as file:
            elf: Any = ELFFile(file)
            if not elf.has_dwarf_info():
                return {}
            units = _Units(elf.get_dwarf_info())
            for address in addresses:
                if (unit := units.at(address)) is not None:
                    found[address] = list(_frames(unit, address))
    except (OSError, ELFError, DWARFError):
        return found
    return {address: frames for address, frames in found.items() if frames}


class _Units:
    """The compilation units by address: from the index, else from their own ranges."""

    def __init__(self, dwarf: Any) -> None:  # noqa: ANN401  # elftools is untyped
        self._dwarf = dwarf
        self._index = dwarf.get_aranges()

    def at(self, address: int) -> Any:  # noqa: ANN401
        if self._index is not None:
            offset = self._index.cu_offset_at_addr(address)
            if offset is not None:
                return self._dwarf.get_CU_at(offset)
        for unit in self._dwarf.iter_CUs():
            if _covers(unit.get_top_DIE(), address):
                return unit
        return None


def _frames(unit: Any, address: int) -> Iterator[Frame]:  # noqa: ANN401
    """Yield the place itself, then the calls that were inlined around it."""
    place = _line_at(unit, address)
    for entry in reversed(_enclosing(unit.get_top_DIE(), address)):
        file, line = place
        yield Frame(address=address, function=_name(entry), file=file, line=line)
        place = _call_site(unit, entry)


def _enclosing(entry: Any, address: int) -> list[Any]:  # noqa: ANN401
    """Return the functions around an address, outermost first, inlined ones last."""
    for child in entry.iter_children():
        if child.tag == "DW_TAG_subprogram" and _covers(child, address):
            return [child, *_inlined(child, address)]
        if child.tag in _SCOPES and (inner := _enclosing(child, address)):
            return inner
    return []


def _inlined(entry: Any, address: int) -> list[Any]:  # noqa: ANN401
    for child in entry.iter_children():
        is_call = child.tag == "DW_TAG_inlined_subroutine"
        if (is_call or child.tag == "DW_TAG_lexical_block") and _covers(child, address):
            return [child] * is_call + _inlined(child, address)
    return []


def _covers(entry: Any, address: int) -> bool:  # noqa: ANN401
    attributes = entry.attributes
    if "DW_AT_ranges" in attributes:
        return any(start <= address < end for start, end in _ranges(entry))
    if "DW_AT_low_pc" not in attributes or "DW_AT_high_pc" not in attributes:
        return False
    low: int = attributes["DW_AT_low_pc"].value
    high: int = attributes["DW_AT_high_pc"].value
    if attributes["DW_AT_high_pc"].form != "DW_FORM_addr":
        high += low
    return low <= address < high


def _ranges(entry: Any) -> Iterator[tuple[int, int]]:  # noqa: ANN401
    unit = entry.cu
    lists = unit.dwarfinfo.range_lists()
    top = unit.get_top_DIE().attributes
    base: int = top["DW_AT_low_pc"].value if "DW_AT_low_pc" in top else 0
    offset = entry.attributes["DW_AT_ranges"].value
    for item in lists.get_range_list_at_offset(offset, cu=unit):
        if hasattr(item, "base_address"):
            base = item.base_address
            continue
        shift = 0 if item.is_absolute else base
        yield item.begin_offset + shift, item.end_offset + shift


def _name(entry: Any) -> str:  # noqa: ANN401
    """Return a function's own name; that of its declaration if it has none."""
    seen = 0
    while "DW_AT_name" not in entry.attributes:
        link = next((key for key in _ABSTRACT if key in entry.attributes), None)
        if link is None or seen > len(_ABSTRACT):
            return "??"
        entry = entry.get_DIE_from_attribute(link)
        seen += 1
    name: bytes = entry.attributes["DW_AT_name"].value
    return name.decode(errors="replace")


def _call_site(unit: Any, entry: Any) -> tuple[str, int]:  # noqa: ANN401
    attributes = entry.attributes
    if "DW_AT_call_file" not in attributes:
        return "", 0
    program = unit.dwarfinfo.line_program_for_CU(unit)
    file = _file(unit, program, attributes["DW_AT_call_file"].value)
    line: int = attributes["DW_AT_call_line"].value
    return file, line


def _line_at(unit: Any, address: int) -> tuple[str, int]:  # noqa: ANN401
    """Return file and line of the row whose range has ``address``."""
    program = unit.dwarfinfo.line_program_for_CU(unit)
    if program is None:
        return "", 0
    previous = None
    for row in program.get_entries():
        state = row.state
        if state is None:
            continue
        if previous is not None and previous.address <= address < state.address:
            return _file(unit, program, previous.file), previous.line
        previous = None if state.end_sequence else state
    return "", 0


def _file(unit: Any, program: Any, number: int) -> str:  # noqa: ANN401
    """Return the path of a file by its number, which counts from 0 since DWARF 5."""
    header = program.header
    first = 0 if header.version >= _FIRST_WITH_FILES_FROM_0 else 1
    if not 0 <= number - first < len(header.file_entry):
        return ""
    entry = header.file_entry[number - first]
    top = unit.get_top_DIE().attributes
    parts: list[bytes] = []
    if "DW_AT_comp_dir" in top:
        parts.append(top["DW_AT_comp_dir"].value)
    directory: int = entry.dir_index - first
    if 0 <= directory < len(header.include_directory):
        parts.append(header.include_directory[directory])
    parts.append(entry.name)
    names = (part.decode(errors="replace") for part in parts)
    return posixpath.normpath(posixpath.join(*names))
