"""Which other programs have a device open, as far as the system tells us."""

from __future__ import annotations

import os
from pathlib import Path

_PROC = Path("/proc")
_MASTERS = frozenset({"/dev/ptmx", "/dev/pts/ptmx"})


def processes_using(device: str, proc: Path = _PROC) -> list[str]:
    """Return other processes that have ``device`` open, as ``pid 12 (minicom)``.

    Only Linux tells, and only of processes that we may look into. A process with the
    other end of a pseudo-terminal is the board, not a competitor.
    """
    if not proc.is_dir() or not device.startswith("/"):
        return []
    real = os.path.realpath(device)
    pids = [int(entry.name) for entry in proc.iterdir() if entry.name.isdecimal()]
    return [
        f"pid {pid} ({_command(proc, pid)})"
        for pid in sorted(pids)
        if pid != os.getpid()
        if real in (opened := _opened(proc, pid)) and not opened & _MASTERS
    ]


def _opened(proc: Path, pid: int) -> frozenset[str]:
    """Return the targets of a process's open files; none if it is gone or not ours."""
    targets: set[str] = set()
    folder = f"{proc}/{pid}/fd"
    try:
        for name in os.listdir(folder):  # noqa: PTH208  # thousands of them
            targets.add(_target(f"{folder}/{name}"))
    except OSError:
        return frozenset()
    return frozenset(targets)


def _target(link: str) -> str:
    try:
        return os.readlink(link)  # noqa: PTH115
    except OSError:
        return ""


def _command(proc: Path, pid: int) -> str:
    try:
        return (proc / str(pid) / "comm").read_text(encoding="utf-8").strip()
    except OSError:
        return "gone"
