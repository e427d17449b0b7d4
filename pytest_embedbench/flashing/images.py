"""What of an image goes where in flash."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.errors import ConfigError, NotSupported
from pytest_embedbench.flashing.esp_partitions import read_partitions

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.model import FirmwareImage

_APPLICATION_OFFSET = 0x10000
"""Where both frameworks put an ESP application unless a partition table says else."""
_TABLE = "partitions.bin"


class ImageSegment(NamedTuple):
    """A file and the flash offset that it is written to."""

    offset: int
    path: Path


def artifact(image: FirmwareImage, *suffixes: str) -> Path:
    """Return the firmware's own file with the first of ``suffixes`` that it has.

    Raises:
        ConfigError: it has none of them.
    """
    for suffix in suffixes:
        if image.elf_path.suffix == suffix:
            return image.elf_path
        path = image.artifacts.get(f"{image.elf_path.stem}{suffix}")
        if path is not None:
            return path
    wanted = " or ".join(suffixes)
    had = ", ".join(sorted(image.artifacts)) or "nothing"
    raise ConfigError(
        f"the image of {image.environment!r} has no {wanted} file; it has {had}"
    )


def esp_pieces(image: FirmwareImage) -> tuple[ImageSegment, ...]:
    """Return what an ESP needs in flash, lowest offset first.

    The build tool says which files go where; an image that came from elsewhere is an
    application alone.

    Raises:
        ConfigError: a file is not among the artifacts.
    """
    pieces = [_piece(image, word) for word in _listed(image)]
    offset = image.metadata.get("application_offset", "")
    application = artifact(image, ".bin")
    if application not in (piece.path for piece in pieces):
        at = int(offset, 0) if offset else _APPLICATION_OFFSET
        pieces.append(ImageSegment(at, application))
    return tuple(sorted(pieces))


def nvs_region(image: FirmwareImage) -> tuple[int, int]:
    """Return offset and size of the NVS partition, from the image's own table.

    Raises:
        NotSupported: the image has no partition table, or none with NVS.
    """
    table = image.artifacts.get(_TABLE)
    if table is None:
        raise NotSupported(
            f"cannot erase NVS: the image of {image.environment!r} has no {_TABLE}, "
            "so where NVS lies is not known"
        )
    for row in read_partitions(table.read_bytes(), str(table)):
        if row.is_nvs:
            return row.offset, row.size_bytes
    raise NotSupported(f"cannot erase NVS: {table} has no NVS partition")


def _listed(image: FirmwareImage) -> list[str]:
    """Split ``0x1000=bootloader.bin 0x8000=partitions.bin``."""
    return image.metadata.get("flash_images", "").split()


def _piece(image: FirmwareImage, word: str) -> ImageSegment:
    offset, _, name = word.partition("=")
    if name not in image.artifacts:
        raise ConfigError(
            f"the image of {image.environment!r} wants {name} at {offset}, "
            "but that file is not among its artifacts"
        )
    return ImageSegment(int(offset, 0), image.artifacts[name])
