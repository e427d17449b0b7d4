"""Own a child process: started here, ended here, never left behind.

Every child gets a process group of its own (so that a Ctrl-C meant for pytest does
not reach it first) and, on Linux, a parent-death signal: it dies with whoever
started it, ``kill -9`` included.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import subprocess
import sys
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

from pytest_embedbench.processes.table import (
    children_of,
    cpu_used_s as cpu_used_s,
    descendants as descendants,
    is_asleep as is_asleep,
    memory_used_bytes as memory_used_bytes,
    parent_of,
    pid_inside,
    wait_gone as wait_gone,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from pathlib import Path

STOP_GRACE_S = 2.0
_KILLED = 128
"""What a keeper adds to the number of the signal that ended its program."""
_PR_SET_PDEATHSIG = 1
_libc: ctypes.CDLL | None = ctypes.CDLL(None) if sys.platform == "linux" else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a child may use up; ``None`` is no limit."""

    cpu_s: int | None = None
    memory_bytes: int | None = None
    file_bytes: int | None = None
    core_bytes: int | None = 0


_CPU_GRACE_S = 2
_NO_LIMITS = Limits(core_bytes=None)


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
    user: int | None = None,
    kind: type[subprocess.Popen[bytes]] = subprocess.Popen,
) -> subprocess.Popen[bytes]:
    """Start ``argv`` in its own process group, bound to our life.

    ``user`` is the id that it gets instead of ours, and of its group.

    Raises:
        OSError: the program cannot be started.
    """
    return kind(
        [os.fspath(word) for word in argv],
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        pass_fds=tuple(pass_fds),
        cwd=cwd,
        env=env,
        start_new_session=True,
        user=user,
        group=user,
        extra_groups=None if user is None else [],
        # It calls nothing that takes a lock.
        preexec_fn=_in_child(os.getpid(), limits or _NO_LIMITS)
        if os.name == "posix"
        else None,
    )


class KeptProcess(subprocess.Popen[bytes]):
    """A program behind a keeper: the first process of a sandbox, or a guardian.

    ``pid`` is the keeper's. All that the program has started ends with it, and it ends
    as the program did: both kinds say 128 + N of signal N, which is -N here.
    """

    own_count = 1
    """How many processes are below the keeper as long as it has started none."""
    copied = 0
    """Whose copies the program's processes are, as soon as one has been looked for."""
    _code: Any

    @property
    def returncode(self) -> int | Any:  # noqa: ANN401  # as the one it overrides
        """How the program ended, like Popen's."""
        return self._code

    @returncode.setter
    def returncode(self, code: int | None) -> None:
        self._code = code if code is None or code <= _KILLED else _KILLED - code

    def left_running(self, known: Collection[int] = ()) -> int:
        """Return how many processes there are that the program has started.

        Not counted are those in ``known``.
        """
        below = descendants(self.pid)[self.own_count :]
        return sum(pid not in known for pid in below)

    def end(self) -> None:
        """End all that is below the keeper, then the keeper."""
        if self.stdin is not None:
            self.stdin.close()  # a guardian's leash
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(STOP_GRACE_S)
        _signal_group(self.pid, signal.SIGKILL)
        self.wait()


class SandboxedProcess(KeptProcess):
    """One in a sandbox, which is kept by two.

    The inner one is the sandbox: with it all are gone. The outer one need not be there
    for as long, so we have a hold on the inner one ourselves.
    """

    own_count = 2
    _sandbox: int | None = None

    def hold(self) -> None:
        """Take hold of the sandbox, once there is one."""
        if self._sandbox is None and (first := children_of(self.pid)):
            with contextlib.suppress(OSError):
                self._sandbox = os.pidfd_open(first[0])

    def end(self) -> None:
        """End the sandbox, and wait until all in it are gone."""
        self.hold()
        if self._sandbox is not None:
            fd, self._sandbox = self._sandbox, None
            with contextlib.suppress(OSError):
                signal.pidfd_send_signal(fd, signal.SIGKILL)
                select.select([fd], [], [], STOP_GRACE_S)
            os.close(fd)
        super().end()


def stop(popen: subprocess.Popen[bytes], grace_s: float = STOP_GRACE_S) -> None:
    """End the whole process group: ask, wait ``grace_s``, insist; then reap.

    A process that ended by itself still has its group swept: what it left running
    in the group is ours too.
    """
    if isinstance(popen, KeptProcess):
        popen.end()
        return
    if popen.poll() is None and grace_s > 0:
        _signal_group(popen.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            popen.wait(grace_s)
    _signal_group(popen.pid, signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
    popen.wait()


def end_unreaped(pid: int, grace_s: float) -> None:
    """Wait for the end of a child of another process; force it after ``grace_s``.

    Its parent must not have reaped it: until then the number is still this process's.
    """
    if grace_s > 0:
        wait_gone(pid, grace_s)
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def die_with_parent() -> None:
    """Have us killed when whoever started us is gone; on Linux only."""
    if _libc is not None:
        _libc.prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)


def is_kept(popen: subprocess.Popen[bytes]) -> bool:
    """Say whether a program has a keeper."""
    return isinstance(popen, KeptProcess)


def left_running(popen: subprocess.Popen[bytes], known: Collection[int] = ()) -> int:
    """Return how many processes a program's code has started, if it has a keeper."""
    return popen.left_running(known) if isinstance(popen, KeptProcess) else 0


def pid_outside(keeper: subprocess.Popen[bytes], pid: int) -> int:
    """Return our number for a process that calls itself ``pid`` behind a keeper."""
    if not isinstance(keeper, KeptProcess):
        return pid
    if isinstance(keeper, SandboxedProcess):
        keeper.hold()
    for each in _below(keeper):
        if pid_inside(each) == pid:
            keeper.copied = parent_of(each)
            return each
    return pid


def _below(keeper: KeptProcess) -> Iterator[int]:
    """Yield all processes below a keeper, those first among which the last one was."""
    if keeper.copied:
        yield from children_of(keeper.copied)
    yield from descendants(keeper.pid)


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


def _in_child(parent_pid: int, limits: Limits) -> Callable[[], None]:
    """Return what the child does between fork and exec: no allocation to speak of.

    Nor does it load anything: as another user it may not be able to.
    """
    import resource  # noqa: PLC0415  # POSIX only

    caps = [
        (kind, amount)
        for kind, amount in (
            (resource.RLIMIT_AS, limits.memory_bytes),
            (resource.RLIMIT_FSIZE, limits.file_bytes),
            (resource.RLIMIT_CORE, limits.core_bytes),
        )
        if amount is not None
    ]

    def prepare() -> None:
        die_with_parent()
        if os.getppid() != parent_pid:
            os._exit(127)
        for kind, amount in caps:
            _, most = resource.getrlimit(kind)  # ours may be lower: it stays so
            if most != resource.RLIM_INFINITY:
                amount = min(amount, most)  # noqa: PLW2901  # no allocation
            resource.setrlimit(kind, (amount, amount))
        if limits.cpu_s is not None:
            # First a signal that says why; then one that nobody can ignore.
            most_s = limits.cpu_s + _CPU_GRACE_S
            resource.setrlimit(resource.RLIMIT_CPU, (limits.cpu_s, most_s))

    return prepare
