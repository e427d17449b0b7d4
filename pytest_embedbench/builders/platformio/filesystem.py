"""A project's ``data`` folder as an image in an ESP's flash: LittleFS, SPIFFS or FAT.

PlatformIO makes it by a target of its own, ``buildfs``, which nobody runs who only
builds.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_embedbench.builders.platformio.scratch import Scratch

BUILD_FILESYSTEM = ("-t", "buildfs")
_IMAGES = ("littlefs.bin", "spiffs.bin", "fatfs.bin")
_DATA_DIR = "data"


def wants_filesystem(scratch: Scratch) -> bool:
    """Say whether the build that went well is for a chip that takes ``data``, too."""
    named = scratch.project.ini.value("platformio", "data_dir") or _DATA_DIR
    inside = f"{named.removeprefix('./').rstrip('/')}/"
    if not any(name.startswith(inside) for name in scratch.project.files):
        return False
    return _offset(_flash_images(scratch)) is not None


def filesystem_image(scratch: Scratch) -> tuple[str, Path] | None:
    """Return where in flash the image of ``data`` belongs, and the image."""
    if not wants_filesystem(scratch):
        return None
    folder = scratch.objects / scratch.project.source.environment
    made = [folder / name for name in _IMAGES if (folder / name).is_file()]
    offset = _offset(_flash_images(scratch))
    if not made or offset is None:
        return None
    return f"{offset:#x}", max(made, key=lambda path: path.stat().st_mtime_ns)


def _flash_images(scratch: Scratch) -> list[tuple[str, str]]:
    report: dict[str, list[tuple[str, str]]] = json.loads(scratch.report.read_bytes())
    return report.get("flash_images", [])


def _offset(listed: Iterable[tuple[str, str]]) -> int | None:
    """Return where the partition for files is; PlatformIO takes the last, too."""
    from pytest_embedbench.flashing.esp_partitions import (  # noqa: PLC0415  # rarely
        is_partition_table,
        read_partitions,
    )

    for _, path in listed:
        data = Path(path).read_bytes() if Path(path).is_file() else b""
        if is_partition_table(data):
            rows = [row for row in read_partitions(data, path) if row.holds_files]
            return rows[-1].offset if rows else None
    return None
