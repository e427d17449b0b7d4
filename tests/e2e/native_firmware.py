"""Firmware for the host, compiled in a test with the host's own compiler.

What PlatformIO makes of the same sources is tested with the builder; here a test
holds its firmware in a string and has it running a quarter of a second later.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

import pytest_embedbench
from pytest_embedbench.model import FirmwareImage

LIBRARIES = Path(pytest_embedbench.__file__).parent / "firmware"
SUITES = Path(__file__).parents[2] / "example_suites"
_FLAGS = ("-std=gnu11", "-g", "-O1", "-Wall", "-Wextra", "-Werror")

HEAD = """
#include "embedbench_port.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static inline void say(const char *text)
{
    port_uart_write((const uint8_t *)text, strlen(text));
}
static inline void rest(void)
{
    for (;;) port_delay_ms(1000);
}
"""

needs_gcc = pytest.mark.skipif(
    shutil.which("gcc") is None, reason="needs gcc: apt-get install gcc libc6-dev"
)


@dataclass(frozen=True, slots=True)
class NativeCompiler:
    """Compiles the support libraries once, and firmware against them."""

    folder: Path

    def image(
        self, *sources: Path, flags: tuple[str, ...] = (), without: str = ""
    ) -> FirmwareImage:
        """Return the program that ``sources`` make with the support libraries.

        These are all but ``without``, by its file's name.
        """
        libraries = sorted(self.folder.glob("*.o")) or self._libraries()
        libraries = [each for each in libraries if each.stem != without]
        program = self.folder / f"program-{len(list(self.folder.iterdir()))}"
        self._run(*flags, *self._includes(), *sources, *libraries, "-o", program)
        sha256 = hashlib.sha256(program.read_bytes()).hexdigest()
        return FirmwareImage(
            environment="native", elf_path=program, sha256=sha256, key=sha256
        )

    def firmware(self, source: str, *flags: str, without: str = "") -> FirmwareImage:
        """Return the program of a C text that defines ``firmware_main``."""
        file = self.folder / f"firmware-{len(list(self.folder.iterdir()))}.c"
        file.write_text(source, encoding="utf-8")
        return self.image(file, flags=flags, without=without)

    def task(self, name: str, submission: str) -> FirmwareImage:
        """Return a task package's firmware with ``submission`` laid over it."""
        stage = self.folder / f"{name}-{submission or 'starter'}"
        shutil.copytree(SUITES / name / "src", stage)
        if submission:
            changed = SUITES / name / submission / "src"
            shutil.copytree(changed, stage, dirs_exist_ok=True)
        return self.image(*sorted(stage.glob("*.c")))

    def _libraries(self) -> list[Path]:
        objects: list[Path] = []
        for source in sorted(LIBRARIES.rglob("*.c")):
            objects.append(self.folder / f"{source.stem}.o")
            self._run(*self._includes(), "-c", source, "-o", objects[-1])
        return objects

    def _includes(self) -> list[str]:
        return [f"-I{folder}" for folder in sorted(LIBRARIES.glob("*/include"))]

    def _run(self, *arguments: str | Path) -> None:
        subprocess.run(["gcc", *_FLAGS, *arguments], check=True, timeout=60)
