"""A board behind a port: no byte lost, no wait for ever, and clear last words.

Time is the host's here, so budgets are tens of milliseconds and margins are wide.
"""

from __future__ import annotations

import os
import select
import subprocess
import sys
import termios
import threading
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from pytest_embedbench.bench.bench import Bench
from pytest_embedbench.bench.under_test import under_test
from pytest_embedbench.clock import Deadline, pause
from pytest_embedbench.engines.serial_port import SerialBoard, SerialPort
from pytest_embedbench.errors import (
    BoardBusy,
    BoardGivenUp,
    BoardLost,
    BoardUnreachable,
    ConfigError,
    ExpectTimeout,
    FirmwareStuck,
    FlashFailed,
    NotSupported,
)
from pytest_embedbench.lab.ports.discovery import Attached
from pytest_embedbench.lab.ports.fuser import processes_using
from pytest_embedbench.model import NO_IMAGE
from pytest_embedbench.testing import tank_firmware
from tests.support.boards import image
from tests.support.pty_board import Pty, PtyBoard, spec_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_embedbench.lab.ports.connection import Connection
    from pytest_embedbench.model import Option

WITHIN_S = 5.0
THIEF = """
import os, select, sys
port = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY)
while True:
    select.select([port], [], [])
    os.read(port, 4096)
"""


@pytest.fixture(autouse=True)
def locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBEDBENCH_LOCKS", str(tmp_path / "locks"))


@pytest.fixture
def pty() -> Iterator[Pty]:
    pty = Pty()
    yield pty
    pty.unplug()


@pytest.fixture
def boot(tmp_path: Path, pty: Pty) -> Iterator[Callable[..., SerialBoard]]:
    del pty  # it stays until all boards are closed
    firmware = image(tmp_path / "image", {"firmware.bin": b"busy"})
    with ExitStack() as opened:

        def boot(port: str, **options: Option) -> SerialBoard:
            spec = spec_for(port, **options)
            flashed = "flash_method" in options
            board = SerialPort().boot(spec, firmware if flashed else NO_IMAGE)
            opened.callback(board.close)
            return board

        yield boot


def heard(board: SerialBoard, count: int) -> bytes:
    """Advance until so many bytes are in."""
    deadline = Deadline(WITHIN_S)
    data = b""
    while len(data) < count and not deadline.passed():
        board.advance(5)
        data += b"".join(chunk.data for chunk in board.receive())
    return data


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_the_tank_runs_on_a_board_behind_a_port(
    boot: Callable[..., SerialBoard], tmp_path: Path
) -> None:
    device = PtyBoard(tank_firmware)
    bench = Bench(boot(device.path), tmp_path)
    bench.send("SENSE LEVEL 20")
    bench.expect("ACT PUMP ON", within_ms=2000)
    bench.send("SENSE LEVEL 85")
    bench.expect("ACT PUMP OFF", within_ms=2000)
    bench.close()
    device.close()


@pytest.mark.parametrize("size", [1, 3, 4096])
def test_any_byte_in_any_piece_arrives(
    boot: Callable[..., SerialBoard], pty: Pty, size: int
) -> None:
    # U1, U2, U3, U4: broken UTF-8, 0x80 to 0xff, what 74880 baud looks like.
    said = bytes(range(256)) + "21 °C 🔥\n".encode() + b"\xfe\x00\x9c\xe0\r\n" * 3
    board = boot(pty.path)
    for start in range(0, len(said), size):
        pty.say(said[start : start + size])
    assert heard(board, len(said)) == said


def test_what_is_said_while_the_test_is_busy_is_not_lost(
    boot: Callable[..., SerialBoard], pty: Pty
) -> None:
    # More than any system keeps for us; nobody advances meanwhile.
    said = b"".join(b"%07d\n" % number for number in range(40_000))
    board = boot(pty.path)
    for start in range(0, len(said), 4096):
        pty.say(said[start : start + 4096])
    assert heard(board, len(said)) == said


def test_a_chunk_is_stamped_when_it_came_not_when_it_was_looked_at(
    boot: Callable[..., SerialBoard], pty: Pty
) -> None:
    board = boot(pty.path)
    pty.say(b"early\n")
    threading.Event().wait(0.2)
    board.advance(1)
    (chunk,) = board.receive()
    assert chunk.at_us < board.now_us() - 100_000


