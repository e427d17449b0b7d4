"""Programs on a real Linux, over a real SSH server and over a serial login."""

from __future__ import annotations

import os
import signal
import tty
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.bench.under_test import under_test
from pytest_embedbench.builders.python_program import PythonProgram
from pytest_embedbench.clock import Deadline
from pytest_embedbench.engines.linux import Linux
from pytest_embedbench.errors import (
    BenchFault,
    BoardBusy,
    BoardGivenUp,
    BoardLost,
    ConfigError,
    FirmwareCrash,
    FirmwareStuck,
    FlashFailed,
    NotSupported,
)
from pytest_embedbench.model import (
    NO_IMAGE,
    BoardSpec,
    FirmwareImage,
    FirmwareSource,
    UartSpec,
)
from pytest_embedbench.processes import wait_gone
from pytest_embedbench.testing import check_engine
from tests.support import ssh_server as ssh
from tests.support.linux_target import PASSWORD, USER, serial_target
from tests.support.pty_board import Pty

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytest_embedbench.contracts import Board
    from pytest_embedbench.model import Option

    MakeImage = Callable[[str], FirmwareImage]

ECHO = """\
import sys
print("READY")
for line in sys.stdin:
    print("HEARD", line.strip())
"""


def spec_for(port: str, **options: Option) -> BoardSpec:
    return BoardSpec(
        name="pi-1",
        engine="linux",
        mcu="linux",
        cpu_hz=1,
        uarts=(UartSpec(name="uart0", baud_bps=115_200),),
        environments=("python",),
        options={"port": port, "wait_s": 5, **options},
    )


@pytest.fixture(autouse=True)
def locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBEDBENCH_LOCKS", str(tmp_path / "locks"))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where programs are put."""
    (tmp_path / "programs").mkdir()
    return tmp_path / "programs"


@pytest.fixture
def over_ssh(tmp_path: Path, place: Path) -> BoardSpec:
    if reason := ssh.missing():
        pytest.skip(reason)
    (tmp_path / "ssh").mkdir()
    server = ssh.ssh_server(tmp_path / "ssh")
    return spec_for(
        "ssh://bench",
        login_ssh_config=str(server.config),
        program_folder=str(place),
    )


@pytest.fixture
def over_serial(tmp_path: Path, place: Path) -> Iterator[BoardSpec]:
    with serial_target(tmp_path) as line:
        yield spec_for(
            line.path,
            login_user=USER,
            login_password=PASSWORD,
            program_folder=str(place),
        )


@pytest.fixture(params=["over_ssh", "over_serial"])
def spec(request: pytest.FixtureRequest) -> BoardSpec:
    chosen: BoardSpec = request.getfixturevalue(request.param)
    return chosen


@pytest.fixture
def python(tmp_path: Path) -> MakeImage:
    def make(text: str) -> FirmwareImage:
        project, out = tmp_path / "project", tmp_path / "out"
        project.mkdir()
        out.mkdir()
        (project / "main.py").write_text(text)
        source = FirmwareSource(project_dir=project, environment="python")
        return PythonProgram().build(source, out)

    return make


def said(board: Board, wanted: bytes, within_s: float = 20) -> bytes:
    """Let time pass until the program has said something."""
    heard = b""
    deadline = Deadline(within_s)
    while wanted not in heard:
        assert not deadline.passed(), heard
        board.advance(20)
        heard += b"".join(chunk.data for chunk in board.link().receive())
    return heard


def end(board: Board, kind: type[Exception]) -> str:
    """Let time pass until the board ends."""
    for _ in range(1000):
        try:
            board.advance(20)
        except kind as told:
            return str(told)
    raise AssertionError("it goes on")


def test_a_program_on_a_target_keeps_the_contract(
    spec: BoardSpec, python: MakeImage
) -> None:
    check_engine(Linux(), spec, python(ECHO))


def test_its_input_and_output_are_its_uart(spec: BoardSpec, python: MakeImage) -> None:
    board = Linux().boot(spec, python(ECHO))
    assert said(board, b"READY\n") == b"READY\n"
    board.link().send(b"one\ntwo\n")
    assert said(board, b"two\n") == b"HEARD one\nHEARD two\n"
    board.close()


