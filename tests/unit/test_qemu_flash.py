"""What an ESP's flash holds at boot: to the byte, as a flasher would have it."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from pytest_embedbench.engines.qemu.espchip import flash_file, psram_mb
from pytest_embedbench.engines.qemu.flash import (
    efuses,
    nvs_piece,
    pieces,
    size_mb,
)
from pytest_embedbench.engines.qemu.machines import MACHINES
from pytest_embedbench.engines.qemu.options import EspOptions
from pytest_embedbench.errors import (
    BoardBusy,
    ConfigError,
    EmbedbenchError,
    FirmwareFault,
    NotSupported,
)
from pytest_embedbench.flashing.esp_flash import FlashRegion
from pytest_embedbench.model import FirmwareImage
from tests.support.esp_files import (
    ESP32C3,
    elf_file,
    encrypted,
    esp_build,
    esp_image,
    partition_table,
)

ESP32 = MACHINES["esp32"]
MIB = 1 << 20


def built(folder: Path, size_code: int = 2) -> FirmwareImage:
    """Return what PlatformIO builds: three files at three offsets."""
    return esp_build(folder, spoilt={"bootloader.bin": esp_image(size_code=size_code)})


def flash_of(image: FirmwareImage, **options: int | str) -> bytes:
    with flash_file(image, ESP32, EspOptions(**options)) as file:  # type: ignore[arg-type]
        file.seek(0)
        return file.read()


def test_every_image_is_at_its_offset_and_the_rest_is_erased(tmp_path: Path) -> None:
    image = built(tmp_path)
    flash = flash_of(image)
    assert len(flash) == 4 * MIB
    assert flash[:0x1000] == b"\xff" * 0x1000
    assert flash[0x1000 : 0x1000 + len(esp_image())] == esp_image()
    assert flash[0x8000:0x8C00] == partition_table()
    application = image.artifacts["firmware.bin"].read_bytes()
    end = 0x10000 + len(application)
    assert flash[0x10000:end] == application
    assert set(flash[end:]) == {0xFF}


@pytest.mark.skipif(find_spec("esptool") is None, reason="needs: pip install esptool")
def test_it_is_what_esptool_makes_of_the_same_files(tmp_path: Path) -> None:
    image = built(tmp_path)
    merged = tmp_path / "merged.bin"
    kept = "--flash-mode keep --flash-freq keep --flash-size keep --pad-to-size 4MB"
    files = "0x1000 bootloader.bin 0x8000 partitions.bin 0x10000 firmware.bin"
    words = f"--chip esp32 merge-bin -o {merged} {kept} {files}".split()
    subprocess.run(
        [sys.executable, "-m", "esptool", *words],
        check=True,
        cwd=tmp_path,
        capture_output=True,
        timeout=60,
    )
    assert flash_of(image) == merged.read_bytes()


@pytest.mark.parametrize(
    ("size_code", "chosen", "expected"),
    [(1, 0, 2), (2, 0, 4), (3, 0, 8), (4, 0, 16), (0, 0, 2), (1, 8, 8)],
)
def test_the_chip_is_as_big_as_the_image_asks_for_or_as_it_is_told(
    size_code: int, chosen: int, expected: int
) -> None:
    held = [FlashRegion(0x1000, esp_image())]
    assert size_mb(held, 1 << size_code, chosen) == expected


def test_the_board_says_how_big_the_flash_is_and_so_does_the_image_then(
    tmp_path: Path,
) -> None:
    # as esptool tells the bootloader when it writes it
    image = esp_build(
        tmp_path,
        spoilt={"bootloader.bin": esp_image(size_code=1)},
        metadata={"flash_size": "8MB"},
    )
    flash = flash_of(image)
    assert len(flash) == 8 * MIB
    assert flash[0x1000 : 0x1000 + len(esp_image())] == esp_image(size_code=3)
    assert len(flash_of(image, flash_mb=4)) == 4 * MIB


def test_an_image_that_no_chip_holds_is_refused() -> None:
    held = [FlashRegion(0x1000, esp_image()), FlashRegion(16 * MIB - 1, b"xx")]
    with pytest.raises(FirmwareFault, match="beyond the flash of 16 MB"):
        size_mb(held, 4, 0)
    with pytest.raises(ConfigError, match="flash_mb: 3 is none of"):
        size_mb(held[:1], 4, 3)


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("firmware.bin", esp_image(chip_id=ESP32C3), "is made for esp32c3"),
        ("firmware.bin", encrypted(esp_image()), "is encrypted, it seems"),
        (
            "firmware.elf",
            elf_file(entry=0x4008_0004),
            "was not made of firmware.elf: it starts at 0x40081000",
        ),
    ],
)
def test_what_cannot_boot_is_refused_before_it_runs(
    name: str, data: bytes, words: str, tmp_path: Path
) -> None:
    with pytest.raises(EmbedbenchError, match=words):
        flash_of(esp_build(tmp_path, spoilt={name: data}))


def test_a_build_that_would_lock_its_chip_is_refused(tmp_path: Path) -> None:
    image = esp_build(tmp_path, config={"SECURE_BOOT": True})
    with pytest.raises(NotSupported, match=r"secure boot \(CONFIG_SECURE_BOOT\)"):
        flash_of(image)
    image.artifacts["sdkconfig.json"].write_text("{")
    with pytest.raises(ConfigError, match=r"cannot be read as sdkconfig\.json"):
        flash_of(image)


@pytest.mark.parametrize(
    ("chip", "listed", "config", "chosen", "expected"),
    [
        ("esp32", "", {}, {}, 0),
        ("esp32", "2MB", {}, {}, 2),
        ("esp32", "8MB", {}, {}, 4),
        ("esp32", "", {"SPIRAM": True}, {}, 4),
        ("esp32", "4MB", {"SPIRAM": True}, {"psram_mb": 0}, 0),
        ("esp32", "", {}, {"psram_mb": 2}, 2),
        ("esp32c3", "4MB", {"SPIRAM": True}, {}, 0),
    ],
)
def test_external_ram_is_what_option_board_or_build_say(
    chip: str,
    listed: str,
    config: dict[str, object],
    chosen: dict[str, int],
    expected: int,
    tmp_path: Path,
) -> None:
    image = esp_build(tmp_path, config=config, metadata={"psram_size": listed})
    options = EspOptions(**chosen)  # type: ignore[arg-type]
    assert psram_mb(image, MACHINES[chip], options) == expected


def test_an_nvs_image_goes_where_the_partition_table_says(tmp_path: Path) -> None:
    nvs = tmp_path / "nvs.bin"
    nvs.write_bytes(b"preset" * 100)
    flash = flash_of(built(tmp_path), nvs_file=str(nvs))
    assert flash[0x9000 : 0x9000 + 600] == b"preset" * 100
    with pytest.raises(ConfigError, match="too many for the firmware's NVS"):
        nvs_piece([FlashRegion(0x8000, partition_table())], bytes(0x6001))
    with pytest.raises(ConfigError, match="has no NVS partition"):
        nvs_piece([FlashRegion(0x1000, esp_image())], b"x")
    with pytest.raises(ConfigError, match=r"nvs_file: .*No such file"):
        flash_of(built(tmp_path), nvs_file=str(tmp_path / "nothing"))


def test_a_flash_file_keeps_what_the_firmware_does_not_overwrite(
    tmp_path: Path,
) -> None:
    image, kept = built(tmp_path), tmp_path / "flash.bin"
    with flash_file(image, ESP32, EspOptions(flash_file=str(kept))) as file:
        file.seek(0x9000)
        file.write(b"learnt")
        file.seek(0x10000)
        file.write(b"destroyed")
    flash = flash_of(image, flash_file=str(kept))
    assert flash[0x9000:0x9006] == b"learnt"
    assert flash[0x10000:0x10001] == b"\xe9"


def test_a_flash_file_is_one_boards_at_a_time_and_of_one_size(tmp_path: Path) -> None:
    image, kept = built(tmp_path), str(tmp_path / "flash.bin")
    with (
        flash_file(image, ESP32, EspOptions(flash_file=kept)),
        pytest.raises(BoardBusy, match="another board runs from"),
    ):
        flash_of(image, flash_file=kept)
    with pytest.raises(ConfigError, match="needs one of 8 MB"):
        flash_of(image, flash_file=kept, flash_mb=8)


def test_building_is_not_undone_by_running(tmp_path: Path) -> None:
    # F8: the emulator writes to a copy
    image = built(tmp_path)
    before = {path: path.read_bytes() for path in image.artifacts.values()}
    with flash_file(image, ESP32, EspOptions()) as file:
        file.write(b"scribble" * 10_000)
    assert {path: path.read_bytes() for path in image.artifacts.values()} == before


def test_a_build_without_a_flash_image_is_refused(tmp_path: Path) -> None:
    bare = FirmwareImage(
        environment="x", elf_path=tmp_path / "program.elf", sha256="", key=""
    )
    with pytest.raises(FirmwareFault, match=r"needs program\.bin"):
        pieces(bare)
    whole = built(tmp_path)
    lost = FirmwareImage(
        environment="x",
        elf_path=whole.elf_path,
        sha256="",
        key="",
        artifacts={"firmware.bin": whole.artifacts["firmware.bin"]},
        metadata=whole.metadata,
    )
    with pytest.raises(FirmwareFault, match=r"lists the flash image bootloader\.bin"):
        pieces(lost)


def test_efuses_hold_the_revision_and_nothing_else() -> None:
    v3_0 = efuses("esp32", 300)
    assert len(v3_0) == 124
    assert {at: byte for at, byte in enumerate(v3_0) if byte} == {13: 0x80, 22: 0x10}
    v1_1 = efuses("esp32", 101)
    assert {at: byte for at, byte in enumerate(v1_1) if byte} == {13: 0x80, 23: 1}
    c3_v0_4 = efuses("esp32c3", 4)
    assert {at: byte for at, byte in enumerate(c3_v0_4) if byte} == {0x26: 4 << 2}
    assert len(c3_v0_4) == 336
