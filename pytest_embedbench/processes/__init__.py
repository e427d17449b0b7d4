"""Own a child process: started here, ended here, never left behind.

Every child gets a process group of its own (so that a Ctrl-C meant for pytest does
not reach it first) and, on Linux, a parent-death signal: it dies with whoever
started it, ``kill -9`` included.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from pytest_embedbench.clock import Deadline, pause

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

STOP_GRACE_S = 2.0
_PR_SET_PDEATHSIG = 1
_libc: ctypes.CDLL | None = ctypes.CDLL(None) if sys.platform == "linux" else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a child may use up; ``None`` is no limit."""

    cpu_s: int | None = None
    memory_bytes: int | None = None
    file_bytes: int | None = None


def spawn(  # noqa: PLR0913  # mirrors Popen; all but argv by keyword
    argv: Sequence[str | Path],
    *,
    stdin: int = subprocess.DEVNULL,
    stdout: int = subprocess.DEVNULL,
    stderr: int = subprocess.DEVNULL,
    pass_fds: Sequence[int] = (),
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    limits: Limits | None = None,
) -> subprocess.Popen[bytes]:
    """Start ``argv`` in its own process group, bound to our life.

    Raises:
        OSError: the program cannot be started.
    """
    return subprocess.Popen(
        [os.fspath(word) for word in argv],
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        pass_fds=tuple(pass_fds),
        cwd=cwd,
        env=env,
        start_new_session=True,
        preexec_fn=_in_child(os.getpid(), limits) if os.name == "posix" else None,  # noqa: PLW1509  # it calls nothing that takes a lock
    )


def stop(popen: subprocess.Popen[bytes], grace_s: float = STOP_GRACE_S) -> None:
    """End the whole process group: ask, wait ``grace_s``, insist; then reap.

    A process that ended by itself still has its group swept: what it left running
    in the group is ours too.
    """
    if popen.poll() is None and grace_s > 0:
        _signal_group(popen.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            popen.wait(grace_s)
    _signal_group(popen.pid, signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
    popen.wait()


def die_with_parent() -> None:
    """Have us killed when whoever started us is gone; on Linux only."""
    if _libc is not None:
        _libc.prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)


def cpu_used_s(pid: int) -> float | None:
    """Return the CPU seconds that ``pid`` and what it started have used.

    ``None`` where that is not known.
    """
    fields = _stat(pid)
    if not fields:
        return None
    # Its own, then those of children that have ended.
    own_s = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return own_s + sum(cpu_used_s(child) or 0.0 for child in _children(pid))


def is_asleep(pid: int) -> bool:
    """Say whether ``pid`` waits for an event or was stopped: it does not run by itself.

    False if it waits for a processor or a disk, and where that is not known.
    """
    return _stat(pid)[:1] in ([b"S"], [b"T"])


def wait_gone(pid: int, budget_s: float) -> bool:
    """Say whether ``pid`` is gone (or a zombie) within ``budget_s``."""
    deadline = Deadline(budget_s)
    while _alive(pid):
        if deadline.passed():
            return False
        pause(0.01)
    return True


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    fields = _stat(pid)
    return fields[0] != b"Z" if fields else sys.platform != "linux"


def _stat(pid: int) -> list[bytes]:
    """Return the fields of ``/proc/PID/stat`` from the state on; none if unknown."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat:  # noqa: PTH123  # hot path
            return stat.read().rpartition(b")")[2].split()
    except OSError:
        return []


def _children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task")
    try:
        listed = [(task / "children").read_text() for task in tasks.iterdir()]
    except OSError:  # it is gone, or the kernel keeps no such list
        return []
    return [int(word) for text in listed for word in text.split()]


def signal_name(number: int) -> str:
    """Return ``SIGSEGV`` for 11."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def tail(file: IO[bytes], most_bytes: int) -> str:
    """Return the last that a child has written into ``file``."""
    size = os.fstat(file.fileno()).st_size
    start = max(0, size - most_bytes)
    return os.pread(file.fileno(), most_bytes, start).decode(errors="replace")


def _signal_group(pid: int, number: int) -> None:
    try:
        if os.name == "posix":
            os.killpg(pid, number)
        else:
            os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        pass


def _in_child(parent_pid: int, limits: Limits | None) -> Callable[[], None]:
    """Return what the child does between fork and exec: no allocation to speak of."""

    def prepare() -> None:
        die_with_parent()
        if os.getppid() != parent_pid:
            os._exit(127)
        if limits is not None:
            _apply(limits)

    return prepare


def _apply(limits: Limits) -> None:
    import resource  # noqa: PLC0415  # POSIX only

    def cap(kind: int, amount: int | None) -> None:
        if amount is not None:
            resource.setrlimit(kind, (amount, amount))

    cap(resource.RLIMIT_CPU, limits.cpu_s)
    cap(resource.RLIMIT_AS, limits.memory_bytes)
    cap(resource.RLIMIT_FSIZE, limits.file_bytes)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
