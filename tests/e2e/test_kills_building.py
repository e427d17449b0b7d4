"""However pytest ends while firmware is built, nothing of it is left 2 s later."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock

from pytest_embedbench.processes import wait_gone
from tests.support.processes import family

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_embedbench.builders.platformio.core_setup import CoreSetup

pytestmark = pytest.mark.timeout(300)

GONE_WITHIN_S = 2.0
STARTED_WITHIN_S = 200
COMPILER = """\
#!/bin/sh
[ "$1" = --version ] && exec gcc --version
exec 9>{fifo}
echo compiling >&9
exec sleep 1000
"""
SCRIPT = """
Import("projenv")
projenv.Replace(CC={compiler!r})
"""
INI = "[env:native]\nplatform = native\nextra_scripts = post:slow.py\n"
TEST = "def test_it(board):\n    board.advance(1)\n"


@dataclass(frozen=True)
class Run:
    """A pytest run whose compiler has just started, and will never end."""

    pytest: subprocess.Popen[bytes]
    fifo: int
    cache_dir: Path

    def nothing_is_left(self, processes: dict[int, str]) -> None:
        """Assert that all are gone, the compiler too, and that no lock is held."""
        left = [
            line for pid, line in processes.items() if not wait_gone(pid, GONE_WITHIN_S)
        ]
        assert left == []
        os.read(self.fifo, 4096)
        assert select.select([self.fifo], [], [], 0)[0], "the compiler still runs"
        assert os.read(self.fifo, 4096) == b""
        for pattern in ("locks/*", "builds/*/lock", "install-*.lock"):
            for lock in self.cache_dir.glob(pattern):
                with FileLock(lock, timeout=0):
                    pass


@pytest.fixture
def start(
    seeded: CoreSetup, make_project: Callable[..., Path], tmp_path: Path
) -> Iterator[Callable[..., Run]]:
    """Return a function that starts pytest and waits until it compiles."""
    fifo, compiler = tmp_path / "fifo", tmp_path / "slow-gcc"
    os.mkfifo(fifo)
    compiler.write_text(COMPILER.format(fifo=fifo))
    compiler.chmod(0o755)
    files = {"src/main.c": "", "slow.py": SCRIPT.format(compiler=str(compiler))}
    suite = make_project(INI, {**files, "test_it.py": TEST})
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    runs: list[Run] = []

    def start_one(*arguments: str) -> Run:
        options = {"board": "native", "embedbench-core": str(seeded.core_dir)}
        options |= {"embedbench-cache": str(tmp_path / "cache"), "rootdir": str(suite)}
        options |= {"embedbench-artifacts": str(tmp_path / "runs")}
        argv = [sys.executable, "-m", "pytest", str(suite), "-pno:cacheprovider"]
        argv += [f"--{name}={value}" for name, value in options.items()]
        popen = subprocess.Popen(
            [*argv, *arguments],
            cwd=suite,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        run = Run(popen, reader, tmp_path / "cache")
        runs.append(run)
        assert select.select([reader], [], [], STARTED_WITHIN_S)[0], (
            "the compiler never started"
        )
        return run

    yield start_one
    for run in runs:
        run.pytest.kill()
        run.pytest.communicate()
    os.close(reader)


@pytest.mark.parametrize("workers", ["-n0", "-n1"])
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_pytest_is_ended(
    start: Callable[..., Run], end: signal.Signals, workers: str
) -> None:
    # E2
    run = start(workers)
    processes = family(run.pytest.pid)
    assert any("pio" in line for line in processes.values())
    run.pytest.send_signal(end)
    run.pytest.wait()
    run.nothing_is_left(processes)


def test_an_xdist_worker_is_killed(start: Callable[..., Run]) -> None:
    # E2
    run = start("-n1", "--max-worker-restart=0")
    processes = family(run.pytest.pid)
    del processes[run.pytest.pid]
    os.kill(next(iter(processes)), signal.SIGKILL)
    run.nothing_is_left(processes)


def test_a_test_takes_too_long(start: Callable[..., Run]) -> None:
    # E2: the alarm is the one that pytest-timeout set, rung early.
    run = start("-n0", "--timeout=600", "--timeout-method=signal")
    processes = family(run.pytest.pid)
    run.pytest.send_signal(signal.SIGALRM)
    run.pytest.wait()
    run.nothing_is_left(processes)