def test_a_line_that_comes_in_pieces_is_one_chunk(
    boot: Callable[..., SerialBoard], pty: Pty
) -> None:
    board = boot(pty.path)
    later = threading.Timer(0.03, pty.say, [b"ne\nand"])
    pty.say(b"a li")
    later.start()
    board.advance(200)
    later.join()
    assert [chunk.data for chunk in board.receive()] == [b"a line\n", b"and"]


def test_what_was_said_before_the_boot_is_not_heard(
    boot: Callable[..., SerialBoard], pty: Pty
) -> None:
    # U15: the run before must not answer for this one.
    pty.say(b"READY\n")
    board = boot(pty.path)
    pty.say(b"now\n")
    assert heard(board, 4) == b"now\n"


def test_advance_takes_as_long_as_it_says(
    boot: Callable[..., SerialBoard], pty: Pty
) -> None:
    # U10: no read outlasts its budget.
    board = boot(pty.path)
    before_us = board.now_us()
    board.advance(30)
    assert 30_000 <= board.now_us() - before_us < 1_000_000


@dataclass(slots=True)
class Sleepy:
    """A connection on a host that is busy with something else."""

    awake: Connection

    def wait(self, duration_s: float) -> None:
        self.awake.wait(duration_s + 0.06)

    def __getattr__(self, name: str) -> object:
        return getattr(self.awake, name)


def test_a_host_that_was_late_is_told_with_a_failure(
    boot: Callable[..., SerialBoard], pty: Pty, tmp_path: Path
) -> None:
    board = boot(pty.path)
    board.connection = cast("Connection", Sleepy(board.connection))
    bench = Bench(board, tmp_path)
    with pytest.raises(ExpectTimeout, match=r"note: this host was \d+ ms late at"):
        bench.expect("READY", within_ms=10)
    bench.close()


def test_garbage_for_ever_ends_in_one_clear_error(
    boot: Callable[..., SerialBoard], pty: Pty, tmp_path: Path
) -> None:
    bench = Bench(boot(pty.path), tmp_path)
    done = threading.Event()

    def babble() -> None:
        os.set_blocking(pty.board, False)
        while not done.is_set():
            if select.select([], [pty.board], [], 0.01)[1]:
                pty.say(b"\xfe\x80\x00\xff" * 16)
            done.wait(0.005)

    thread = threading.Thread(target=babble)
    thread.start()
    try:
        with pytest.raises(ExpectTimeout, match="did not say 'READY' within 150 ms"):
            bench.expect("READY", within_ms=150)
    finally:
        done.set()
        thread.join()
        bench.close()


def test_what_nobody_waited_for_is_in_the_log(
    boot: Callable[..., SerialBoard], pty: Pty, tmp_path: Path
) -> None:
    # U13: a device that crashes after the last expect still says so.
    bench = Bench(boot(pty.path), tmp_path)
    pty.say(b"Guru Meditation Error: Core 1 pan")
    bench.close()
    log = bench.transcript_path.read_text()
    assert "Guru Meditation Error: Core 1 pan" in log


def test_the_last_words_of_a_failed_test_are_awaited(
    boot: Callable[..., SerialBoard], pty: Pty
) -> None:
    # U13
    board = boot(pty.path)
    board.needs_recovery = True
    later = threading.Timer(0.03, pty.say, [b"panic\n"])
    later.start()
    board.close()
    later.join()
    assert [chunk.data for chunk in board.receive()] == [b"panic\n"]


def test_a_board_that_never_reads_stalls_nobody(
    boot: Callable[..., SerialBoard], pty: Pty
) -> None:
    # B7
    board = boot(pty.path, takes_within_ms=50)
    board.link().send(b"x" * 1_000_000)
    with pytest.raises(
        FirmwareStuck, match=r"took nothing for 0\.05 s: \d+ bytes wait"
    ):
        board.advance(3000)
    board.close()


def test_what_is_sent_arrives_whole_and_in_order(
    boot: Callable[..., SerialBoard], pty: Pty
) -> None:
    sent = b"".join(b"%07d\n" % number for number in range(5_000))
    link = boot(pty.path).link()
    for start in range(0, len(sent), 999):
        link.send(sent[start : start + 999])
    assert pty.hear(len(sent)) == sent


@pytest.mark.parametrize("reset_on_open", [False, True])
def test_closing_hangs_up_only_where_opening_is_to_reset(
    boot: Callable[..., SerialBoard], pty: Pty, *, reset_on_open: bool
) -> None:
    # B1: a dropped DTR is what makes the next opening reset the board.
    boot(pty.path, reset_on_open=reset_on_open)
    control = termios.tcgetattr(pty.board)[2]
    assert bool(control & termios.HUPCL) is reset_on_open


