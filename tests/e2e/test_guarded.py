"""A guarded run leaves nothing behind, however it ends."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.processes import guardian
from pytest_embedbench.processes.guarded import GuardedExit, run_guarded

if TYPE_CHECKING:
    from collections.abc import Iterator

GONE_WITHIN_S = 2.0

# A command, a child of it, and a grandchild that left for a session of its own: each
# holds the FIFO open, so its end is reached when, and only when, all three are gone.
FAMILY = """
exec 9>"$1"
setsid sh -c 'sh -c "echo grandchild >&9; exec sleep 1000"; exit' &
sh -c 'echo child >&9; exec sleep 1000' &
echo command >&9
"""


@contextmanager
def opened(fifo: Path) -> Iterator[int]:
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    try:
        yield reader
    finally:
        os.close(reader)


def heard(reader: int, wanted: set[str]) -> bool:
    words: set[str] = set()
    while not wanted <= words and select.select([reader], [], [], 10)[0]:
        words.update(os.read(reader, 4096).decode().split())
    return wanted <= words


def at_end(reader: int) -> bool:
    """Say whether every writer is gone within the promised time."""
    ready, _, _ = select.select([reader], [], [], GONE_WITHIN_S)
    return bool(ready) and os.read(reader, 4096) == b""


def run_family(fifo: Path, last: str, timeout_s: float = 60) -> GuardedExit:
    argv = ["sh", "-c", FAMILY + last, "sh", str(fifo)]
    done = run_guarded(argv, timeout_s=timeout_s, stop_at=lambda line: line == "stop")
    return done.ending


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_killing_whoever_asked_kills_the_whole_family(
    tmp_path: Path, end: signal.Signals
) -> None:
    # E2: the one who asked cannot clean up after kill -9.
    script = (
        "import sys; from pytest_embedbench.processes.guarded import run_guarded;"
        "run_guarded(sys.argv[1:], timeout_s=60)"
    )
    with opened(tmp_path / "fifo") as reader:
        family = ["sh", "-c", FAMILY + "wait", "sh", str(tmp_path / "fifo")]
        asking = subprocess.Popen(
            [sys.executable, "-c", script, *family], stderr=subprocess.DEVNULL
        )
        try:
            assert heard(reader, {"command", "child", "grandchild"})
            asking.send_signal(end)
            assert at_end(reader)
        finally:
            asking.kill()
            asking.wait()


def test_what_a_command_leaves_running_ends_with_it(tmp_path: Path) -> None:
    with opened(tmp_path / "fifo") as reader:
        assert run_family(tmp_path / "fifo", "exit 0") is GuardedExit.EXITED
        os.read(reader, 4096)
        assert at_end(reader)


def test_a_watcher_ends_a_run_early(tmp_path: Path) -> None:
    with opened(tmp_path / "fifo") as reader:
        assert run_family(tmp_path / "fifo", "echo stop; wait") is GuardedExit.STOPPED
        os.read(reader, 4096)
        assert at_end(reader)


def test_a_run_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    with opened(tmp_path / "fifo") as reader:
        ending = run_family(tmp_path / "fifo", "wait", timeout_s=0.5)
        assert ending is GuardedExit.TIMED_OUT
        os.read(reader, 4096)
        assert at_end(reader)


def test_exit_code_and_streams_come_back() -> None:
    done = run_guarded(["sh", "-c", "echo out; echo err >&2; exit 3"], timeout_s=60)
    assert (done.returncode, done.stdout, done.stderr) == (3, "out\n", "err\n")


def test_a_signal_comes_back_as_a_shell_would_say_it() -> None:
    done = run_guarded(["sh", "-c", "kill -SEGV $$"], timeout_s=60)
    assert done.returncode == 128 + signal.SIGSEGV


def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    done = run_guarded([tmp_path / "nope"], timeout_s=60)
    assert done.returncode == 127
    assert done.stderr == f"cannot start {tmp_path}/nope: No such file or directory\n"


def test_endless_output_is_read_but_not_kept() -> None:
    done = run_guarded(["sh", "-c", "yes | head -c 9000000"], timeout_s=60)
    assert len(done.stdout) == 4 << 20


# The guardian itself, as a script, in an ordinary Python.
GUARDIAN = (sys.executable, "-m", guardian.__name__)


@pytest.mark.parametrize(
    ("command", "returncode"),
    [
        (["sh", "-c", "sleep 1000 & exit 3"], 3),
        (["sh", "-c", "kill -SEGV $$"], 128 + signal.SIGSEGV),
        (["/nowhere/nope"], 127),
    ],
)
def test_a_guardian_ends_as_its_command_did(
    command: list[str], returncode: int
) -> None:
    with subprocess.Popen([*GUARDIAN, *command], stdin=subprocess.PIPE) as guarding:
        assert guarding.wait(60) == returncode


@pytest.mark.parametrize("let_go", ["leash", "SIGTERM"])
def test_a_guardian_that_is_let_go_kills_the_whole_family(
    tmp_path: Path, let_go: str
) -> None:
    family = ["sh", "-c", FAMILY + "wait", "sh", str(tmp_path / "fifo")]
    with (
        opened(tmp_path / "fifo") as reader,
        subprocess.Popen([*GUARDIAN, *family], stdin=subprocess.PIPE) as guarding,
    ):
        assert heard(reader, {"command", "child", "grandchild"})
        if let_go == "SIGTERM":
            guarding.terminate()
        else:
            assert guarding.stdin is not None
            guarding.stdin.close()
        assert at_end(reader)
        assert guarding.wait(60) == 128 + signal.SIGKILL
