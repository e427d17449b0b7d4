"""Whoever closes a board while a thread waits on it has lost nothing."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.builders.python_program import PythonProgram
from pytest_embedbench.engines.linux import Linux
from pytest_embedbench.engines.serial_port import SerialPort
from pytest_embedbench.errors import BoardLost
from pytest_embedbench.lab.ports.reader import PortReader
from pytest_embedbench.model import NO_IMAGE, BoardSpec, FirmwareSource, UartSpec
from tests.support.linux_target import PASSWORD, USER, serial_target
from tests.support.pty_board import Pty, spec_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_embedbench.contracts import Board

LONG_MS = 60_000
WITHIN_S = 30


@pytest.fixture(autouse=True)
def locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBEDBENCH_LOCKS", str(tmp_path / "locks"))


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """What is set once a thread waits for minutes on a port."""
    seen, wait = threading.Event(), PortReader.wait

    def wait_and_tell(reader: PortReader, duration_s: float) -> bool:
        if duration_s > WITHIN_S:
            seen.set()
        return wait(reader, duration_s)

    monkeypatch.setattr(PortReader, "wait", wait_and_tell)
    return seen


@pytest.fixture
def pty() -> Iterator[Pty]:
    pty = Pty()
    yield pty
    pty.unplug()


def told_the_waiting(board: Board, waiting: threading.Event) -> str:
    """Close a board while a thread waits on it, and return what that thread is told."""
    with ThreadPoolExecutor(1) as pool:
        going = pool.submit(board.advance, LONG_MS)
        assert waiting.wait(WITHIN_S)
        board.close()
        error = going.exception(WITHIN_S)
    assert isinstance(error, BoardLost)
    return str(error)


@pytest.mark.parametrize("reappears_ms", [0, 5000])
def test_a_port_that_was_closed_has_no_thief(
    pty: Pty, waiting: threading.Event, reappears_ms: int
) -> None:
    spec = spec_for(pty.path, reappears_within_ms=reappears_ms)
    board = SerialPort().boot(spec, NO_IMAGE)
    said = told_the_waiting(board, waiting)
    assert said == f"desk: {pty.path} was closed while a thread waited on it"
    SerialPort().boot(spec, NO_IMAGE).close()  # it is not given up


def test_a_target_that_was_closed_has_not_lost_its_program(
    tmp_path: Path, waiting: threading.Event
) -> None:
    for name in ("programs", "project", "out"):
        (tmp_path / name).mkdir()
    (tmp_path / "project/main.py").write_text("import sys\nsys.stdin.read()\n")
    source = FirmwareSource(project_dir=tmp_path / "project", environment="python")
    program = PythonProgram().build(source, tmp_path / "out")
    with serial_target(tmp_path) as line:
        spec = BoardSpec(
            name="pi-1",
            engine="linux",
            mcu="linux",
            cpu_hz=1,
            uarts=(UartSpec(name="uart0", baud_bps=115_200),),
            environments=("python",),
            options={
                "port": line.path,
                "wait_s": 5,
                "login_user": USER,
                "login_password": PASSWORD,
                "program_folder": str(tmp_path / "programs"),
            },
        )
        said = told_the_waiting(Linux().boot(spec, program), waiting)
        assert said == "pi-1 is closed"
        Linux().boot(spec, program).close()  # it is not given up
