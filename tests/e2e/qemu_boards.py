"""QEMU boards for tests: firmware that PlatformIO builds, booted."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.builders.platformio import PlatformIO
from pytest_embedbench.builders.platformio.seed import Seeded
from pytest_embedbench.engines.qemu import QemuBoard
from pytest_embedbench.model import BoardSpec, Chunk, FirmwareImage, FirmwareSource

TANK = Path(__file__).parents[2] / "example_suites" / "tank_fill_drain"
_SURFACE = ("src/controller.c", "src/controller.h")
_INI = """
[env:qemu_stm32]
platform = ststm32
board = genericSTM32F405RG
build_flags = -Wall -Wextra -Werror -D PORT_CPU_HZ=168000000U
"""
_HEAD = """
#include "embedbench_port.h"
#include <string.h>
static inline void say(const char *text)
{
    port_uart_write((const uint8_t *)text, strlen(text));
}
"""


@dataclass(frozen=True, slots=True)
class Workshop:
    """Builds firmware for a board, each once, and boots it."""

    registry: Registry
    builder: PlatformIO
    folder: Path
    images: dict[tuple[str, str], FirmwareImage]
    boards: list[QemuBoard]

    def spec(self, name: str, **options: str | int | bool) -> BoardSpec:
        """Return a shipped datasheet with other options."""
        spec = self.registry.board(name)
        return replace(spec, options={**spec.options, **options})

    def image(self, environment: str, program: str = "") -> FirmwareImage:
        """Build the tank's solution, or a C text that defines ``firmware_main``."""
        if not program:
            overlay = {name: TANK / "solution" / name for name in _SURFACE}
            source = FirmwareSource(
                project_dir=TANK, environment=environment, overlay=overlay
            )
        else:
            project = (
                self.folder / f"project-{hashlib.sha1(program.encode()).hexdigest()}"
            )
            (project / "src").mkdir(parents=True, exist_ok=True)
            (project / "platformio.ini").write_text(_INI)
            (project / "src" / "main.c").write_text(_HEAD + program)
            source = FirmwareSource(project_dir=project, environment=environment)
        key = (environment, program)
        if key not in self.images:
            out_dir = self.folder / f"image-{len(self.images)}"
            self.images[key] = self.builder.build(source, out_dir)
        return self.images[key]

    def boot(self, spec: BoardSpec, image: FirmwareImage) -> QemuBoard:
        """Boot a board that is closed after the test."""
        board = self.registry.engine(spec.engine).boot(spec, image)
        assert isinstance(board, QemuBoard)
        self.boards.append(board)
        return board


@pytest.fixture(scope="session")
def built(seeded: Seeded, tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    folder = tmp_path_factory.mktemp("qemu")
    builder = PlatformIO(
        core_dir=seeded.core_dir, cache_dir=folder / "cache", offline=True
    )
    return Workshop(Registry(), builder, folder, {}, [])


@pytest.fixture
def workshop(built: Workshop) -> Iterator[Workshop]:
    yield built
    while built.boards:
        built.boards.pop().close()


def needs(board: str) -> None:
    """Skip where a board's engine or compiler is not installed."""
    registry = Registry()
    missing = registry.engine(registry.board(board).engine).missing()
    if missing is not None:
        pytest.skip(str(missing))


def said(board: QemuBoard) -> list[Chunk]:
    return list(board.link().receive())
