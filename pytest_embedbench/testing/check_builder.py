"""What a builder has promised."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from pytest_embedbench.contracts import Builder
from pytest_embedbench.testing.insist import insist, insist_on_all

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.model import FirmwareSource


def check_builder(builder: Builder, source: FirmwareSource, out_dir: Path) -> None:
    """Insist that a builder gives what it says: ``source`` has to compile.

    Raises:
        ContractViolation: naming the promise that was broken.
    """
    insist_on_all(builder, Builder)
    fingerprint = builder.fingerprint(source)
    again = builder.fingerprint(source)
    insist(fingerprint == again, "equal sources, unequal digests")
    image = builder.build(source, out_dir)
    since = builder.fingerprint(source)
    insist(fingerprint == since, "building changes the source")
    same = image.environment == source.environment
    insist(same, "it built another environment")
    insist(image.elf_path.is_file(), f"{image.elf_path} is not there")
    inside = image.elf_path.is_relative_to(out_dir)
    insist(inside, "the ELF is outside out_dir")
    digest = hashlib.sha256(image.elf_path.read_bytes()).hexdigest()
    insist(image.sha256 == digest, "sha256 is not that of the ELF file")
    for name, path in image.artifacts.items():
        insist(path.is_file(), f"artifact {name} ({path}) is not there")
