"""Builds by the commands of an earlier one make what PlatformIO makes."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.builders.platformio.replaying import replay
from pytest_embedbench.errors import BuildError
from pytest_embedbench.model import FirmwareSource, Isolation
from tests.e2e.native_firmware import SUITES, needs_gcc

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.builders.platformio import PlatformIO
    from pytest_embedbench.model import FirmwareImage

pytestmark = needs_gcc

TANK = SUITES / "tank_fill_drain"
SOLUTION = (TANK / "solution/src/controller.c").read_text()
ITSELF = 'asm(".pushsection .rodata\\n.incbin \\"src/controller.c\\"\\n.popsection");\n'
OTHERWISE = f"""
#include <string.h>
/*
#include <time.h>
*/
#define HEADER <stdlib.h>
#include HEADER
{ITSELF}
int line(const char *text) {{ return __LINE__ + (int)strlen(text) + abs(-1); }}
"""
OF_A_LIBRARY = '\n#include "embedbench_shell.h"\n'
COUNTED = "\nunsigned own = sizeof(controller_t);\n"


@dataclass
class Submissions:
    """Builds submissions to the tank, and tells which were built without PlatformIO."""

    builder: PlatformIO
    folder: Path
    replayed: list[bool] = field(default_factory=list[bool])
    count: int = 0
    environment: str = "native"

    def __call__(self, text: str, **more: str) -> FirmwareImage:
        self.count += 1
        self.replayed.clear()
        place = self.folder / str(self.count)
        texts = {"controller.c": SOLUTION + text}
        texts |= {f"{name}.c": more[name] for name in more}
        place.mkdir()
        for name, each in texts.items():
            (place / name).write_text(each)
        source = FirmwareSource(
            project_dir=TANK,
            environment=self.environment,
            overlay={f"src/{name}": place / name for name in texts},
            parts=("src", "include", "lib"),
            isolation=Isolation.LIMITS,
        )
        return self.builder.build(source, place / "out")

    def forget(self) -> None:
        """Have the next build begin with PlatformIO."""
        for folder in self.folder.rglob("recipes"):
            shutil.rmtree(folder)


@pytest.fixture
def build(
    platformio: PlatformIO, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Submissions:
    """A function that builds a submission with some text more."""
    build = Submissions(platformio, tmp_path)

    def told(*args: object, **how: object) -> bool:
        build.replayed.append(replay(*args, **how))  # type: ignore[arg-type]
        return build.replayed[-1]

    monkeypatch.setattr("pytest_embedbench.builders.platformio.builder.replay", told)
    return build


def facts(image: FirmwareImage) -> object:
    files = {name: path.read_bytes() for name, path in image.artifacts.items()}
    return files, image.sha256, dict(image.inputs), image.untold, dict(image.metadata)


def test_what_is_replayed_is_what_platformio_makes(build: Submissions) -> None:
    build("")
    assert build.replayed == [], "nothing is known yet"
    replayed = build(OTHERWISE)
    assert build.replayed == [True]
    build.forget()
    assert facts(build(OTHERWISE)) == facts(replayed)
    assert build.replayed == []

    # What may be linked otherwise is PlatformIO's to say, and what is wrong.
    of_a_library = build(OF_A_LIBRARY)
    assert build.replayed == []
    assert facts(build(OF_A_LIBRARY)) == facts(of_a_library)
    assert build.replayed == [True]
    with pytest.raises(BuildError) as failed:
        build("\noops\n")
    assert build.replayed == [False]
    assert "src/controller.c" in failed.value.diagnostics
    assert b"controller_t" in build(COUNTED).elf_path.read_bytes()
    assert build.replayed == [True]
    more = build("", more="int more(void) { return 1; }\n")
    assert build.replayed == []
    assert b"more.c" in more.elf_path.read_bytes()


@pytest.mark.skipif(
    not shutil.which("xtensa-lx106-elf-gcc"), reason="apt install gcc-xtensa-lx106"
)
def test_an_image_for_an_esp32_is_replayed_too(build: Submissions) -> None:
    build.environment = "esp32dev"
    build("")
    replayed = build('\nconst char own[] = "own";\n')
    assert build.replayed == [True]
    assert "firmware.bin" in replayed.artifacts
    build.forget()
    assert facts(build('\nconst char own[] = "own";\n')) == facts(replayed)
    assert build.replayed == []
