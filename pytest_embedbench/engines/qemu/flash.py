"""What an ESP chip's flash holds: the build's images, each at its offset. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError, DoesNotFit, FirmwareFault
from pytest_embedbench.flashing.esp_flash import FlashRegion, table_in

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_embedbench.model import FirmwareImage

_ERASED = b"\xff"
_MIB = 1 << 20
_APPLICATION_OFFSET = "0x10000"
"""Where it is unless the build says else."""
SIZES_MB = (2, 4, 8, 16)
"""The sizes of flash chips that QEMU has."""


def pieces(image: FirmwareImage) -> list[FlashRegion]:
    """Return what the build says belongs into the flash.

    Raises:
        FirmwareFault: it has made no image for a flash.
    """
    listed = image.metadata.get("flash_images", "").split()
    files = [(at, name) for at, _, name in (text.partition("=") for text in listed)]
    own = f"{image.elf_path.stem}.bin"
    application = image.artifacts.get(own)
    offset = image.metadata.get("application_offset")
    if (application is None or offset is None) and not listed:
        raise FirmwareFault(
            f"{image.elf_path}: the build has made no flash image of it: it needs "
            f"{own} and the application's offset"
        )
    if application is not None and own not in (name for _, name in files):
        files.append((offset or _APPLICATION_OFFSET, own))
    found = [(at, image.artifacts.get(name), name) for at, name in files]
    return [
        FlashRegion(int(at, 0), _read(file, name), name) for at, file, name in found
    ]


def nvs_piece(held: Sequence[FlashRegion], nvs: bytes) -> FlashRegion:
    """Return where an NVS image belongs, by the partition table among ``held``.

    Raises:
        ConfigError: there is no NVS partition, or it is too small.
    """
    row = next((row for row in table_in(held) or () if row.is_nvs), None)
    if row is None:
        raise ConfigError(
            "option nvs_file: the firmware has no NVS partition to put it in"
        )
    if len(nvs) > row.size_bytes:
        raise ConfigError(
            f"option nvs_file: {len(nvs)} bytes are too many for the firmware's NVS "
            f"partition of {row.size_bytes}"
        )
    return FlashRegion(row.offset, nvs, "nvs_file")


def size_mb(held: Sequence[FlashRegion], made_for_mb: int, chosen_mb: int) -> int:
    """Return how big a flash has to be; ``chosen_mb``, if not 0, is what it is.

    Otherwise what the firmware is ``made_for_mb``, or more if it is more.

    Raises:
        ConfigError: there is no such flash chip.
        DoesNotFit: the firmware is bigger than that.
    """
    end = max(piece.end for piece in held)
    wanted = chosen_mb or max(made_for_mb, -(-end // _MIB))
    size = next((size for size in SIZES_MB if size >= wanted), 0)
    if chosen_mb not in (0, *SIZES_MB):
        raise ConfigError(f"option flash_mb: {chosen_mb} is none of {SIZES_MB}")
    if size * _MIB < end:
        raise DoesNotFit(
            f"the firmware ends at {end:#x}, beyond the flash of "
            f"{size or SIZES_MB[-1]} MB"
        )
    return size


def manifest_mb(image: FirmwareImage, name: str) -> int:
    """Return a size that the board's manifest states, in MB; 0 if it does not."""
    text = image.metadata.get(name, "").upper().removesuffix("B")
    number = text.removesuffix("M")
    return int(number) if text.endswith("M") and number.isdecimal() else 0


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


def _read(file: Path | None, name: str) -> bytes:
    if file is None:
        raise FirmwareFault(
            f"the build lists the flash image {name}, but has not kept it"
        )
    return file.read_bytes()
