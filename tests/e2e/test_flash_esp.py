"""The real esptool against a chip whose answers can be spoiled on their way."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.errors import BenchFault, FlashFailed, WrongBoard
from pytest_embedbench.flashing import Erase, FlashSettings, flash, identify
from pytest_embedbench.flashing.esptool import Esptool
from tests.support.boards import board, image
from tests.support.esp_rom import (
    MOCK_MAC,
    noisy,
    refusing_data,
    rom,
    rom_on_a_device,
    rotten,
    with_mac,
)

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.flashing import FlashReport
    from pytest_embedbench.model import FirmwareImage

for module in ("esptool", "esp32_mock_bootloader"):
    pytest.importorskip(module, reason="pip install 'pytest-embedbench[test]'")

ESP32 = board("esp32")
SETTINGS = FlashSettings(method=Esptool(connect_attempts=1), backoff_s=0.01)
NVS_AT_0X9000 = bytes.fromhex("aa50 01 02 00900000 00500000") + b"nvs".ljust(20, b"\0")


@pytest.fixture
def firmware(tmp_path: Path) -> FirmwareImage:
    """A bootloader, a partition table with NVS, and an application."""
    files = {
        "bootloader.bin": b"\xe9boot" * 100,
        "partitions.bin": NVS_AT_0X9000 + b"\xff" * 32,
        "firmware.bin": b"\xe9application" * 500,
    }
    return image(
        tmp_path / "image",
        files,
        flash_images="0x1000=bootloader.bin 0x8000=partitions.bin",
        application_offset="0x10000",
    )


def steps(report: FlashReport) -> list[tuple[str, int]]:
    """Return what was run and how it ended: the step, and its exit code."""
    return [(attempt.step, attempt.returncode) for attempt in report.attempts]


def test_an_image_is_written_once_and_then_seen_to_be_on_the_board(
    firmware: FirmwareImage, tmp_path: Path
) -> None:
    # F9: what is compared is the flash itself, never a note of what was flashed.
    other = image(tmp_path / "other", {"firmware.bin": b"\xe9other application" * 500})
    with rom() as chip:
        first = flash(ESP32, firmware, chip.port, settings=SETTINGS)
        second = flash(ESP32, firmware, chip.port, settings=SETTINGS)
        third = flash(ESP32, other, chip.port, settings=SETTINGS)
    assert str(first.identity) == f"esp32 {MOCK_MAC}"
    assert steps(first) == [("identify", 0), ("compare", 2), ("write", 0)]
    assert steps(second) == [("identify", 0), ("compare", 0)]
    assert [first.written, second.written, third.written] == [True, False, True]


def test_noise_in_the_handshake_is_tried_again_and_reported(
    firmware: FirmwareImage,
) -> None:
    # F1: the application talks while the tool wants to sync.
    with rom(spoil=noisy(1)) as chip:
        report = flash(ESP32, firmware, chip.port, settings=SETTINGS)
    assert report.retries == 1
    assert steps(report)[:2] == [("identify", 2), ("identify", 0)]
    assert "Invalid head of packet" in report.attempts[0].output


def test_flash_that_reads_back_wrong_is_written_again_at_a_lower_rate(
    firmware: FirmwareImage,
) -> None:
    # F2, F3: corrupted at the fast rate; the rates below are standard ones.
    fast = replace(SETTINGS, baud_bps=460_800)
    with rom(spoil=rotten(runs=range(2, 4))) as chip:
        report = flash(ESP32, firmware, chip.port, settings=fast)
    written = [attempt for attempt in report.attempts if attempt.step == "write"]
    assert [attempt.baud_bps for attempt in written] == [460_800, 230_400, 115_200]
    assert [attempt.returncode == 0 for attempt in written] == [False, False, True]
    assert FlashSettings(method=SETTINGS.method).baud_bps == 115_200


def test_a_flash_that_never_works_is_its_own_outcome_with_every_attempt(
    firmware: FirmwareImage,
) -> None:
    # F4: not a silent board, and not a timeout.
    twice = replace(SETTINGS, attempts=2)
    refusing = refusing_data(runs=range(100))
    with rom(spoil=refusing) as chip, pytest.raises(FlashFailed) as failed:
        flash(ESP32, firmware, chip.port, settings=twice)
    error = failed.value
    assert isinstance(error, BenchFault)
    assert error.reason == "write failed 2 times"
    assert [line.split()[0] for line in error.attempts] == [
        "identify",
        "compare",
        "write",
        "write",
    ]
    assert "57600 baud: exit 2" in error.attempts[-1]


def test_a_board_with_another_mac_is_left_alone(firmware: FirmwareImage) -> None:
    # B11: two boards attached, and the wrong one is on the port.
    ours = replace(SETTINGS, serial=MOCK_MAC.upper())
    with rom(spoil=with_mac("24:0a:c4:00:00:01")) as chip:
        with pytest.raises(WrongBoard) as wrong:
            flash(ESP32, firmware, chip.port, settings=ours)
        assert not chip.wrote()
    assert wrong.value.expected == f"esp32 {MOCK_MAC}"
    assert wrong.value.found == "esp32 24:0a:c4:00:00:01"


def test_a_board_with_another_chip_is_left_alone(firmware: FirmwareImage) -> None:
    # B11
    with rom("esp32c3") as chip:
        with pytest.raises(WrongBoard, match="expected esp32, found esp32c3 24:0a:"):
            flash(ESP32, firmware, chip.port, settings=SETTINGS)
        assert not chip.wrote()


def test_a_board_that_never_answers_fails_before_anything_is_written(
    firmware: FirmwareImage,
) -> None:
    once = replace(SETTINGS, attempts=1)
    with rom(spoil=noisy(100)) as chip:
        with pytest.raises(FlashFailed, match="identify failed 1 times"):
            flash(ESP32, firmware, chip.port, settings=once)
        assert not chip.wrote()


def test_a_board_says_who_it_is() -> None:
    with rom("esp32s3") as chip:
        identity = identify(board("esp32s3"), chip.port, SETTINGS)
    assert identity is not None
    assert identity.chip == "esp32s3"
    assert identity.serial.startswith("24:0a:c4:")


def test_a_chip_that_is_in_its_bootloader_already_is_not_reset() -> None:
    method = Esptool(before="no-reset", restart="no-reset")
    with rom_on_a_device("esp32c3") as port:
        identity = identify(board("esp32c3"), port, replace(SETTINGS, method=method))
    assert identity is not None
    assert identity.chip == "esp32c3"


def test_nvs_is_wiped_where_the_images_partition_table_has_it(
    firmware: FirmwareImage,
) -> None:
    fresh = replace(SETTINGS, erase=Erase.NVS)
    with rom() as chip:
        report = flash(ESP32, firmware, chip.port, settings=fresh)
    assert steps(report) == [("identify", 0), ("erase nvs", 0), ("write", 0)]
    assert report.attempts[1].argv[-3:] == ("erase-region", "0x9000", "0x5000")
