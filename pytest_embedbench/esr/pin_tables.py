"""Other pins for a firmware that has no source: the Arduino core's tables in flash.

The core for AVRs looks up port, bit and timer of a pin by its number, in three tables
of ``pins_arduino.h``. What reads them (``digitalWrite``, libraries by
``digitalPinToPort``) goes to another pin once they say so; what writes port registers
does not, nor does the ADC, whose channels are arithmetic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pytest_embedbench.esr.board_pins import BoardPins
    from pytest_embedbench.esr.model import PinMove

_TABLES = (
    "digital_pin_to_port_PGM",
    "digital_pin_to_bit_mask_PGM",
    "digital_pin_to_timer_PGM",
)
_REQUIRED = _TABLES[:2]
"""Without PWM nobody needs the third."""


def patched(elf: Path, moves: Iterable[PinMove], pins: BoardPins) -> bytes | None:
    """Return the image with pins moved, or ``None`` if it has no such tables."""
    image = elf.read_bytes()
    offsets = _offsets(elf)
    if not all(name in offsets for name in _REQUIRED):
        return None
    changed = bytearray(image)
    for offset in offsets.values():
        for move in moves:
            to, source = pins.number(move.used), pins.number(move.wired)
            changed[offset + to] = image[offset + source]
    return bytes(changed)


def _offsets(elf: Path) -> dict[str, int]:
    """Return where in the file each table is."""
    # Only a firmware without source is looked at so.
    from elftools.common.exceptions import ELFError  # noqa: PLC0415
    from elftools.elf.elffile import ELFFile  # noqa: PLC0415

    found: dict[str, int] = {}
    with elf.open("rb") as file:
        try:
            loaded: Any = ELFFile(file)
        except ELFError:
            return {}
        symbols: Any = loaded.get_section_by_name(".symtab")
        if symbols is None:
            return {}
        for name in _TABLES:
            for symbol in symbols.get_symbol_by_name(name) or ():
                for segment in loaded.iter_segments("PT_LOAD"):
                    inside = symbol["st_value"] - segment["p_vaddr"]
                    if 0 <= inside < segment["p_filesz"]:
                        found[name] = segment["p_offset"] + inside
    return found
