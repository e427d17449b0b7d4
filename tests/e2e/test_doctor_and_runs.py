"""What the doctor says can be built for an ESP board is what a run builds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.errors import ToolMissing
from pytest_embedbench.model import FirmwareSource

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_embedbench.builders.platformio import PlatformIO

BARE = '#include "embedbench_port.h"\nvoid firmware_main(void) {}\n'
FRAMEWORKS = {
    "bare metal": "",
    "Arduino": "framework = arduino\n",
    "ESP-IDF": "framework = espidf\n",
}
BOARDS = {
    "qemu-esp32": "esp32dev",
    "qemu-esp32c3": "esp32-c3-devkitm-1",
    "qemu-esp32s3": "esp32-s3-devkitc-1",
}


@pytest.mark.parametrize("name", BOARDS)
def test_the_doctor_and_a_run_agree(
    platformio: PlatformIO,
    make_project: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    name: str,
) -> None:
    monkeypatch.setenv("PLATFORMIO_CORE_DIR", str(tmp_path / "empty"))
    told = {
        kind.name: kind.missing.install if kind.missing else ""
        for kind in platformio.buildable(Registry().board(name))
    }

    def built(framework: str) -> str:
        platform = f"platform = espressif32\nboard = {BOARDS[name]}\n"
        ini = f"[env:x]\n{platform}{framework}"
        project = make_project(ini, {"src/main.c": BARE}, at=f"p{len(framework)}")
        source = FirmwareSource(project_dir=project, environment="x")
        try:
            platformio.build(source, project / "out")
        except ToolMissing as missing:
            return missing.install
        return ""

    assert {kind: built(line) for kind, line in FRAMEWORKS.items()} == told


def test_a_chip_that_the_offline_platform_does_not_know_is_told_by_the_doctor(
    platformio: PlatformIO,
) -> None:
    kinds = platformio.buildable(Registry().board("qemu-esp32s3"))
    (bare,) = (kind for kind in kinds if kind.name == "bare metal")
    assert "support for 'esp32s3', which is not in the offline" in str(bare.missing)
