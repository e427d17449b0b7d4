"""What kind of firmware file something is, by what is in it, and what it holds."""

from __future__ import annotations

import enum
import struct
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError, FirmwareFault

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FLASHER_ARGS = "flasher_args.json"
_UF2 = struct.Struct("<8I")
_UF2_BLOCK, _UF2_DATA = 512, 476
_UF2_MAGIC = (0x0A324655, 0x9E5D5157)
_NOT_MAIN_FLASH = 0x00000001
_DATA, _END, _SEGMENT, _LINEAR = 0, 1, 2, 4
_STARTS = (3, 5)
"""Where a program begins: of no use for a chip that begins at its vector."""


class ImageKind(enum.Enum):
    """What a prebuilt firmware can be; the value is what a message calls it."""

    ELF = "ELF"
    HEX = "Intel HEX"
    UF2 = "UF2"
    FLASHER_ARGS = "ESP-IDF's flasher_args.json"
    BIN = "BIN"


def image_kind(path: Path) -> ImageKind:
    """Return what a file is.

    Raises:
        ConfigError: it cannot be read, or is empty.
    """
    try:
        with path.open("rb") as file:
            head = file.read(64)
    except OSError as error:
        raise ConfigError(f"image {path}: cannot be read: {error.strerror}") from error
    if not head:
        raise ConfigError(f"image {path}: is empty")
    if head.startswith(b"\x7fELF"):
        return ImageKind.ELF
    if head.startswith(_UF2_MAGIC[0].to_bytes(4, "little")):
        return ImageKind.UF2
    if head.lstrip()[:1] == b":":
        return ImageKind.HEX
    if path.suffix == ".json":
        return ImageKind.FLASHER_ARGS
    return ImageKind.BIN


def read_segments(path: Path) -> list[tuple[int, bytes]]:
    """Return what a HEX, UF2 or BIN file puts where; a BIN file begins at 0.

    Raises:
        FirmwareFault: the file is damaged, or of a kind that says no addresses.
        ConfigError: it cannot be read.
    """
    kind = image_kind(path)
    data = path.read_bytes()
    if kind is ImageKind.BIN:
        return [(0, data)]
    if kind is ImageKind.HEX:
        return _joined(_hex_records(path, data))
    if kind is ImageKind.UF2:
        return _joined(_uf2_blocks(path, data))
    raise FirmwareFault(f"{path}: is {kind.value}, no list of bytes and addresses")


def _hex_records(path: Path, data: bytes) -> Iterator[tuple[int, bytes]]:
    base, ended = 0, False
    for number, line in enumerate(data.decode("latin-1").split(), 1):
        record = _hex_record(path, number, line)
        kind, body = record[3], record[4:-1]
        if kind == _DATA:
            yield base + int.from_bytes(record[1:3], "big"), body
        elif kind == _END:
            ended = True
            break
        elif kind in (_SEGMENT, _LINEAR):
            base = int.from_bytes(body, "big") << (4 if kind == _SEGMENT else 16)
        elif kind not in _STARTS:
            raise FirmwareFault(f"{path}: line {number}: record of unknown type {kind}")
    if not ended:
        raise FirmwareFault(f"{path}: is cut short: it has no end record")


def _hex_record(path: Path, number: int, line: str) -> bytes:
    try:
        record = bytes.fromhex(line.removeprefix(":"))
    except ValueError:
        record = b""
    if not line.startswith(":") or len(record) < 5 or len(record) != record[0] + 5:  # noqa: PLR2004
        raise FirmwareFault(f"{path}: line {number}: is no record of Intel HEX")
    if sum(record) & 0xFF:
        raise FirmwareFault(f"{path}: line {number}: its checksum is wrong")
    return record


def _uf2_blocks(path: Path, data: bytes) -> Iterator[tuple[int, bytes]]:
    if len(data) % _UF2_BLOCK:
        raise FirmwareFault(f"{path}: is cut short: {len(data)} bytes of UF2")
    for at in range(0, len(data), _UF2_BLOCK):
        first, second, flags, address, size, *_ = _UF2.unpack_from(data, at)
        if (first, second) != _UF2_MAGIC or size > _UF2_DATA:
            raise FirmwareFault(f"{path}: block {at // _UF2_BLOCK} is no UF2")
        if not flags & _NOT_MAIN_FLASH:
            start = at + _UF2.size
            yield address, data[start : start + size]


def _joined(pieces: Iterator[tuple[int, bytes]]) -> list[tuple[int, bytes]]:
    found: list[tuple[int, bytearray]] = []
    for address, data in sorted(pieces):
        if found and found[-1][0] + len(found[-1][1]) == address:
            found[-1][1].extend(data)
        else:
            found.append((address, bytearray(data)))
    return [(address, bytes(data)) for address, data in found]
