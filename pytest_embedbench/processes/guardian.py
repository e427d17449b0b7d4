"""Run one command so that nothing it started outlives whoever asked for it.

A script of its own: ``python -I -S guardian.py WORD...``; it imports nothing of ours.
Standard input is the leash. When it is let go (its other end closed, or the process
that held it killed) or on SIGTERM, everything below the command is killed, however
deep, also what has changed its session. What the command leaves running when it ends
is killed as well. Exits as the command did, 128 + N where that was by signal N.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import sys
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_LEASH = 0
_ON_LINUX = sys.platform == "linux"
_CUT_SHORT = 128 + signal.SIGKILL
_NOT_STARTED = 127


def main(argv: list[str]) -> int:
    """Run ``argv`` to its end, or until the leash is let go."""
    if _ON_LINUX:
        # Orphans below us become our children instead of init's, so the table of
        # processes shows them; our own death signal must leave us time to kill them.
        libc = ctypes.CDLL(None)
        libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        libc.prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0)
    wakeups = _signals_as_bytes()
    command = _start(argv)
    returncode = None
    while returncode is None:
        ready, _, _ = select.select([_LEASH, wakeups], [], [])
        if _LEASH in ready or signal.SIGTERM in os.read(wakeups, 64):
            break
        returncode = _reap(command)
    _kill_all_below(command)
    return _CUT_SHORT if returncode is None else returncode


def _signals_as_bytes() -> int:
    """Return a descriptor with one byte per signal that came in."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return reader


def _start(argv: list[str]) -> int:
    pid = os.fork()
    if pid:
        return pid
    os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.dup2(os.open(os.devnull, os.O_RDONLY), _LEASH)
    try:
        os.execvp(argv[0], argv)  # noqa: S606  # the caller's argv, as it is
    except OSError as error:
        os.write(2, f"cannot start {argv[0]}: {error.strerror}\n".encode())
    os._exit(_NOT_STARTED)


def _reap(command: int) -> int | None:
    """Bury the dead; return how ``command`` ended if it was among them."""
    ended = None
    try:
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                break
            if pid == command and not os.WIFSTOPPED(status):
                code = os.waitstatus_to_exitcode(status)
                ended = code if code >= 0 else 128 - code
    except ChildProcessError:
        pass
    return ended


def _kill_all_below(command: int) -> None:
    """Kill and bury every descendant; those forked meanwhile come up as orphans."""
    while True:
        for pid in _descendants() if _ON_LINUX else [-command]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _descendants() -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                stat = (entry / "stat").read_bytes()
            except OSError:
                continue
            parent = int(stat.rpartition(b")")[2].split()[1])
            children.setdefault(parent, []).append(int(entry.name))
    found = list(children.get(os.getpid(), ()))
    for pid in found:
        found.extend(children.get(pid, ()))
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
