"""Images for whole flash chips that were built elsewhere boot on QEMU."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.builders.prebuilt import PrebuiltImage
from pytest_embedbench.support.projects import prebuilt_source
from tests.e2e.qemu_boards import built, lines, skip_unless_installed, workshop

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.e2e.qemu_boards import Workshop

__all__ = ["built", "workshop"]
OFFSETS = {"qemu-esp32": "0x1000", "qemu-esp32c3": "0x0"}


def flasher_args(folder: Path, offset: str) -> Path:
    """List the firmware as ``idf.py`` lists what it flashes."""
    file = folder / "flasher_args.json"
    listed = {
        "flash_files": {offset: "firmware.bin"},
        "app": {"offset": offset, "file": "firmware.bin"},
        "flash_settings": {"flash_size": "4MB"},
    }
    file.write_text(json.dumps(listed))
    return file


def merged(folder: Path, offset: str) -> Path:
    """Put the firmware where it lies in a flash, as ``esptool merge_bin`` does."""
    file = folder / "merged.bin"
    before = b"\xff" * int(offset, 0)
    file.write_bytes(before + (folder / "firmware.bin").read_bytes())
    return file


@pytest.mark.parametrize(
    ("board", "make"),
    [
        ("qemu-esp32", flasher_args),
        ("qemu-esp32c3", flasher_args),
        ("qemu-esp32", merged),
    ],
)
def test_what_is_flashed_elsewhere_boots(
    workshop: Workshop,
    tmp_path: Path,
    board: str,
    make: Callable[[Path, str], Path],
) -> None:
    skip_unless_installed(board)
    image = workshop.image(board)
    for name in ("firmware.bin", "firmware.elf"):
        shutil.copy(image.artifacts[name], tmp_path)
    source = prebuilt_source(make(tmp_path, OFFSETS[board]))
    prebuilt = PrebuiltImage().build(source, tmp_path / "out")
    running = workshop.boot_image(workshop.spec(board), prebuilt)
    running.advance(100)
    said = b"".join(lines(running))
    again = workshop.boot(board)
    again.advance(100)
    assert said == b"".join(lines(again))
    assert said