def test_a_second_opener_is_told_who_has_the_board(
    boot: Callable[..., SerialBoard], pty: Pty, tmp_path: Path
) -> None:
    # B2, B12: and a link to the port is the same port.
    boot(pty.path)
    link = tmp_path / "by-id"
    link.symlink_to(pty.path)
    with pytest.raises(BoardBusy, match="is in use by this very test already"):
        boot(str(link))


def test_a_missing_port_is_an_error(boot: Callable[..., SerialBoard]) -> None:
    # B15
    with pytest.raises(BoardUnreachable, match="there is no port /dev/ttyUSB77"):
        boot("/dev/ttyUSB77")


def test_a_port_that_is_no_serial_port_is_an_error(
    boot: Callable[..., SerialBoard], tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BoardUnreachable, match="file cannot be opened: "):
        boot(str(tmp_path / "file"))


def test_an_unknown_kind_of_url_is_an_error(boot: Callable[..., SerialBoard]) -> None:
    with pytest.raises(ConfigError, match="carrier-pigeon://x: not a port that can be"):
        boot("carrier-pigeon://x")


def test_an_unplugged_board_is_lost_and_says_so(
    boot: Callable[..., SerialBoard], pty: Pty
) -> None:
    # B3: what was said before it is still there.
    board = boot(pty.path)
    pty.say(b"last words")
    assert heard(board, 10) == b"last words"
    path = pty.path
    pty.unplug()
    with pytest.raises(BoardLost, match=f"{path} was unplugged, or the board switched"):
        board.advance(2000)
    board.close()


def test_a_board_that_was_lost_is_out_for_the_run(
    boot: Callable[..., SerialBoard], pty: Pty, tmp_path: Path
) -> None:
    link = tmp_path / "by-id"
    link.symlink_to(pty.path)
    board = boot(str(link))
    os.close(pty.board)
    with pytest.raises(BoardLost, match="was unplugged"):
        board.advance(2000)
    board.close()
    pty.board = -1
    with pytest.raises(BoardGivenUp, match="was unplugged"):
        boot(str(link))


def test_another_reader_is_told_apart_from_an_unplugged_board(
    boot: Callable[..., SerialBoard], pty: Pty
) -> None:
    # B3
    board = boot(pty.path)
    thief = subprocess.Popen([sys.executable, "-c", THIEF, pty.path])

    def talk() -> None:
        deadline = Deadline(WITHIN_S)
        while not deadline.passed():
            pty.say(b"x" * 64)
            board.advance(1)

    try:
        with pytest.raises(BoardLost, match=rf"part of .*: pid {thief.pid} \(python"):
            talk()
    finally:
        thief.kill()
        thief.wait()
    board.close()


def test_a_port_that_another_program_reads_is_not_opened(
    boot: Callable[..., SerialBoard], pty: Pty
) -> None:
    # B2
    thief = subprocess.Popen(["cat", pty.path], stdout=subprocess.DEVNULL)
    try:
        deadline = Deadline(WITHIN_S)
        while not processes_using(pty.path):
            assert not deadline.passed()
            pause(0.005)
        with pytest.raises(BoardBusy, match=rf"open in .*: pid {thief.pid} \(cat\)"):
            boot(pty.path)
    finally:
        thief.kill()
        thief.wait()


@pytest.mark.parametrize("away_s", [0.03, 0.3])
def test_a_board_that_comes_back_under_another_name_is_followed(
    boot: Callable[..., SerialBoard], tmp_path: Path, away_s: float
) -> None:
    # B8, B12: what is sent meanwhile reaches it.
    before, after = Pty(), Pty()
    link = tmp_path / "by-id"
    link.symlink_to(before.path)
    board = boot(str(link), reappears_within_ms=5000)
    link.unlink()
    before.unplug()
    replugged = threading.Timer(away_s, link.symlink_to, [after.path])
    replugged.start()
    board.advance(10)
    board.link().send(b"hello")
    after.say(b"back\n")
    assert heard(board, 5) == b"back\n"
    assert after.hear(5) == b"hello"
    board.close()
    replugged.join()
    after.unplug()


def test_a_board_that_does_not_come_back_is_lost(
    boot: Callable[..., SerialBoard], tmp_path: Path
) -> None:
    # B8
    pty = Pty()
    link = tmp_path / "by-id"
    link.symlink_to(pty.path)
    board = boot(str(link), reappears_within_ms=50)
    link.unlink()
    pty.unplug()
    with pytest.raises(
        BoardLost, match=r"vanished and did not come back within 0\.05 s"
    ):
        board.advance(3000)
    board.close()


