"""The real avrdude against a bootloader of ours, in a simulated Uno in real time."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import serial

from pytest_embedbench.errors import FlashFailed, NotSupported, WrongBoard
from pytest_embedbench.flashing import Erase, FlashSettings, flash
from pytest_embedbench.flashing.avrdude import Avrdude
from pytest_embedbench.flashing.platformio import PlatformIOUpload
from tests.support.boards import board, image
from tests.support.network_ports import SharedPort, server
from tests.support.pty_uno import missing, pty_uno

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_embedbench.builders.platformio.core_setup import CoreSetup
    from pytest_embedbench.model import FirmwareImage
    from tests.support.pty_uno import PtyUno

UNO = board("atmega328p")
pytestmark = [
    pytest.mark.host_time,
    pytest.mark.skipif(
        shutil.which("avrdude") is None, reason="no avrdude: apt-get install avrdude"
    ),
]


@pytest.fixture(scope="module")
def uno(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PtyUno]:
    if reason := missing():
        pytest.skip(reason)
    with pty_uno(tmp_path_factory.mktemp("uno")) as running:
        yield running


@pytest.fixture
def settings(uno: PtyUno) -> FlashSettings:
    # On a busy host avrdude may come too late after a reset, and is tried again.
    hurried = Avrdude(answer_within_s=5.0)
    return FlashSettings(method=hurried, reset=uno.reset, backoff_s=0.01)


def saying(letter: str, folder: Path) -> FirmwareImage:
    """Return a program that says a letter over and over, as avrdude takes it."""
    code = bytes.fromhex(
        "02e0 0093c000"  # ldi r16, U2X; sts UCSR0A, r16
        "00e1 0093c400"  # ldi r16, 16; sts UBRR0L, r16
        "08e0 0093c100"  # ldi r16, TXEN; sts UCSR0B, r16
        "1091c000 15ff fccf"  # lds r17, UCSR0A; sbrs r17, UDRE; rjmp back
        f"0{ord(letter) & 15:x}e{ord(letter) >> 4:x} 0093c600"  # ldi; sts UDR0
        "f8cf"  # rjmp back
    )
    record = bytes([len(code), 0, 0, 0]) + code
    record += bytes([-sum(record) & 0xFF])
    text = f":{record.hex()}\n:00000001ff\n".upper()
    return image(folder, {"firmware.hex": text.encode()})


def heard(uno: PtyUno) -> bytes:
    """Press reset with the port open, and return the first that is said."""
    with serial.Serial(uno.port, 115200, timeout=10) as port:
        uno.press()
        port.reset_input_buffer()
        return port.read(4)


def test_a_program_is_written_once_and_runs(
    uno: PtyUno, settings: FlashSettings, tmp_path: Path
) -> None:
    first, other = saying("A", tmp_path / "a"), saying("B", tmp_path / "b")
    report = flash(UNO, first, uno.port, settings=settings)
    assert report.written
    assert report.identity is not None
    assert (report.identity.chip, report.identity.detail) == ("atmega328p", "1e950f")
    assert heard(uno) == b"AAAA"
    assert not flash(UNO, first, uno.port, settings=settings).written
    assert flash(UNO, other, uno.port, settings=settings).written
    assert heard(uno) == b"BBBB"


def test_a_board_behind_a_socket_is_flashed(
    uno: PtyUno, settings: FlashSettings, tmp_path: Path
) -> None:
    with server(SharedPort(uno.port, manager=None)) as desk:
        port = f"socket://{desk.place}"
        assert flash(UNO, saying("S", tmp_path), port, settings=settings).written
    assert heard(uno) == b"SSSS"


def test_what_avrdude_cannot_open_is_said(
    settings: FlashSettings, tmp_path: Path
) -> None:
    with pytest.raises(NotSupported, match="avrdude cannot open rfc2217://desk:4000"):
        flash(UNO, saying("S", tmp_path), "rfc2217://desk:4000", settings=settings)


def test_another_chip_is_left_alone(
    uno: PtyUno, settings: FlashSettings, tmp_path: Path
) -> None:
    # B11
    before = heard(uno)
    mega = board("atmega2560")
    with pytest.raises(WrongBoard, match="expected atmega2560, found m328p"):
        flash(mega, saying("C", tmp_path), uno.port, settings=settings)
    assert heard(uno) == before


def test_a_bootloader_that_does_not_answer_is_a_failed_flash(
    uno: PtyUno, settings: FlashSettings, tmp_path: Path
) -> None:
    # F4: the application runs and talks, nobody presses reset.
    hurried = Avrdude(answer_within_s=1.0)
    unpressed = replace(settings, method=hurried, reset=(), attempts=2)
    with pytest.raises(FlashFailed) as failed:
        flash(UNO, saying("D", tmp_path), uno.port, settings=unpressed)
    assert failed.value.reason == "identify failed 2 times"
    assert "timed out at 1 s" in failed.value.attempts[-1]


def test_what_a_bootloader_cannot_do_is_said_before_the_board_is_touched(
    settings: FlashSettings, tmp_path: Path
) -> None:
    with pytest.raises(NotSupported, match="through a arduino bootloader"):
        flash(
            UNO,
            saying("G", tmp_path),
            "/dev/no-such-port",
            settings=replace(settings, erase=Erase.ALL),
        )


def test_platformio_uploads_an_image_that_is_built_already(
    tmp_path: Path, seeded: CoreSetup
) -> None:
    if reason := missing():
        pytest.skip(reason)
    (tmp_path / "platformio.ini").write_text(
        "[env:other]\nplatform = atmelavr\nboard = megaatmega2560\n"
        "[env:env]\nplatform = atmelavr\nboard = uno\nupload_protocol = wiring\n"
    )
    upload = PlatformIOUpload(
        project=str(tmp_path), protocol="arduino", core_dir=str(seeded.core_dir)
    )
    # PlatformIO takes its time to start.
    with pty_uno(tmp_path, listens_s=30) as patient:
        settings = FlashSettings(method=upload, reset=patient.reset)
        firmware = saying("P", tmp_path / "image")
        report = flash(UNO, firmware, patient.port, settings=settings)
        with serial.Serial(patient.port, 115200, timeout=10) as port:
            assert port.read(4) == b"PPPP"
    steps = [attempt.step for attempt in report.attempts if attempt.step != "reset"]
    assert steps == ["identify", "compare", "write"]
    assert not (tmp_path / ".pio").exists()
