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
CROSS_COMPILED = ("esp32c3", "esp32dev", "nucleo_f401re", "qemu_stm32", "uno")


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


@pytest.mark.parametrize("environment", CROSS_COMPILED)
def test_an_image_for_any_board_is_found_again(
    platformio: PlatformIO, environment: str, tmp_path: Path
) -> None:
    # Files of other boards are empty here: their compilers list nothing for them.
    source = find_suite(SUITES / "tank_fill_drain" / "hidden" / "x").source(
        "solution", SUITES / "tank_fill_drain"
    )
    try:
        image = platformio.build(source.for_environment(environment), tmp_path)
    except ToolMissing as missing:
        pytest.skip(str(missing))
    assert not image.untold
