"""The order in which a board is flashed, with files in the place of a board."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.errors import ConfigError, FlashFailed, WrongBoard
from pytest_embedbench.flashing import Erase, FlashSettings, flash, identify, park
from pytest_embedbench.flashing.command import OwnCommand
from pytest_embedbench.flashing.rp2040 import Uf2Copy
from tests.support.boards import board, image

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.flashing import FlashReport
    from pytest_embedbench.model import FirmwareImage

UNO = board("atmega328p")


@pytest.fixture
def port(tmp_path: Path) -> Path:
    """A board: a folder with its identity, and its flash once it is written."""
    folder = tmp_path / "board"
    folder.mkdir()
    (folder / "id").write_text("atmega328p AB:CD\n")
    return folder


@pytest.fixture
def firmware(tmp_path: Path) -> FirmwareImage:
    return image(tmp_path / "image", {"firmware.bin": b"new"})


@pytest.fixture
def settings() -> FlashSettings:
    method = OwnCommand(
        identify_argv=("cat", "{port}/id"),
        compare_argv=("cmp", "{bin}", "{port}/flash"),
        write_argv=("cp", "{bin}", "{port}/flash"),
        erase_argv=("rm", "-f", "{port}/flash"),
    )
    return FlashSettings(method=method, attempts=2, backoff_s=0.0)


def steps(report: FlashReport) -> list[str]:
    return [attempt.step for attempt in report.attempts]


def test_a_board_is_asked_compared_and_written(
    port: Path, firmware: FirmwareImage, settings: FlashSettings
) -> None:
    report = flash(UNO, firmware, str(port), settings=settings)
    assert steps(report) == ["identify", "compare", "write"]
    assert (port / "flash").read_bytes() == b"new"
    assert str(report) == f"atmega328p ab:cd on {port}: written (command, 0 retries)"
    again = flash(UNO, firmware, str(port), settings=settings)
    assert steps(again) == ["identify", "compare"]
    assert "already there, checked on the board" in str(again)


def test_another_serial_is_refused_and_nothing_written(
    port: Path, firmware: FirmwareImage, settings: FlashSettings
) -> None:
    # B11
    theirs = replace(settings, serial="ab:ce")
    with pytest.raises(WrongBoard) as wrong:
        flash(UNO, firmware, str(port), settings=theirs)
    assert not (port / "flash").exists()
    assert str(wrong.value) == (
        f"the wrong board is on {port}: expected atmega328p ab:ce, "
        "found atmega328p ab:cd; nothing was written to it"
    )
    assert str(pickle.loads(pickle.dumps(wrong.value))) == str(wrong.value)


def test_a_serial_that_cannot_be_asked_for_is_not_taken_on_trust(
    port: Path, firmware: FirmwareImage, settings: FlashSettings
) -> None:
    # B11
    mute = replace(
        settings, method=OwnCommand(write_argv=("cp", "{bin}", "x")), serial="ab:cd"
    )
    with pytest.raises(ConfigError, match="has no way to ask"):
        flash(UNO, firmware, str(port), settings=mute)


def test_an_erase_is_always_followed_by_a_write(
    port: Path, firmware: FirmwareImage, settings: FlashSettings
) -> None:
    flash(UNO, firmware, str(port), settings=settings)
    fresh = replace(settings, erase=Erase.ALL)
    report = flash(UNO, firmware, str(port), settings=fresh)
    assert steps(report) == ["identify", "erase all", "write"]


def test_a_write_that_fails_ends_at_once_with_all_attempts(
    port: Path, firmware: FirmwareImage, settings: FlashSettings
) -> None:
    # F4
    broken = replace(
        settings, method=OwnCommand(write_argv=("sh", "-c", "echo no; false"))
    )
    with pytest.raises(FlashFailed) as failed:
        flash(UNO, firmware, str(port), settings=broken)
    error = failed.value
    assert error.reason == "write failed 2 times"
    assert len(error.attempts) == 2
    assert "write at 115200 baud: exit 1" in error.attempts[0]
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_a_tool_that_hangs_is_given_up(
    port: Path, firmware: FirmwareImage, settings: FlashSettings
) -> None:
    # B18: there is a deadline for everything.
    hanging = OwnCommand(write_argv=("sleep", "60"), timeout_s=0.2)
    with pytest.raises(FlashFailed, match=r"timed out at 0\.2 s"):
        flash(
            UNO,
            firmware,
            str(port),
            settings=replace(settings, method=hanging, attempts=1),
        )


def test_reset_is_pressed_before_every_command(
    port: Path, firmware: FirmwareImage, settings: FlashSettings
) -> None:
    pressed = replace(settings, reset=("sh", "-c", "echo >>{port}/resets"))
    report = flash(UNO, firmware, str(port), settings=pressed)
    assert steps(report)[::2] == ["reset"] * 3
    assert (port / "resets").read_text() == "\n" * 3


def test_a_board_that_failed_is_put_on_its_parking_image(
    port: Path, firmware: FirmwareImage, settings: FlashSettings, tmp_path: Path
) -> None:
    # F7, F10: the board is well again; that says nothing about the test.
    flash(UNO, firmware, str(port), settings=settings)
    assert park(UNO, str(port), settings) is None
    (tmp_path / "parked.bin").write_bytes(b"parked")
    parked = replace(settings, parking=tmp_path / "parked.bin", erase=Erase.ALL)
    report = park(UNO, str(port), parked)
    assert report is not None
    assert report.written
    assert (port / "flash").read_bytes() == b"parked"


def test_a_board_says_who_it_is(port: Path, settings: FlashSettings) -> None:
    assert str(identify(UNO, str(port), settings)) == "atmega328p ab:cd"


def test_the_image_is_left_as_it_was(
    port: Path, firmware: FirmwareImage, settings: FlashSettings
) -> None:
    # F8
    before = {path: path.read_bytes() for path in firmware.artifacts.values()}
    flash(UNO, firmware, str(port), settings=settings)
    assert {path: path.read_bytes() for path in before} == before


def test_a_uf2_file_is_copied_to_the_drive_of_the_right_board(tmp_path: Path) -> None:
    drive = tmp_path / "RPI-RP2"
    drive.mkdir()
    firmware = image(tmp_path / "image", {"firmware.uf2": b"UF2\n" * 128})
    settings = FlashSettings(method=Uf2Copy(drive=str(drive)), attempts=1)
    with pytest.raises(FlashFailed, match="no UF2 drive here"):
        flash(board("rp2040"), firmware, "", settings=settings)
    (drive / "INFO_UF2.TXT").write_text("UF2 Bootloader v3.0\r\nBoard-ID: RPI-RP2\r\n")
    assert flash(board("rp2040"), firmware, "", settings=settings).written
    assert (drive / "firmware.uf2").read_bytes() == b"UF2\n" * 128
    with pytest.raises(WrongBoard, match="expected rp2350, found rp2040"):
        flash(board("rp2350"), firmware, "", settings=settings)
