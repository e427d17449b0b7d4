"""QEMU boards for tests: firmware that PlatformIO builds, booted."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.builders.platformio import PlatformIO
from pytest_embedbench.builders.platformio.core_setup import CoreSetup
from pytest_embedbench.engines.qemu import QemuBoard
from pytest_embedbench.errors import ToolMissing
from pytest_embedbench.model import BoardSpec, Chunk, FirmwareImage, FirmwareSource

TANK = Path(__file__).parents[2] / "example_suites" / "tank_fill_drain"
ENVIRONMENTS = {
    "qemu-stm32f405": "qemu_stm32",
    "qemu-esp32": "esp32dev",
    "qemu-esp32c3": "esp32c3",
}
_SURFACE = ("src/controller.c", "src/controller.h")
_INI = """
[env]
build_flags = -Wall -Wextra -Werror
[env:qemu_stm32]
platform = ststm32
board = genericSTM32F405RG
build_flags = ${env.build_flags} -D PORT_CPU_HZ=168000000U
[env:esp32dev]
platform = espressif32
board = esp32dev
[env:esp32c3]
platform = espressif32
board = esp32-c3-devkitm-1
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
    """Builds firmware, each once, and boots it on boards that are closed again."""

    registry: Registry
    builder: PlatformIO
    folder: Path
    images: dict[tuple[str, str], FirmwareImage]
    boards: list[QemuBoard]

    def spec(self, name: str, **options: str | int | bool) -> BoardSpec:
        """Return a shipped datasheet with other options."""
        spec = self.registry.board(name)
        return replace(spec, options={**spec.options, **options})

    def image(self, board: str, program: str = "") -> FirmwareImage:
        """Build the tank's solution, or a C text that defines ``firmware_main``."""
        key = (board, program)
        if key not in self.images:
            source = self._source(program).for_environment(ENVIRONMENTS[board])
            try:
                out_dir = self.folder / f"image-{len(self.images)}"
                self.images[key] = self.builder.build(source, out_dir)
            except ToolMissing as missing:
                pytest.skip(str(missing))
        return self.images[key]

    def boot(
        self, name: str, program: str = "", **options: str | int | bool
    ) -> QemuBoard:
        """Boot the tank's solution, or a C text, on a board with options."""
        return self.boot_image(self.spec(name, **options), self.image(name, program))

    def boot_image(self, spec: BoardSpec, image: FirmwareImage) -> QemuBoard:
        """Boot a board that is closed after the test."""
        board = self.registry.engine(spec.engine).boot(spec, image)
        assert isinstance(board, QemuBoard)
        self.boards.append(board)
        return board

    def _source(self, program: str) -> FirmwareSource:
        if not program:
            overlay = {name: TANK / "solution" / name for name in _SURFACE}
            return FirmwareSource(project_dir=TANK, overlay=overlay)
        project = self.folder / hashlib.sha256(program.encode()).hexdigest()
        (project / "src").mkdir(parents=True, exist_ok=True)
        (project / "platformio.ini").write_text(_INI)
        (project / "src" / "main.c").write_text(_HEAD + program)
        return FirmwareSource(project_dir=project)


@pytest.fixture(scope="session")
def built(seeded: CoreSetup, tmp_path_factory: pytest.TempPathFactory) -> Workshop:
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


def skip_unless_installed(board: str) -> None:
    """Skip, with the install advice, where a board's engine is not installed."""
    registry = Registry()
    missing = registry.engine(registry.board(board).engine).missing()
    if missing is not None:
        pytest.skip(str(missing))


def said(board: QemuBoard) -> list[Chunk]:
    return list(board.link().receive())


def lines(board: QemuBoard) -> list[bytes]:
    """Return what the firmware has said since the last call, without the ROM."""
    return [chunk.data for chunk in said(board) if not _is_from_rom(chunk)]


def _is_from_rom(chunk: Chunk) -> bool:
    return chunk.data.endswith(b"\r\n") or chunk.data.startswith(b"entry 0x")
