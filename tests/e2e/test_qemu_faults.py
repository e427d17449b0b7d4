"""Whatever is wrong with a QEMU is a fault of the bench, and leaves nothing behind."""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from pytest_embedbench.engines.qemu import QemuBoard
from pytest_embedbench.errors import BoardLost, FirmwareReset
from pytest_embedbench.processes import wait_gone
from tests.e2e.fake_qemu import boot_fake, fake_qemu
from tests.e2e.qemu_boards import Workshop, built, skip_unless_installed, workshop

__all__ = ["built", "workshop"]

OBEY = "for request in requests():\n    obey(request)\n"
HANG = "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: signal.pause()\n"
GONE_WITHIN_S = 2.0


@pytest.fixture
def name() -> str:
    skip_unless_installed("qemu-stm32f405")
    return "qemu-stm32f405"


def test_the_fake_itself_is_a_board(tmp_path: Path) -> None:
    with closing(boot_fake(fake_qemu(tmp_path, OBEY))) as board:
        board.advance(50)
        assert board.now_us() == 50_000


# ------------------------------------------------------------------------- at start
def test_a_qemu_that_exits_at_once_is_quoted(tmp_path: Path) -> None:
    program = fake_qemu(tmp_path, "sys.exit('no such device: lockstep')")
    with pytest.raises(BoardLost, match="ended with 1 when it was started") as caught:
        boot_fake(program)
    assert "no such device: lockstep" in str(caught.value)


def test_a_qemu_that_starts_at_the_second_attempt_is_noted(tmp_path: Path) -> None:
    # E14: a fault of this computer, not of the test
    flaky = (
        "import pathlib\n"
        f"tried = pathlib.Path({str(tmp_path / 'tried')!r})\n"
        "if not tried.exists():\n"
        "    tried.touch()\n"
        "    sys.exit('not today')\n"
    )
    with closing(boot_fake(fake_qemu(tmp_path, flaky + OBEY))) as board:
        board.advance(50)
        [note] = board.notes
    assert note.startswith("the emulator was started twice:")
    assert "not today" in note


def test_a_qemu_that_hangs_at_start_is_given_up(tmp_path: Path) -> None:
    with pytest.raises(BoardLost, match=r"did nothing for \d"):
        boot_fake(fake_qemu(tmp_path, HANG), wall_limit_s=0.5)


def test_a_qemu_that_prints_garbage_is_found_out(tmp_path: Path) -> None:
    program = fake_qemu(tmp_path, "gdb.sendall(b'220 ready\\r\\n')\n" + HANG)
    with pytest.raises(BoardLost, match="220 ready"):
        boot_fake(program)


def test_a_stranger_that_answers_is_not_talked_to(tmp_path: Path) -> None:
    # E1: a stale emulator must never be taken for ours
    stranger = "next(requests())\nprint_uuid('00000000-dead-beef')\n" + HANG
    with pytest.raises(BoardLost, match="not the QEMU that we started"):
        boot_fake(fake_qemu(tmp_path, stranger))


def test_a_program_that_cannot_be_started_is_named(tmp_path: Path) -> None:
    program = tmp_path / "qemu-system-arm"
    program.write_text("#!/nowhere\n")
    program.chmod(0o755)
    with pytest.raises(BoardLost, match=r"cannot be started: .*No such file"):
        boot_fake(program)


def test_there_is_nothing_that_a_stranger_could_connect_to(
    workshop: Workshop, name: str
) -> None:
    # E1, E13: no port, and no socket with a name
    board = workshop.boot(name)
    held = {str(entry.readlink()) for entry in Path(f"/proc/{board.pid}/fd").iterdir()}
    named = [
        row
        for table in ("tcp", "tcp6", "udp", "udp6")
        for row in Path(f"/proc/net/{table}").read_text().splitlines()[1:]
        if f"socket:[{row.split()[9]}]" in held
    ]
    named += [
        row
        for row in Path("/proc/net/unix").read_text().splitlines()[1:]
        if len(row.split()) > 7 and f"socket:[{row.split()[6]}]" in held
    ]
    assert named == []


# ------------------------------------------------------------------------ later on
def test_a_qemu_that_hangs_while_the_firmware_boots_is_given_up(tmp_path: Path) -> None:
    behaviour = (
        "uart.write(b'so far, so good\\n')\n"
        "for request in requests():\n"
        "    if request.startswith(b'vCont'): signal.pause()\n"
        "    obey(request)\n"
    )
    with pytest.raises(BoardLost, match="at boot") as caught:
        boot_fake(fake_qemu(tmp_path, behaviour), wall_limit_s=0.5)
    assert "so far, so good" in str(caught.value)


