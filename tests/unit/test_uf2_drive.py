"""The program that reads and writes a UF2 drive."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.flashing.uf2_drive import main

if TYPE_CHECKING:
    from pathlib import Path

INFO = "UF2 Bootloader v3.0\nModel: Raspberry Pi RP2\nBoard-ID: RPI-RP2\n"


@pytest.fixture
def drive(tmp_path: Path) -> Path:
    """Return a folder that looks like the drive of a board in its bootloader."""
    folder = tmp_path / "RPI-RP2"
    folder.mkdir()
    (folder / "INFO_UF2.TXT").write_text(INFO)
    return folder


def test_a_drive_says_what_it_is(
    drive: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(drive, "identify", []) == 0
    assert capsys.readouterr().out == INFO


def test_files_are_copied_whole_and_counted(
    drive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    image = tmp_path / "firmware.uf2"
    image.write_bytes(bytes(range(256)) * 4_096)
    assert main(drive, "copy", [image]) == 0
    assert (drive / image.name).read_bytes() == image.read_bytes()
    assert capsys.readouterr().out == f"1048576 bytes copied to {drive}\n"


def test_a_shorter_image_leaves_nothing_of_a_longer_one(
    drive: Path, tmp_path: Path
) -> None:
    image = tmp_path / "firmware.uf2"
    for data in (b"long" * 1_000, b"short"):
        image.write_bytes(data)
        main(drive, "copy", [image])
    assert (drive / image.name).read_bytes() == b"short"


@pytest.mark.parametrize("action", ["identify", "copy"])
def test_what_is_no_such_drive_is_not_written_to(
    tmp_path: Path, action: str, capsys: pytest.CaptureFixture[str]
) -> None:
    image = tmp_path / "firmware.uf2"
    image.write_bytes(b"image")
    stick = tmp_path / "stick"
    stick.mkdir()
    assert main(stick, action, [image]) == 1
    assert f"{stick}: no UF2 drive here" in capsys.readouterr().err
    assert list(stick.iterdir()) == []