def test_a_usb_board_is_followed_by_its_serial_number() -> None:
    # B9
    before, after = Pty(), Pty()
    bench = [Attached(device=before.path, usb_serial="A5XK")]
    engine = SerialPort(listed=lambda: list(bench))
    spec = spec_for("", usb_serial="A5XK", reappears_within_ms=5000)
    board = engine.boot(spec, NO_IMAGE)
    bench[:] = [Attached(device=after.path, usb_serial="A5XK")]
    before.unplug()
    after.say(b"back\n")
    assert heard(board, 5) == b"back\n"
    board.close()
    after.unplug()


def test_nothing_stays_open(boot: Callable[..., SerialBoard], pty: Pty) -> None:
    # U17
    boot(pty.path).close()
    before = open_files()
    for _ in range(50):
        boot(pty.path).close()
    assert open_files() == before


def test_a_port_that_fails_to_open_stays_free(
    boot: Callable[..., SerialBoard], pty: Pty
) -> None:
    with pytest.raises(ConfigError):
        boot(pty.path, colour="red")
    boot(pty.path)


def test_options_that_make_no_sense_are_told_before_anybody_waits(
    boot: Callable[..., SerialBoard], pty: Pty
) -> None:
    boot(pty.path)
    with pytest.raises(
        ConfigError, match=r"board 'desk': options\.reset_sequence: reset sequence"
    ):
        boot(pty.path, reset_sequence="push")


def test_closing_twice_and_going_on_is_told(
    boot: Callable[..., SerialBoard], pty: Pty
) -> None:
    board = boot(pty.path)
    board.close()
    board.close()
    with pytest.raises(BoardLost, match="desk is closed"):
        board.advance(1)


def test_what_a_port_cannot_do_is_said(
    boot: Callable[..., SerialBoard], pty: Pty
) -> None:
    board = under_test(boot(pty.path))
    with pytest.raises(NotSupported, match=r"desk has no pins .* on engine serial"):
        board.pin_trace()
    with pytest.raises(NotSupported, match="desk has no way to press reset"):
        board.reset()
    with pytest.raises(NotSupported, match="desk has no way to switch its power"):
        board.power_cycle()


def test_a_loop_url_needs_no_board_and_no_turn(
    boot: Callable[..., SerialBoard],
) -> None:
    one, other = boot("loop://"), boot("loop://")
    one.send(b"echo\n")
    assert heard(one, 5) == b"echo\n"
    assert heard(other, 0) == b""


FLASHER = """
import serial, sys
with serial.Serial(sys.argv[1], exclusive=True) as port:
    port.write(b"image")
"""


def test_the_port_is_the_flashers_until_it_is_done(
    boot: Callable[..., SerialBoard], pty: Pty
) -> None:
    # B13, F5: what the new firmware says before we open the port is heard.
    def bootloader() -> None:
        assert pty.hear(5) == b"image"
        pty.say(b"new firmware\n")

    device = threading.Thread(target=bootloader)
    device.start()
    board = boot(
        pty.path,
        flash_method="command",
        flash_write_argv=(sys.executable, "-c", FLASHER, "{port}"),
    )
    device.join()
    assert heard(board, 13) == b"new firmware\n"


def test_a_flash_that_fails_is_an_outcome_of_its_own_and_frees_the_board(
    boot: Callable[..., SerialBoard], pty: Pty
) -> None:
    # F4: and nobody listens to a board that was not flashed.
    flash = {
        "flash_method": "command",
        "flash_write_argv": ("sh", "-c", "echo no sync; exit 2"),
        "flash_attempts": 2,
        "flash_backoff_s": 0.01,
    }
    with pytest.raises(FlashFailed, match=r"exit 2 after .* no sync"):
        boot(pty.path, **flash)
    boot(pty.path)


def test_a_board_that_a_test_has_failed_on_is_parked(
    boot: Callable[..., SerialBoard], pty: Pty, tmp_path: Path
) -> None:
    # F7, F10: it poisons no other test, and the verdict on this one stays.
    parking = tmp_path / "parking.bin"
    parking.write_bytes(b"calm")
    log = tmp_path / "log"
    board = boot(
        pty.path,
        flash_method="command",
        flash_write_argv=("sh", "-c", f"basename {{bin}} >> {log}"),
        flash_parking=str(parking),
    )
    board.needs_recovery = True
    board.close()
    assert log.read_text().splitlines() == ["firmware.bin", "parking.bin"]