def dying_at(stop: int, how: str) -> str:
    return (
        "for request in requests():\n"
        f"    if stops == {stop} and request.startswith(b'vCont'):\n"
        f"        {how}\n"
        "    obey(request)\n"
    )


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("sys.exit('out of memory')", "ended with 1 at 0.020 s; it said:\nout of mem"),
        ("sys.exit(0)", "ended with 0 at 0.020 s"),  # E12: good or bad, it has ended
        ("import os; os.kill(os.getpid(), 11)", "was killed by signal 11 at 0.020 s"),
        ("packet(b'E22')", "sent b'E22' where the guest should stop"),
        ("gdb.sendall(b'$OK#00')", "wrong checksum"),
    ],
)
def test_a_qemu_that_dies_in_a_run_is_no_verdict_on_the_firmware(
    tmp_path: Path, how: str, said: str
) -> None:
    with closing(boot_fake(fake_qemu(tmp_path, dying_at(5, how)))) as board:
        board.advance(20)
        with pytest.raises(BoardLost) as caught:
            board.advance(30)
        assert said in str(caught.value)
        with pytest.raises(BoardLost):
            board.advance(10)
        assert board.link().receive() == []


def test_a_qemu_that_hangs_in_a_run_is_given_up(tmp_path: Path) -> None:
    behaviour = dying_at(5, "signal.pause()")
    board = boot_fake(fake_qemu(tmp_path, behaviour), wall_limit_s=0.5)
    with (
        closing(board),
        pytest.raises(BoardLost, match=r"did nothing for \d.* at 0.020 s"),
    ):
        board.advance(100)


def test_a_clock_that_goes_back_is_a_restart(tmp_path: Path) -> None:
    behaviour = dying_at(9, "stops = 3")
    board = boot_fake(fake_qemu(tmp_path, behaviour))
    with closing(board), pytest.raises(FirmwareReset, match="restarted by itself"):
        board.advance(1000)


def test_a_board_can_be_reset_after_its_qemu_has_died(tmp_path: Path) -> None:
    board = boot_fake(fake_qemu(tmp_path, dying_at(5, "sys.exit(1)")))
    with closing(board):
        with pytest.raises(BoardLost):
            board.advance(100)
        board.reset()
        board.advance(20)


def test_a_closed_board_says_so(tmp_path: Path) -> None:
    board = boot_fake(fake_qemu(tmp_path, OBEY))
    board.close()
    board.close()
    with pytest.raises(BoardLost, match="closed"):
        board.advance(10)
    with pytest.raises(BoardLost, match="closed"):
        board.link().send(b"x")
    with pytest.raises(BoardLost, match="closed"):
        board.reset()


# -------------------------------------------------------------------------- hygiene
def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def pid_of(board: QemuBoard) -> int:
    return board.pid


def test_closing_ends_a_qemu_that_does_not_want_to(tmp_path: Path) -> None:
    # E6: asked first, for as long as the board's grace_ms says
    behaviour = "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + OBEY.replace(
        "obey(request)", "obey(request) if request != b'k' else signal.pause()"
    )
    board = boot_fake(fake_qemu(tmp_path, behaviour))
    pid = pid_of(board)
    board.close()
    assert wait_gone(pid, 0)


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_qemu_outlives_whoever_started_it(
    workshop: Workshop, name: str, end: signal.Signals
) -> None:
    # E2: here, while the guest stands still in its debugger
    image = workshop.image(name)
    script = (
        "import sys, signal\n"
        "from pathlib import Path\n"
        "from pytest_embedbench.bench.registry import Registry\n"
        "from pytest_embedbench.model import FirmwareImage\n"
        "spec = Registry().board(sys.argv[1])\n"
        "image = FirmwareImage(environment='', elf_path=Path(sys.argv[2]),"
        " sha256='', key='')\n"
        "board = Registry().engine(spec.engine).boot(spec, image)\n"
        "print(board.pid, flush=True)\n"
        "signal.pause()\n"
    )
    starting = subprocess.Popen(
        [sys.executable, "-c", script, name, str(image.elf_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert starting.stdout is not None
        pid = int(starting.stdout.readline())
        starting.send_signal(end)
        assert wait_gone(pid, GONE_WITHIN_S)
    finally:
        starting.kill()
        starting.communicate()


def test_an_exception_in_a_test_leaves_no_qemu(workshop: Workshop, name: str) -> None:
    board = workshop.boot(name)
    pid = pid_of(board)

    def failing() -> None:
        with closing(board):
            board.advance(10)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        failing()
    assert wait_gone(pid, 0)


def test_other_peoples_qemus_are_left_alone(workshop: Workshop, name: str) -> None:
    # E3
    bystander, board = workshop.boot(name), workshop.boot(name)
    board.close()
    bystander.advance(100)
    assert not wait_gone(pid_of(bystander), 0)


def test_many_boards_start_at_once_and_leave_no_descriptor(
    workshop: Workshop, name: str
) -> None:
    # E13, U17: nothing is numbered, bound or named that two could want
    before = open_descriptors()
    for _ in range(5):
        boards = [workshop.boot(name) for _ in range(4)]
        for board in boards:
            board.advance(20)
        for board in boards:
            board.close()
        workshop.boards.clear()
    assert open_descriptors() == before


def test_nothing_is_left_in_the_folder_for_temporary_files(
    workshop: Workshop, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    board = workshop.boot(name)
    assert list(tmp_path.iterdir()) == []
    board.close()
    assert list(tmp_path.iterdir()) == []
