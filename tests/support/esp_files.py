"""Images for ESP chips, byte by byte as a build makes them, and ways to spoil them."""

from __future__ import annotations

import hashlib
import json
import struct
from typing import TYPE_CHECKING

from pytest_embedbench.model import FirmwareImage

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

ESP32, ESP32C3 = 0, 5
ENTRY, CODE_AT, DATA_AT = 0x4008_1000, 0x4008_0000, 0x3F40_0020
CODE = bytes(range(64)) * 16


def description(elf_sha256: bytes, project: bytes = b"blinky") -> bytes:
    """Return what ESP-IDF puts in front of an application's first segment."""
    head = struct.pack("<I12x32s32s16s16s", 0xABCD5432, b"1.0", project, b"", b"")
    return head + struct.pack("<32s32s80x", b"v5.1", elf_sha256)


def esp_image(
    *segments: tuple[int, bytes],
    chip_id: int = ESP32,
    entry: int = ENTRY,
    size_code: int = 2,
    digest: bool = True,
) -> bytes:
    """Return an image whose sums are right; ``size_code`` 2 is for 4 MB of flash."""
    segments = segments or ((CODE_AT, CODE),)
    head = struct.pack("<BBBBI", 0xE9, len(segments), 2, size_code << 4, entry)
    head += struct.pack("<B3xHBHH4xB", 0xEE, chip_id, 0, 0, 0xFFFF, digest)
    body = b"".join(struct.pack("<II", at, len(data)) + data for at, data in segments)
    checksum = 0xEF
    for byte in b"".join(data for _, data in segments):
        checksum ^= byte
    image = head + body
    image += bytes(15 - len(image) % 16) + bytes([checksum])
    return image + (hashlib.sha256(image).digest() if digest else b"")


def signed(image: bytes) -> bytes:
    """Return an image with a block as Secure Boot V2 puts behind it."""
    return image + b"\xff" * (-len(image) % 4096) + b"\xe7\x02\0\0" + bytes(1212)


def encrypted(image: bytes) -> bytes:
    """Return what flash encryption makes of an image: noise of the same length."""
    blocks = range(-(-max(len(image), 4096) // 32))
    return b"".join(
        hashlib.sha256(image + bytes([n & 255, n >> 8])).digest() for n in blocks
    )


def partition(kind: int, subtype: int, offset: int, size: int, label: bytes) -> bytes:
    """Return a row of a partition table."""
    return struct.pack("<HBBII16sI", 0x50AA, kind, subtype, offset, size, label, 0)


def partition_table(*rows: bytes) -> bytes:
    """Return a table with its MD5, by default of NVS and one application."""
    rows = rows or (
        partition(1, 2, 0x9000, 0x6000, b"nvs"),
        partition(0, 0x10, 0x10000, 0x100000, b"app0"),
    )
    table = b"".join(rows)
    md5 = hashlib.md5(table, usedforsecurity=False).digest()
    table += b"\xeb\xeb" + b"\xff" * 14 + md5
    return table.ljust(0xC00, b"\xff")


def elf_file(
    *segments: tuple[int, bytes], entry: int = ENTRY, symbols: tuple[str, ...] = ()
) -> bytes:
    """Return an ELF file for Xtensa with loadable segments, and functions by name."""
    segments = segments or ((CODE_AT, CODE),)
    offset = 52 + 32 * len(segments)
    headers, body = b"", b""
    for address, data in segments:
        at = offset + len(body)
        sizes = (len(data), len(data), 5, 4)
        headers += struct.pack("<8I", 1, at, address, address, *sizes)
        body += data
    names = b"\0" + b"".join(name.encode() + b"\0" for name in symbols)
    table = bytes(16)
    at = 1
    for number, name in enumerate(symbols):
        table += struct.pack("<IIIBBH", at, CODE_AT + 16 * number, 4, 2, 0, 1)
        at += len(name) + 1
    heads = b"\0.text\0.symtab\0.strtab\0.shstrtab\0"
    start = offset + len(body)
    spots = [start, start + len(table), start + len(table) + len(names)]
    sections = bytes(40)
    code = (len(segments[0][1]), 0, 0, 4, 0)
    sections += struct.pack("<10I", 1, 1, 6, segments[0][0], offset, *code)
    sections += struct.pack("<10I", 7, 2, 0, 0, spots[0], len(table), 3, 1, 4, 16)
    sections += struct.pack("<10I", 15, 3, 0, 0, spots[1], len(names), 0, 0, 1, 0)
    sections += struct.pack("<10I", 23, 3, 0, 0, spots[2], len(heads), 0, 0, 1, 0)
    sections_at = spots[2] + len(heads)
    head = b"\x7fELF\x01\x01\x01" + bytes(9)
    head += struct.pack("<HHIIIII", 2, 94, 1, entry, 52, sections_at, 0)
    head += struct.pack("<6H", 52, 32, len(segments), 40, 5, 4)
    return head + headers + body + table + names + heads + sections


def esp_build(
    folder: Path,
    *,
    config: dict[str, object] | None = None,
    metadata: dict[str, str] | None = None,
    spoilt: Mapping[str, bytes] | None = None,
) -> FirmwareImage:
    """Return what PlatformIO leaves behind: an ELF file and three for the flash.

    ``spoilt`` are the contents of files, by name, that are not as they should be.
    """
    elf = elf_file()
    made_of = description(hashlib.sha256(elf).digest())
    files = {
        "firmware.elf": elf,
        "firmware.bin": esp_image((DATA_AT, made_of), (CODE_AT, CODE)),
        "bootloader.bin": esp_image(),
        "partitions.bin": partition_table(),
        **(spoilt or {}),
    }
    if config is not None:
        files["sdkconfig.json"] = json.dumps(config).encode()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return FirmwareImage(
        environment="esp32dev",
        elf_path=folder / "firmware.elf",
        sha256="",
        artifacts={name: folder / name for name in files},
        metadata={
            "flash_images": "0x1000=bootloader.bin 0x8000=partitions.bin",
            "application_offset": "0x10000",
            **(metadata or {}),
        },
    )
