"""Firmware comes out of PlatformIO, without a registry."""

from __future__ import annotations

import hashlib
import shutil
import struct
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from elftools.elf.elffile import ELFFile

from pytest_embedbench.errors import BuildError, ConfigError, ToolMissing
from pytest_embedbench.model import FirmwareSource
from pytest_embedbench.processes.guarded import GuardedExit, run_guarded
from pytest_embedbench.testing import check_builder

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.builders.platformio import PlatformIO
    from pytest_embedbench.builders.platformio.core_setup import CoreSetup

    MakeProject = Callable[..., Path]

HERE = Path(__file__).parent
ESP32_COMPILERS = {"toolchain-xtensa-esp32", "toolchain-riscv32-esp"}
INI = """\
[env:native]
platform = native

[env:uno]
platform = atmelavr
board = uno

[env:nano]
platform = atmelavr
board = nanoatmega328new

[env:mega]
platform = atmelavr
board = megaatmega2560
"""
HELLO = '#include <stdio.h>\nint main(void) { printf("hello\\n"); return 0; }\n'


@pytest.mark.parametrize("environment", ["native", "uno"])
def test_platformio_keeps_the_contract_of_builders(
    environment: str, platformio: PlatformIO, make_project: MakeProject, tmp_path: Path
) -> None:
    project = make_project(INI, {"src/main.c": HELLO})
    source = FirmwareSource(project_dir=project, environment=environment)
    check_builder(platformio, source, tmp_path / "out")


def test_a_native_program_runs(
    platformio: PlatformIO, make_project: MakeProject, tmp_path: Path
) -> None:
    project = make_project(INI, {"src/main.c": HELLO})
    source = FirmwareSource(project_dir=project, environment="native")
    image = platformio.build(source, tmp_path / "out")
    assert subprocess.check_output([image.elf_path]) == b"hello\n"
    assert image.elf_path == image.artifacts["program"]
    assert image.metadata["platform"] == "native 1.2.1"


@pytest.mark.parametrize("environment", ["uno", "nano", "mega"])
def test_avr_firmware_is_an_elf_and_a_hex(
    environment: str, platformio: PlatformIO, make_project: MakeProject, tmp_path: Path
) -> None:
    project = make_project(INI, {"src/main.c": HELLO})
    source = FirmwareSource(project_dir=project, environment=environment)
    image = platformio.build(source, tmp_path / "out")
    with image.elf_path.open("rb") as file:
        assert ELFFile(file)["e_machine"] == "EM_AVR"
    assert set(image.artifacts) == {"firmware.elf", "firmware.hex"}
    assert "7.3.0" in image.metadata["toolchain"]


def test_stm32_firmware_runs(
    platformio: PlatformIO, seeded: CoreSetup, tmp_path: Path
) -> None:
    qemu = shutil.which("qemu-system-arm")
    if qemu is None or "toolchain-gccarmnoneeabi" in seeded.absent:
        pytest.skip("apt-get install qemu-system-arm gcc-arm-none-eabi")
    source = FirmwareSource(
        project_dir=HERE / "firmware_stm32", environment="genericSTM32F405RG"
    )
    image = platformio.build(source, tmp_path / "out")
    assert set(image.artifacts) == {"firmware.elf", "firmware.bin"}
    argv = [qemu, "-M", "netduinoplus2", "-nographic", "-kernel", str(image.elf_path)]
    done = run_guarded(argv, timeout_s=20, stop_at=lambda line: line == "ready")
    assert done.ending is GuardedExit.STOPPED, done


@pytest.mark.parametrize(
    ("environment", "chip_id", "offset"),
    [("esp32dev", 0, "0x1000"), ("esp32-c3-devkitm-1", 5, "0x0")],
)
def test_esp32_firmware_is_an_image_for_the_rom(
    platformio: PlatformIO,
    seeded: CoreSetup,
    tmp_path: Path,
    environment: str,
    chip_id: int,
    offset: str,
) -> None:
    for package in ESP32_COMPILERS & set(seeded.absent):
        pytest.skip(seeded.absent[package])
    source = FirmwareSource(
        project_dir=HERE / "firmware_esp32", environment=environment
    )
    image = platformio.build(source, tmp_path / "out")
    data = image.artifacts["firmware.bin"].read_bytes()
    magic, segments, _, _, entry = struct.unpack_from("<BBBBI", data)
    with image.elf_path.open("rb") as file:
        assert (magic, entry) == (0xE9, ELFFile(file)["e_entry"])
    assert data[12] == chip_id
    at, checksum = 24, 0xEF
    for _ in range(segments):
        (length,) = struct.unpack_from("<I", data, at + 4)
        for byte in data[at + 8 : at + 8 + length]:
            checksum ^= byte
        at += 8 + length
    assert data[at | 15] == checksum
    assert hashlib.sha256(data[:-32]).digest() == data[-32:]
    assert image.metadata["application_offset"] == offset
    assert image.metadata["flash_size"] == "4MB"