def test_nothing_is_left_on_the_target(
    spec: BoardSpec, python: MakeImage, place: Path
) -> None:
    board = Linux().boot(spec, python(ECHO))
    said(board, b"READY\n")
    pid = int(next(place.glob("*/pid")).read_text())
    board.close()
    assert list(place.iterdir()) == []
    assert wait_gone(pid, 20)


def test_all_bytes_go_through_both_ways(over_ssh: BoardSpec, python: MakeImage) -> None:
    program = """\
import sys
data = sys.stdin.buffer.read(256)
sys.stdout.buffer.write(b"<" + data + b">")
sys.stdout.buffer.flush()
sys.stdin.read()
"""
    board = Linux().boot(over_ssh, python(program))
    board.link().send(bytes(range(256)))
    assert said(board, b"\xff>") == b"<" + bytes(range(256)) + b">"
    board.close()


def test_an_exit_is_the_programs_fault(spec: BoardSpec, python: MakeImage) -> None:
    program = 'print("ACT PUMP ON")\nraise ValueError("level is no number")\n'
    board = Linux().boot(spec, python(program))
    told = end(board, FirmwareCrash)
    assert "the program on pi-1 failed (exit status 1)" in told
    assert told.endswith("ValueError: level is no number")
    heard = b"".join(chunk.data for chunk in board.link().receive())
    assert heard == b"ACT PUMP ON\n"
    with pytest.raises(FirmwareCrash):
        board.advance(1)
    board.close()


def test_a_signal_has_a_name(spec: BoardSpec, python: MakeImage) -> None:
    program = "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n"
    board = Linux().boot(spec, python(program))
    assert "the program on pi-1 was ended by SIGSEGV" in end(board, FirmwareCrash)
    board.close()


def test_a_dead_program_can_be_started_anew(spec: BoardSpec, python: MakeImage) -> None:
    board = Linux().boot(spec, python('print("READY")\nraise LookupError(input())\n'))
    said(board, b"READY\n")
    board.link().send(b"y\n")
    assert "LookupError" in end(board, FirmwareCrash)
    before_us = board.now_us()
    board.reset()
    said(board, b"READY\n")
    assert board.now_us() > before_us
    board.close()


def test_an_interpreter_that_is_missing_is_named(
    over_ssh: BoardSpec, python: MakeImage
) -> None:
    options = {**over_ssh.options, "program_command": ("micropython", "{program}")}
    with pytest.raises(BenchFault, match="pi-1 has no micropython: install it there"):
        Linux().boot(replace(over_ssh, options=options), python(ECHO))


def test_a_program_for_another_machine_is_named(
    over_ssh: BoardSpec, tmp_path: Path
) -> None:
    header = b"\x7fELF\x02\x01\x01" + bytes(9) + (2).to_bytes(2, "little")
    program = tmp_path / "firmware"
    program.write_bytes(header + (0xF3).to_bytes(2, "little") + bytes(44))
    image = FirmwareImage(environment="c", elf_path=program, sha256="", key="k")
    board = Linux().boot(over_ssh, image)
    told = end(board, FirmwareCrash)
    assert "it is built for riscv64, and the target is " in told
    board.close()


def test_a_program_that_cannot_be_put_anywhere_is_no_fault_of_its_own(
    over_ssh: BoardSpec, python: MakeImage
) -> None:
    options = {**over_ssh.options, "program_folder": "/proc"}
    with pytest.raises(FlashFailed, match="the board on ssh://bench was not flashed"):
        Linux().boot(replace(over_ssh, options=options), python(ECHO))


# B7
def test_a_program_that_never_reads_is_stuck(
    over_ssh: BoardSpec, python: MakeImage
) -> None:
    board = Linux().boot(
        over_ssh, python("import time\nprint('UP')\ntime.sleep(600)\n")
    )
    said(board, b"UP\n")
    board.link().send(bytes(8 << 20))
    assert "took nothing for 1 s" in end(board, FirmwareStuck)
    board.close()


def test_a_target_that_goes_with_a_stuck_program_is_told_to_the_next_one_only(
    over_ssh: BoardSpec, python: MakeImage
) -> None:
    # That the program is stuck is the first cause; to close must not hide it.
    program = (
        "import os, time\n"
        "print(os.popen('ps -o ppid= %d' % os.getppid()).read().strip(), 'UP')\n"
        "time.sleep(600)\n"
    )
    board = Linux().boot(over_ssh, python(program))
    server = int(said(board, b"UP\n").split()[0])
    board.link().send(bytes(8 << 20))
    told = end(board, FirmwareStuck)
    os.kill(server, signal.SIGKILL)
    assert wait_gone(server, 20)
    assert end(board, FirmwareStuck) == told
    board.close()
    with pytest.raises(BoardGivenUp, match=r"pi-1: .*ssh://bench is gone"):
        Linux().boot(over_ssh, NO_IMAGE)


