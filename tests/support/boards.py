"""Datasheets and images for tests of what happens on real boards."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from pytest_embedbench.model import BoardSpec, FirmwareImage, UartSpec

if TYPE_CHECKING:
    from pathlib import Path


def board(mcu: str) -> BoardSpec:
    return BoardSpec(
        name=f"real-{mcu}",
        engine="serial_port",
        mcu=mcu,
        cpu_hz=16_000_000,
        uarts=(UartSpec(name="uart0", baud_bps=115200),),
        environments=(mcu,),
    )


def image(folder: Path, files: dict[str, bytes], **metadata: str) -> FirmwareImage:
    """Return an image with these files, as a builder publishes it."""
    folder.mkdir(exist_ok=True)
    for name, data in {"firmware.elf": b"\x7fELF", **files}.items():
        (folder / name).write_bytes(data)
    elf_path = folder / "firmware.elf"
    return FirmwareImage(
        environment="env",
        elf_path=elf_path,
        sha256=hashlib.sha256(elf_path.read_bytes()).hexdigest(),
        key="key",
        artifacts={path.name: path for path in sorted(folder.iterdir())},
        metadata=metadata,
    )
