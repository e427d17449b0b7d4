"""However a pytest ends, nothing that it started outlives it."""

from __future__ import annotations

import fcntl
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

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_embedbench.builders.platformio.seed import Seeded

ROOT = Path(__file__).parents[2]
TANK = ROOT / "example_suites" / "tank_fill_drain"
GONE_WITHIN_S = 2.0
STARTED_WITHIN_S = 60.0
BUSY = """
def test_busy(bench):
    open("running", "w").close()
    while True:
        bench.run_for(100)
"""
# A build that blocks for ever in a command, below pio, below SCons.
BLOCKED = """
import subprocess
subprocess.call(["sh", "-c", "touch {mark}; exec sleep 3600"])
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
        self.children = descendants(popen.pid)
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


def descendants(root_pid: int) -> dict[int, str]:
    """Return the processes below one: pid and command line."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(entry.name)] = int(fields[1])
    found: dict[int, str] = {}
    frontier = {root_pid}
    while frontier:
        frontier = {pid for pid, parent in parents.items() if parent in frontier}
        for pid in frontier:
            line = Path(f"/proc/{pid}/cmdline")
            found[pid] = line.read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return found


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    copy = tmp_path / "tank"
    shutil.copytree(TANK, copy, ignore=shutil.ignore_patterns("hidden", "visible"))
    (copy / "test_busy.py").write_text(BUSY)
    return copy


@pytest.fixture
def start(seeded: Seeded, suite: Path) -> Iterator[Callable[..., Tree]]:
    started: list[subprocess.Popen[bytes]] = []

    def run(*args: str, mark: Path | None = None) -> Tree:
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
        return Tree(popen, mark or suite / "running")

    yield run
    for popen in started:
        popen.kill()
        popen.wait()


SIGNALS = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT]


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
@pytest.mark.parametrize("board", ["native", "uno"])
def test_a_board_ends_with_pytest(
    start: Callable[..., Tree], board: str, number: int
) -> None:
    # E2, B23: the peers leave an emulator behind.
    tree = start(f"--board={board}")
    os.kill(tree.popen.pid, number)
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


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_a_build_ends_with_pytest(
    start: Callable[..., Tree], suite: Path, number: int
) -> None:
    mark = suite.parent / "compiling"
    script = suite / "blocked.py"
    script.write_text(BLOCKED.format(mark=mark))
    ini = suite / "platformio.ini"
    blocked = f"[env:native]\nextra_scripts = pre:{script}"
    ini.write_text(ini.read_text().replace("[env:native]", blocked))
    tree = start("--board=native", mark=mark)
    os.kill(tree.popen.pid, number)
    assert tree.left() == []
    assert held_locks(suite.parent / "cache") == []


def held_locks(folder: Path) -> list[Path]:
    """Return the lock files that somebody holds."""
    held: list[Path] = []
    for path in folder.rglob("*lock*"):
        if path.is_file():
            with path.open() as file:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    held.append(path)
    return held