def test_a_target_that_is_lost_is_no_fault_of_the_program(
    over_ssh: BoardSpec, python: MakeImage
) -> None:
    program = (
        "import os\nos.kill(int(os.popen('ps -o ppid= %d' % os.getppid()).read()), 9)\n"
    )
    board = Linux().boot(over_ssh, python(program))
    assert "pi-1" in end(board, BoardLost)
    board.close()
    with pytest.raises(BoardGivenUp):
        Linux().boot(over_ssh, NO_IMAGE)


def test_a_target_that_starts_anew_is_no_fault_of_the_program(
    over_serial: BoardSpec, python: MakeImage
) -> None:
    boot = "\\r\\n[    0.000000] Booting Linux on physical CPU 0x0\\r\\n"
    board = Linux().boot(over_serial, python(f"print('{boot}')\ninput()\n"))
    assert "pi-1 has started anew" in end(board, BoardLost)
    board.close()


def test_the_kernel_is_no_part_of_what_the_program_says(
    over_serial: BoardSpec, python: MakeImage
) -> None:
    kernel = "[   12.345678] usb 1-1: new device\\r\\n"
    program = f"print('ACT PUMP {kernel}ON')\ninput()\n"
    board = Linux().boot(over_serial, python(program))
    assert said(board, b"ON\n") == b"ACT PUMP ON\n"
    board.close()


def test_over_ssh_a_board_has_a_console_beside_its_program(
    over_ssh: BoardSpec, over_serial: BoardSpec, python: MakeImage
) -> None:
    image = python(ECHO)
    with_both = under_test(Linux().boot(over_ssh, image))
    assert with_both.console.run("echo here").text == "here\n"
    with_both.close()
    with_one = under_test(Linux().boot(over_serial, image))
    with pytest.raises(NotSupported, match="one serial line"):
        with_one.console.run("true")
    with_one.close()


def test_a_uart_may_be_a_wire_of_its_own(
    over_ssh: BoardSpec, python: MakeImage
) -> None:
    wire, far = Pty(), Pty()
    program = """\
import os
uart = os.open(os.environ["EMBEDBENCH_UART"], os.O_RDWR)
print("on the console")
os.write(uart, b"READY\\n")
while data := os.read(uart, 100):
    os.write(uart, data.upper())
"""
    options = {
        **over_ssh.options,
        "program_uart": wire.path,
        "program_device": far.path,
    }
    board = Linux().boot(replace(over_ssh, options=options), python(program))
    tty.setraw(far.board)
    assert far.hear(6) == b"READY\n"
    wire.say(b"READY\n")
    assert said(board, b"READY\n") == b"READY\n"
    board.link().send(b"level 20\n")
    far.say(wire.hear(9))
    wire.say(far.hear(9))
    assert said(board, b"20\n") == b"LEVEL 20\n"
    assert board.notes == ["the program said: on the console"]
    board.close()
    wire.unplug()
    far.unplug()


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"program_uart": "/dev/ttyUSB1"}, "program.uart: needs program.device"),
        ({"login_password_env": "NO_SUCH_SECRET"}, "there is no NO_SUCH_SECRET"),
        ({"program_environment": ("LEVEL",)}, "'LEVEL' is not like NAME=value"),
        ({"login_usr": "pi"}, "login_usr: unknown key"),
    ],
)
def test_options_that_make_no_sense_are_refused_first(
    options: dict[str, Option], reason: str
) -> None:
    with pytest.raises(ConfigError, match=reason):
        Linux().boot(spec_for("ssh://nowhere.invalid", **options), NO_IMAGE)


# B2: what one process has logged in to, no other may touch.
def test_a_target_that_is_in_use_is_waited_for(
    over_ssh: BoardSpec, python: MakeImage
) -> None:
    image = python(ECHO)
    held = Linux().open_console(over_ssh)
    with pytest.raises(BoardBusy, match="in use by this very test"):
        Linux().boot(over_ssh, image)
    held.close()
    Linux().boot(over_ssh, image).close()