def test_nothing_is_written_into_the_project(
    platformio: PlatformIO, make_project: MakeProject, tmp_path: Path
) -> None:
    project = make_project(INI, {"src/main.c": HELLO})
    source = FirmwareSource(project_dir=project, environment="native")
    platformio.build(source, tmp_path / "out")
    files = sorted(path.relative_to(project).as_posix() for path in project.rglob("*"))
    assert files == ["platformio.ini", "src", "src/main.c"]


@pytest.mark.parametrize("environment", ["native", "uno"])
def test_targets_of_the_project_are_not_carried_out(
    environment: str, platformio: PlatformIO, make_project: MakeProject, tmp_path: Path
) -> None:
    ini = f"{INI}\n[env]\ntargets = upload, monitor\n"
    project = make_project(ini, {"src/main.c": HELLO})
    source = FirmwareSource(project_dir=project, environment=environment)
    image = platformio.build(source, tmp_path / "out")
    assert image.elf_path.is_file()
    assert ("firmware.hex" in image.artifacts) == (environment == "uno")


def test_a_submission_is_laid_over_the_project(
    platformio: PlatformIO, make_project: MakeProject, tmp_path: Path
) -> None:
    project = make_project(INI, {"src/main.c": HELLO})
    theirs = tmp_path / "theirs.c"
    theirs.write_text(HELLO.replace("hello", "servus"))
    source = FirmwareSource(
        project_dir=project, environment="native", overlay={"src/main.c": theirs}
    )
    image = platformio.build(source, tmp_path / "out")
    assert subprocess.check_output([image.elf_path]) == b"servus\n"


def test_a_compile_error_is_in_the_compilers_own_words(
    platformio: PlatformIO, make_project: MakeProject, tmp_path: Path
) -> None:
    broken = "int main(void)\n{\n    return undeclared;\n}\n"
    project = make_project(INI, {"src/main.c": broken})
    source = FirmwareSource(project_dir=project, environment="uno")
    with pytest.raises(BuildError) as caught:
        platformio.build(source, tmp_path / "out")
    lines = caught.value.diagnostics.splitlines()
    assert lines[0] == "src/main.c: In function 'main':"
    assert lines[1].startswith("src/main.c:3:12: error: 'undeclared' undeclared")
    assert "SCons" not in caught.value.diagnostics
    assert "***" not in caught.value.diagnostics
    assert caught.value.log_path.is_file()


def test_a_missing_package_is_named_in_no_time(
    platformio: PlatformIO, make_project: MakeProject, tmp_path: Path
) -> None:
    project = make_project("[env:x]\nplatform = siliconlabsefm32\nboard = x\n")
    source = FirmwareSource(project_dir=project, environment="x")
    with pytest.raises(ToolMissing, match="the package 'siliconlabsefm32'"):
        platformio.build(source, tmp_path / "out")


def test_an_unknown_environment_lists_those_there_are(
    platformio: PlatformIO, make_project: MakeProject
) -> None:
    source = FirmwareSource(project_dir=make_project(INI), environment="esp")
    with pytest.raises(ConfigError, match=r"it has: native, uno, nano, mega$"):
        platformio.fingerprint(source)


@pytest.mark.parametrize("named", ["natve", "natve @ 1.2", "atmel_avr", "banana"])
def test_a_platform_that_nobody_knows_is_a_mistake_and_no_missing_tool(
    named: str, platformio: PlatformIO, make_project: MakeProject, tmp_path: Path
) -> None:
    ini = f"[common]\nplatform = {named}\n[env:native]\nextends = common\n"
    project = make_project(ini, {"src/main.c": HELLO})
    source = FirmwareSource(project_dir=project, environment="native")
    with pytest.raises(ConfigError) as refused:
        platformio.build(source, tmp_path)
    told = str(refused.value)
    assert told.startswith(
        f"{project}/platformio.ini: env:native: platform = {named}: PlatformIO has no "
        "such platform; "
    )
    assert "native, nordicnrf51" in told
    assert ("do you mean 'native'?" in told) == named.startswith("natve")
    assert not isinstance(refused.value, ToolMissing)
