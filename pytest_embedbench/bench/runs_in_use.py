"""Runs that go on: whoever writes into a run's folder holds it until it has ended."""

from __future__ import annotations

import contextlib
import fcntl
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

_LOCK = ".running"
_RESUMED = ".lock"
"""What a run that goes on after all holds, too."""
_held: dict[Path, int] = {}


def hold_run(run_dir: Path) -> None:
    """Say until ``release_runs``, or the end of this process, that a run goes on."""
    if run_dir in _held:
        return
    with contextlib.suppress(OSError):  # a disk without locks
        held = os.open(run_dir / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        _held[run_dir] = held
        fcntl.flock(held, fcntl.LOCK_SH | fcntl.LOCK_NB)


def release_runs() -> None:
    """Say that this process writes into none any more."""
    while _held:
        _, held = _held.popitem()
        os.close(held)


@contextlib.contextmanager
def held_run(run_dir: Path) -> Generator[None]:
    """Hold a run's folder within the context, if nobody of this process does yet."""
    is_ours = run_dir not in _held
    hold_run(run_dir)
    try:
        yield
    finally:
        if is_ours and run_dir in _held:
            os.close(_held.pop(run_dir))


@contextlib.contextmanager
def alone_in_run(run_dir: Path) -> Generator[bool]:
    """Have a run's folder for oneself; false if somebody is at work in it."""
    with contextlib.ExitStack() as opened:
        for name in (_LOCK, _RESUMED):
            if (run_dir / name).exists() and not _is_free(run_dir / name, opened):
                yield False
                return
        yield True


def _is_free(file: Path, opened: contextlib.ExitStack) -> bool:
    lock = os.open(file, os.O_RDWR | os.O_CLOEXEC)
    opened.callback(os.close, lock)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
