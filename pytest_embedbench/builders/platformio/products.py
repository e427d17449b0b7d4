"""Take what a finished build made, and what is known of how it was made."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.builders.platformio.filesystem import filesystem_image
from pytest_embedbench.builders.platformio.test_frameworks import lent_framework
from pytest_embedbench.errors import BenchFault
from pytest_embedbench.model import FirmwareImage

if TYPE_CHECKING:
    from pytest_embedbench.builders.platformio.known_objects import BuildInputs
    from pytest_embedbench.builders.platformio.scratch import Scratch

# Word for word from the report, where the build knows them.
_TOLD = (
    "platform", "toolchain", "cc", "mcu", "flash_size", "psram_size",
    "application_offset",
)  # fmt: skip
_SUFFIXES = frozenset({"", ".elf", ".hex", ".bin", ".eep", ".map", ".uf2"})


def read_products(
    scratch: Scratch, out_dir: Path, *, version: str, inputs: BuildInputs
) -> FirmwareImage:
    """Copy the files of a build that went well into ``out_dir``."""
    if not scratch.report.is_file():
        raise BenchFault("PlatformIO ended well, but before it had read all scripts")
    report = json.loads(scratch.report.read_text(encoding="utf-8"))
    program = Path(report["program"])
    if not program.is_file():
        raise BenchFault(f"PlatformIO says it built {program}, but it is not there")
    files = [
        path
        for path in sorted(program.parent.iterdir())
        if path.is_file() and path.stem == program.stem and path.suffix in _SUFFIXES
    ]
    flash_images = [(offset, Path(path)) for offset, path in report["flash_images"]]
    if (filesystem := filesystem_image(scratch)) is not None:
        flash_images.append(filesystem)
    files += [path for _, path in flash_images if path.is_file()]
    # What ESP-IDF was told to build.
    from pytest_embedbench.flashing.esp_config import SDKCONFIG  # noqa: PLC0415  # rarely

    files += filter(Path.is_file, [program.parent / "config" / SDKCONFIG])
    out_dir.mkdir(parents=True, exist_ok=True)
    artifacts = {file.name: Path(shutil.copy(file, out_dir)) for file in files}
    metadata = {
        "pio": version,
        "test framework": lent_framework(scratch),
        **{name: report.get(name, "") for name in _TOLD},
        "flash_images": " ".join(f"{at}={path.name}" for at, path in flash_images),
    }
    elf_path = artifacts[program.name]
    return FirmwareImage(
        environment=scratch.project.source.environment,
        elf_path=elf_path,
        sha256=hashlib.sha256(elf_path.read_bytes()).hexdigest(),
        artifacts=artifacts,
        metadata={name: value for name, value in metadata.items() if value},
        inputs=inputs.inputs,
        untold=inputs.untold,
    )
