"""A task's sources build for boards that no simulator stands in for here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from elftools.elf.elffile import ELFFile

from pytest_embedbench.errors import ToolMissing
from pytest_embedbench.grading.task import find_suite
from tests.e2e.native_firmware import SUITES

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.builders.platformio import PlatformIO

TASKS = sorted(file.parent for file in SUITES.glob("*/task.toml"))


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_the_reference_builds_for_a_nucleo(
    platformio: PlatformIO, task: Path, tmp_path: Path
) -> None:
    source = find_suite(task / "hidden" / "x").source("solution", task)
    try:
        image = platformio.build(source.for_environment("nucleo_f401re"), tmp_path)
    except ToolMissing as missing:
        pytest.skip(str(missing))
    assert "firmware.bin" in image.artifacts
    with image.elf_path.open("rb") as file:
        assert ELFFile(file)["e_machine"] == "EM_ARM"
