"""Boards that a labgrid coordinator lends: a real coordinator, exporter and client.

Two places, each with a board on a pseudo-terminal behind an RFC 2217 server.
"""

from __future__ import annotations

import getpass
import os
import signal
import subprocess
import sys
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.clock import Deadline
from pytest_embedbench.engines.serial_port import SerialPort
from pytest_embedbench.errors import BoardBusy, BoardUnreachable, ToolMissing
from pytest_embedbench.lab.leases.labgrid import PYTHON_ENV, url_of
from pytest_embedbench.model import NO_IMAGE
from pytest_embedbench.testing import tank_firmware
from tests.support.labgrid_lab import labgrid, missing
from tests.support.network_ports import SharedPort, server
from tests.support.pty_board import PtyBoard, spec_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_embedbench.engines.serial_port import SerialBoard
    from tests.support.labgrid_lab import Labgrid

SUITE = """
def test_the_tank(real_board, make_bench):
    bench = make_bench(real_board("tank"))
    bench.send("SENSE LEVEL 20")
    bench.expect("ACT PUMP ON", within_ms=5000)
"""
HOLDING = """
import sys

def test_it(real_board):
    real_board("tank")
    sys.__stderr__.write("mine\\n")
    sys.__stderr__.flush()
    sys.stdin.read()
"""
LAB = """
[labgrid]
coordinator = "{coordinator}"
[boards.tank]
board = "any-serial"
place = "one"
"""
TABLES = """
[boards.tank]
board = "any-serial"
"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Labgrid]:
    if reason := missing():
        pytest.skip(reason)
    with ExitStack() as running:
        ports: dict[str, str] = {}
        for name in ("one", "two"):
            device = PtyBoard(tank_firmware)
            running.callback(device.close)
            ports[name] = running.enter_context(server(SharedPort(device.path))).place
        folder = tmp_path_factory.mktemp("labgrid")
        yield running.enter_context(labgrid(folder, ports))


@pytest.fixture(autouse=True)
def locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBEDBENCH_LOCKS", str(tmp_path / "locks"))


@pytest.fixture
def boot(lab: Labgrid) -> Iterator[Callable[..., SerialBoard]]:
    with ExitStack() as opened:

        def boot(place: str, *, wait_s: int = 30) -> SerialBoard:
            url = url_of(lab.coordinator, *place.split(":"))
            spec = spec_for(url, wait_s=wait_s)
            board = SerialPort().boot(spec, NO_IMAGE)
            opened.callback(board.close)
            return board

        yield boot


def started(lab: Labgrid, folder: Path, test: str) -> subprocess.Popen[str]:
    """Start pytest in a folder with a lab file that names the coordinator."""
    (folder / "test_it.py").write_text(test)
    file = folder / "embedbench.toml"
    file.write_text(LAB.format(coordinator=lab.coordinator))
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "pytest", "-pno:cacheprovider", "--rootdir=."),
            *("-c", "/dev/null", "-s", f"--embedbench-lab={file}", "test_it.py"),
        ],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def holding(lab: Labgrid, folder: Path) -> subprocess.Popen[str]:
    """Start a pytest that has the board until it is killed."""
    run = started(lab, folder, HOLDING)
    assert run.stderr is not None
    said = run.stderr.readline()
    assert said == "mine\n", said
    return run


def test_a_place_is_acquired_for_a_test_and_released_after_it(
    lab: Labgrid, boot: Callable[..., SerialBoard]
) -> None:
    board = boot("one")
    assert lab.holder("one").endswith(f"/{getpass.getuser()}")
    board.send(b"SENSE LEVEL 20\n")
    deadline, said = Deadline(5), b""
    while b"ACT PUMP ON" not in said and not deadline.passed():
        board.advance(10)
        said += b"".join(chunk.data for chunk in board.receive())
    assert b"ACT PUMP ON" in said
    board.close()
    assert lab.holder("one") == "None"
    assert "Reservation" not in lab.client("reservations")


def test_a_lab_file_names_a_place(lab: Labgrid, tmp_path: Path) -> None:
    run = started(lab, tmp_path, SUITE)
    said, _ = run.communicate(timeout=60)
    assert "1 passed" in said, said
    assert lab.holder("one") == "None"


def test_two_places_are_two_boards(boot: Callable[..., SerialBoard]) -> None:
    one, two = boot("one"), boot("two")
    assert one.connection.found.address != two.connection.found.address


def test_who_has_a_place_is_named_and_waited_for(
    lab: Labgrid, boot: Callable[..., SerialBoard]
) -> None:
    lab.client("-p", "one", "acquire", user="alice")
    with pytest.raises(BoardBusy, match=r"within 0 s: one is held by \S+/alice"):
        boot("one", wait_s=0)

    def release_when_somebody_waits() -> None:
        while "waiting" not in lab.client("reservations"):
            pass
        lab.client("-p", "one", "release", user="alice")

    alice = threading.Thread(target=release_when_somebody_waits)
    alice.start()
    board = boot("one")
    alice.join()
    assert board.waited_for.startswith("one is held by ")
    assert board.waited_for.endswith("/alice")


def test_our_own_forgotten_place_is_told_with_the_way_out(
    lab: Labgrid, boot: Callable[..., SerialBoard]
) -> None:
    # B23: by hand, with the client, and still in use as far as we can know.
    lab.client("-p", "two", "acquire")
    with pytest.raises(BoardBusy, match="'labgrid-client -p two release' frees it"):
        boot("two", wait_s=0)
    lab.client("-p", "two", "release")


def test_a_killed_run_gives_its_place_back(lab: Labgrid, tmp_path: Path) -> None:
    # B23
    run = holding(lab, tmp_path)
    assert lab.holder("one") != "None"
    run.kill()
    run.communicate()
    lab.await_free("one")


def test_what_was_left_acquired_is_taken_over(
    lab: Labgrid, tmp_path: Path, boot: Callable[..., SerialBoard]
) -> None:
    # B23: all of the run was killed at once, so that nobody could release the place.
    run = holding(lab, tmp_path)
    for holder in children(run.pid):
        os.kill(holder, signal.SIGKILL)
    run.kill()
    run.communicate()
    assert lab.holder("one") != "None"
    board = boot("one", wait_s=10)
    assert f"left behind by pid {run.pid}" in board.remarks[0]


def children(pid: int) -> list[int]:
    """Return the processes that one has started."""
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(word) for word in listed.split()]


def test_a_place_that_is_not_there_is_told(boot: Callable[..., SerialBoard]) -> None:
    with pytest.raises(BoardUnreachable, match="no place 'three'; there are: one, two"):
        boot("three")


def test_a_resource_that_is_not_there_is_told(
    boot: Callable[..., SerialBoard],
) -> None:
    with pytest.raises(
        BoardUnreachable, match="no one serial port 'usb'; there are: NetworkSerialPort"
    ):
        boot("one:usb")


def test_a_coordinator_that_is_not_there_is_told(lab: Labgrid) -> None:
    del lab  # labgrid is here
    spec = spec_for("labgrid://127.0.0.1:1/one")
    with pytest.raises(BoardUnreachable, match=r"answers at 127\.0\.0\.1:1: "):
        SerialPort().boot(spec, NO_IMAGE)


def test_labgrid_that_is_not_installed_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = tmp_path / "python"
    bare.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "$@"\n')
    bare.chmod(0o755)
    monkeypatch.setenv(PYTHON_ENV, str(bare))
    with pytest.raises(ToolMissing, match=r"needs labgrid .*'pytest-embedbench\[labg"):
        SerialPort().boot(spec_for("labgrid://127.0.0.1:1/one"), NO_IMAGE)
