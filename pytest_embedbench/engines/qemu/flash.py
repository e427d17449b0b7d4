"""What an ESP chip's flash holds: the build's images, each at its offset. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError, DoesNotFit, FirmwareFault

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_embedbench.model import FirmwareImage

_ERASED = b"\xff"
_MIB = 1 << 20
SIZES_MB = (2, 4, 8, 16)
"""The sizes of flash chips that QEMU has."""
_IMAGE_MAGIC = 0xE9
_PARTITION_TABLE_BYTES = 0xC00
_PARTITION = Struct("<HBBII16sI")
_PARTITION_MAGIC = 0x50AA
_DATA, _NVS = 1, 2


@dataclass(frozen=True, slots=True)
class FlashRegion:
    """Bytes that belong at an offset of the flash."""

    offset: int
    data: bytes

    @property
    def end(self) -> int:
        """The offset behind the last byte."""
        return self.offset + len(self.data)


def pieces(image: FirmwareImage) -> list[FlashRegion]:
    """Return what the build says belongs into the flash.

    Raises:
        FirmwareFault: it has made no image for a flash.
    """
    listed = image.metadata.get("flash_images", "").split()
    files = [entry.partition("=")[::2] for entry in listed]
    application = image.artifacts.get(f"{image.elf_path.stem}.bin")
    offset = image.metadata.get("application_offset")
    if application is None or offset is None:
        raise FirmwareFault(
            f"{image.elf_path}: the build has made no flash image of it: it needs "
            f"{image.elf_path.stem}.bin and the application's offset"
        )
    found = [(at, image.artifacts.get(name), name) for at, name in files]
    return [
        *(FlashRegion(int(at, 0), _read(file, name)) for at, file, name in found),
        FlashRegion(int(offset, 0), _read(application, application.name)),
    ]


def nvs_piece(held: Sequence[FlashRegion], nvs: bytes) -> FlashRegion:
    """Return where an NVS image belongs, by the partition table among ``held``.

    Raises:
        ConfigError: there is no NVS partition, or it is too small.
    """
    for piece in held:
        for start in range(0, _PARTITION_TABLE_BYTES, _PARTITION.size):
            row = piece.data[start : start + _PARTITION.size]
            if len(row) < _PARTITION.size:
                break
            magic, kind, subtype, offset, size, _, _ = _PARTITION.unpack(row)
            if magic != _PARTITION_MAGIC:
                break
            if (kind, subtype) == (_DATA, _NVS):
                if len(nvs) > size:
                    raise ConfigError(
                        f"option nvs_file: {len(nvs)} bytes are too many for the "
                        f"firmware's NVS partition of {size}"
                    )
                return FlashRegion(offset, nvs)
    raise ConfigError("option nvs_file: the firmware has no NVS partition to put it in")


def size_mb(held: Sequence[FlashRegion], bootloader_offset: int, chosen_mb: int) -> int:
    """Return how big a flash has to be; ``chosen_mb``, if not 0, is what it is.

    Otherwise what the image at ``bootloader_offset`` says that it is made for.

    Raises:
        ConfigError: there is no such flash chip.
        DoesNotFit: the firmware is bigger than that.
    """
    end = max(piece.end for piece in held)
    wanted = chosen_mb or max(_made_for_mb(held, bootloader_offset), -(-end // _MIB))
    size = next((size for size in SIZES_MB if size >= wanted), 0)
    if chosen_mb not in (0, *SIZES_MB):
        raise ConfigError(f"option flash_mb: {chosen_mb} is none of {SIZES_MB}")
    if size * _MIB < end:
        raise DoesNotFit(
            f"the firmware ends at {end:#x}, beyond the flash of "
            f"{size or SIZES_MB[-1]} MB"
        )
    return size


def erased(size: int) -> bytes:
    """Return the contents of a new flash chip of ``size`` MB."""
    return _ERASED * (size * _MIB)


def efuses(chip: str, revision: int) -> bytes:
    """Return the efuses of a chip that are blank but for its revision, 300 for v3.0."""
    major, minor = divmod(revision, 100)
    if chip == "esp32":
        return _esp32_efuses(major, minor)
    return _esp32c3_efuses(major, minor)


def _esp32_efuses(major: int, minor: int) -> bytes:
    words = bytearray(124)
    words[13] = 0x80 * (major > 0)
    words[22] = 0x10 * (major > 1)
    words[23] = minor & 3
    return bytes(words)


def _esp32c3_efuses(major: int, minor: int) -> bytes:
    """Return those of an ESP32-C3; the ESP32-S3 has its revision at the same place."""
    words = bytearray(336)
    words[0x26] = (minor & 7) << 2
    words[0x2E] = (minor >> 3 & 1) << 7
    words[0x2F] = major & 3
    return bytes(words)


def _made_for_mb(held: Sequence[FlashRegion], bootloader_offset: int) -> int:
    for piece in held:
        is_image = piece.data[:1] == bytes([_IMAGE_MAGIC])
        if piece.offset == bootloader_offset and is_image:
            return 1 << (piece.data[3] >> 4)
    return SIZES_MB[1]


def _read(file: Path | None, name: str) -> bytes:
    if file is None:
        raise FirmwareFault(
            f"the build lists the flash image {name}, but has not kept it"
        )
    return file.read_bytes()
