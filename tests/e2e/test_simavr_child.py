"""The simulator's side answers alike in its own bare process and in a plain one.

A board's child is started without site packages, and with nothing of the packages
around its modules. What it was asked is asked here of the same modules in an ordinary
Python, where they can also be measured.
"""

from __future__ import annotations

import socket
import subprocess
import sys
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.engines.simavr.child import Child
from pytest_embedbench.engines.simavr.core.messages import HEADER, decode, encode
from pytest_embedbench.errors import FirmwareFault, ToolMissing
from pytest_embedbench.model import Level
from tests.e2e.avr_firmware import avr_image, boot, simavr

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.engines.simavr import Simavr, SimavrBoard
    from tests.e2e.avr_firmware import Boot

__all__ = ["avr_image", "boot", "simavr"]

Request = tuple[Any, ...]
SERVE = "from pytest_embedbench.engines.simavr.core.main import serve; serve()"
PLAIN = (sys.executable, "-c", SERVE)


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Request, Request]]:
    """Return all requests to children from now on, each with its answer."""
    pairs: list[tuple[Request, Request]] = []
    ask = Child.ask

    def noting(child: Child, request: Request, simulated_s: float = 0.0) -> Request:
        answer: Request = ask(child, request, simulated_s)
        pairs.append((request, answer))
        return answer

    monkeypatch.setattr(Child, "ask", noting)
    return pairs


def answers_of(argv: Sequence[str], requests: Sequence[Request]) -> list[Request]:
    """Return what a process that serves on its standard input answers."""
    ours, theirs = socket.socketpair()
    with (
        closing(ours),
        closing(theirs),
        subprocess.Popen(argv, stdin=theirs.fileno()) as serving,
    ):
        theirs.close()
        ours.settimeout(60)
        given = [exchange(ours, request) for request in requests]
        ours.shutdown(socket.SHUT_WR)
        assert serving.wait(60) == 0
    return given


def exchange(end: socket.socket, request: Request) -> Request:
    payload = encode(request)
    end.sendall(HEADER.pack(len(payload)) + payload)
    (length,) = HEADER.unpack(received(end, HEADER.size))
    answer: Request = decode(received(end, length))
    return answer


def received(end: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        data += end.recv(count - len(data))
    return data


def press_and_drive(board: SimavrBoard) -> None:
    board.advance(15)
    board.drive_pin("D8", Level.LOW)
    board.advance(20)
    board.drive_pin("D8", Level.FLOATING)
    board.reset()
    board.advance(30)


def measure(board: SimavrBoard) -> None:
    board.set_analog("A0", 2_500)
    board.advance(5)
    board.set_analog("A0", 6_000)
    board.advance(5)


def talk(board: SimavrBoard) -> None:
    board.advance(5)
    board.link().send(bytes(range(256)))
    board.advance(40)
    board.link().send(b"and so on\n" * 20)
    board.advance(1)
    board.advance(60)


def wake(board: SimavrBoard) -> None:
    board.advance(5)
    for level in (Level.LOW, Level.HIGH):
        board.drive_pin("D8", level)
        board.advance(5)
    board.drive_pin("D2", Level.LOW)
    board.advance(5)


def run_on(board: SimavrBoard) -> None:
    for _ in range(4):
        board.advance(25)


RUNS = {
    "pins": (("pins",), "uno", press_and_drive),
    "analog": (("adc", "-DCHANNEL=0", "-DREFERENCE=1"), "uno", measure),
    "pwm": (("pwm",), "uno", run_on),
    "mega": (("mega",), "mega", run_on),
    "bytes": (("bytes", "-DWAY=ECHO"), "uno", talk),
    "overrun": (("bytes", "-DWAY=BUSY"), "uno", talk),
    "deaf": (("bytes", "-DWAY=DEAF"), "mega", talk),
    "wrong rate": (("bytes", "-DWAY=ECHO", "-DDIVISOR=207"), "uno", talk),
    "deep sleep": (("line", "-DMODE=SLEEP_MODE_PWR_DOWN"), "uno", talk),
    "wake": (("wake",), "nano", wake),
    "again": (("again",), "uno", run_on),
}


@pytest.mark.parametrize("run", RUNS)
def test_a_run_is_answered_alike(
    boot: Boot,
    said: list[tuple[Request, Request]],
    run: str,
) -> None:
    (firmware, *flags), board, do = RUNS[run]
    with suppress(FirmwareFault):
        do(boot(firmware, *flags, board=board))
    requests, answers = zip(*said, strict=True)
    assert len(requests) > 1
    assert answers_of(PLAIN, requests) == list(answers)


@pytest.mark.parametrize(
    "fault", ["JUMP_OUT", "DEEP_STACK", "NO_HANDLER", "WATCHDOG", "SLEEP_FOREVER"]
)
@pytest.mark.parametrize("allow_resets", [False, True])
def test_a_fault_is_answered_alike(
    boot: Boot,
    said: list[tuple[Request, Request]],
    fault: str,
    *,
    allow_resets: bool,
) -> None:
    running = boot("faults", f"-DFAULT={fault}", allow_resets=allow_resets)
    with suppress(FirmwareFault):
        run_on(running)
    requests, answers = zip(*said, strict=True)
    assert answers_of(PLAIN, requests) == list(answers)


def test_a_missing_library_is_answered_alike(
    simavr: Simavr,
    said: list[tuple[Request, Request]],
) -> None:
    missing = type(simavr)(library="libnothing.so.2").missing()
    assert isinstance(missing, ToolMissing)
    ((request, answer),) = said
    assert answer[0] == "missing"
    assert answers_of(PLAIN, [request]) == [answer]
