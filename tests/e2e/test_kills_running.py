"""However pytest ends while a board runs, nothing of it is left 2 s later."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.clock import Deadline, pause
from pytest_embedbench.processes import wait_gone
from tests.support.processes import family

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_embedbench.builders.platformio.core_setup import CoreSetup

ROOT = Path(__file__).parents[2]
TANK = ROOT / "example_suites" / "tank_fill_drain"
pytestmark = pytest.mark.timeout(300)

GONE_WITHIN_S = 2.0
STARTED_WITHIN_S = 200.0
BUSY = """
def test_busy(bench):
    open("running", "w").close()
    while True:
        bench.run_for(100)
"""


class Tree:
    """A pytest and all that it has started."""

    def __init__(self, popen: subprocess.Popen[bytes], mark: Path) -> None:
        self.popen = popen
        deadline = Deadline(STARTED_WITHIN_S)
        while not mark.exists():
            assert popen.poll() is None, "pytest ended before it got going"
            assert not deadline.passed(), "pytest did not get going"
            pause(0.02)
        self.children = family(popen.pid)
        del self.children[popen.pid]
        assert self.children, "there is nothing to leave behind"

    def left(self) -> list[str]:
        """Return what is still there two seconds later."""
        self.popen.wait(60)
        within = Deadline(GONE_WITHIN_S)
        return [
            name
            for pid, name in self.children.items()
            if not wait_gone(pid, within.remaining_s())
        ]


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    # Where it is, its platformio.ini finds the package beside the suites.
    (tmp_path / "pytest_embedbench").symlink_to(ROOT / "pytest_embedbench")
    copy = tmp_path / "suites" / "tank"
    shutil.copytree(TANK, copy, ignore=shutil.ignore_patterns("hidden", "visible"))
    (copy / "test_busy.py").write_text(BUSY)
    return copy


@pytest.fixture
def start(seeded: CoreSetup, suite: Path) -> Iterator[Callable[..., Tree]]:
    started: list[subprocess.Popen[bytes]] = []

    def run(*args: str) -> Tree:
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *args]
        options = [
            f"--embedbench-core={seeded.core_dir}",
            f"--embedbench-cache={suite.parent / 'cache'}",
            "--embedbench-firmware=solution",
        ]
        popen = subprocess.Popen(
            [*command, *options],
            cwd=suite,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        started.append(popen)
        return Tree(popen, suite / "running")

    yield run
    for popen in started:
        popen.kill()
        popen.wait()


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("board", ["native", "uno"])
def test_a_board_ends_with_pytest(
    start: Callable[..., Tree], board: str, end: signal.Signals
) -> None:
    # E2, B23: the peers leave an emulator behind.
    tree = start(f"--board={board}")
    os.kill(tree.popen.pid, end)
    assert tree.left() == []


@pytest.mark.parametrize("method", ["signal", "thread"])
def test_a_board_ends_with_a_test_that_takes_too_long(
    start: Callable[..., Tree], method: str
) -> None:
    body_only = ["-o", "timeout_func_only=true", f"--timeout-method={method}"]
    tree = start("--board=uno", "--timeout=3", *body_only)
    assert tree.left() == []


def test_a_board_ends_with_its_xdist_worker(start: Callable[..., Tree]) -> None:
    # X1: nothing waits for the fixtures of a worker that is gone.
    tree = start("--board=uno", "-n1", "--max-worker-restart=0")
    (worker,) = [p for p, line in tree.children.items() if "exec(eval(" in line]
    os.kill(worker, signal.SIGKILL)
    assert tree.left() == []
