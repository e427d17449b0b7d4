"""Boards that are copies of a simulator which stands ready."""

from __future__ import annotations

import os
import signal
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench import processes
from pytest_embedbench.errors import BoardLost
from tests.e2e.avr_firmware import avr_image, board_spec, killed_bench, simavr

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_embedbench.engines.simavr import Simavr, SimavrBoard
    from pytest_embedbench.engines.simavr.engine import SimavrForkServer
    from tests.e2e.avr_firmware import Build

__all__ = ["avr_image", "simavr"]


@pytest.fixture
def server(simavr: Simavr, avr_image: Build) -> Iterator[SimavrForkServer]:
    with closing(simavr.stand_ready(board_spec("uno"), avr_image("line"))) as server:
        yield server


def heard(board: SimavrBoard) -> bytes:
    return b"".join(chunk.data for chunk in board.link().receive())


def test_copies_are_processes_of_their_own_and_fresh(server: SimavrForkServer) -> None:
    with closing(server.boot()) as one, closing(server.boot()) as other:
        assert one.child_pid != other.child_pid
        one.advance(10)
        assert heard(one) == b"BOOT\n"
        assert other.now_us() == 0
        other.advance(10)
        assert heard(other) == b"BOOT\n"


def test_a_copy_costs_no_new_interpreter(server: SimavrForkServer) -> None:
    with closing(server.boot()) as one, closing(server.boot()) as other:
        parents = [
            Path(f"/proc/{board.child_pid}/stat").read_text().rpartition(")")[2].split()
            for board in (one, other)
        ]
    assert parents[0][1] == parents[1][1] != str(os.getpid())


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_a_copy_that_dies_is_lost_alone(
    server: SimavrForkServer, number: signal.Signals
) -> None:
    with closing(server.boot()) as board, closing(server.boot()) as other:
        os.kill(board.child_pid, number)
        with pytest.raises(BoardLost, match=f"uno: simavr's process .*{number.name}"):
            board.advance(100)
        other.advance(100)
        assert heard(other) == b"BOOT\n"


def test_an_original_that_dies_takes_its_copies_along_and_is_replaced(
    server: SimavrForkServer,
) -> None:
    with closing(server.boot()) as board:
        stat = Path(f"/proc/{board.child_pid}/stat").read_text()
        original = int(stat.rpartition(")")[2].split()[1])
        os.kill(original, signal.SIGKILL)
        assert processes.wait_gone(board.child_pid, budget_s=2)
        with pytest.raises(BoardLost, match=r"uno: simavr's process .*SIGKILL"):
            board.advance(100)
    with closing(server.boot()) as board:
        board.advance(100)
        assert heard(board) == b"BOOT\n"


def test_closing_leaves_nothing(server: SimavrForkServer) -> None:
    server.boot().close()
    files = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(10):
        board = server.boot()
        board.close()
        assert processes.wait_gone(board.child_pid, budget_s=0)
    assert len(list(Path("/proc/self/fd").iterdir())) == files
    left = server.boot()
    server.close()
    assert processes.wait_gone(left.child_pid, budget_s=2)
    left.close()


@pytest.mark.usefixtures("simavr")
def test_copies_die_with_a_bench_that_is_killed(avr_image: Build) -> None:
    copied = "Simavr().stand_ready(uno, image).boot()"
    simulator = killed_bench(copied, avr_image("line").elf_path)
    assert processes.wait_gone(simulator, budget_s=2)
