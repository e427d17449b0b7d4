"""What shows that this machine, and nobody's program, has ended a process.

The kernel counts whom it kills when memory runs out, by control group.
"""

from __future__ import annotations

import math
import mmap
import os
import signal
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.errors import BenchFault

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

_GROUPS = Path("/proc/self/cgroup")
_MOUNT = Path("/sys/fs/cgroup")
_WHOLE_MACHINE = Path("/proc/vmstat")
_COUNTER = "oom_kill"
_OWN = frozenset(
    {
        signal.SIGABRT,
        signal.SIGBUS,
        signal.SIGFPE,
        signal.SIGILL,
        signal.SIGSEGV,
        signal.SIGSYS,
        signal.SIGTRAP,
    }
    if hasattr(signal, "SIGSYS")
    else {}
)
"""What a program earns by what it does; all others somebody has sent."""


MEMORY_ADVICE = (
    "this machine, or our control group, ran out of memory meanwhile, and the kernel "
    "has killed processes: give it more, or run less at once (-n)"
)


def is_sent(returncode: int) -> bool:
    """Say whether a process that ended so may have been killed from outside."""
    return returncode < 0 and -returncode not in _OWN


def oom_kill_count() -> int:
    """Return how many processes near us were killed since memory had run out.

    Of our control group, version 1 or 2; without one, of the whole machine.
    """
    counted = [count for file in _counters() for count in _read(file)]
    return sum(counted) if counted else sum(_read(_WHOLE_MACHINE))


def memory_used_bytes(pid: int) -> int:
    """Return how much memory ``pid`` holds; 0 where that is not known."""
    try:
        pages = Path(f"/proc/{pid}/statm").read_text().split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def can_be_mapped(file: Path) -> bool:
    """Say whether a process can have the code in ``file`` in memory here."""
    try:
        with file.open("rb") as opened:
            how = mmap.PROT_READ | mmap.PROT_EXEC
            mmap.mmap(opened.fileno(), 0, mmap.MAP_PRIVATE, how).close()
    except (OSError, ValueError):
        return False
    return True


def memory_room_bytes() -> float:
    """Return how much memory a process may hope for here; infinite if nobody says."""
    import resource  # noqa: PLC0415  # POSIX only

    room = math.inf
    for limit in resource.getrlimit(resource.RLIMIT_AS):
        if limit != resource.RLIM_INFINITY:
            room = min(room, limit)
    free = _read(Path("/proc/meminfo"), ("MemAvailable:", "SwapFree:"))
    return min(room, sum(free) * 1024) if free else room


@contextmanager
def our_disk(doing: str) -> Generator[None]:
    """Blame this machine for files that cannot be written, and say what to do.

    Raises:
        BenchFault: the system has refused one.
    """
    try:
        yield
    except OSError as error:
        raise BenchFault(
            f"{doing}: this machine gives no file or process: {error}; "
            "look for room on its disks (TMPDIR names another temporary folder) and "
            "for its limits (ulimit -a)"
        ) from error


def _counters() -> Iterator[Path]:
    try:
        lines = _GROUPS.read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, group = line.split(":", 2)
        inside = group.lstrip("/")
        if not controllers and inside:
            yield _MOUNT / inside / "memory.events"
        if not controllers:
            yield _MOUNT / "memory.events"
        if "memory" in controllers.split(","):
            yield _MOUNT / "memory" / inside / "memory.oom_control"


def _read(file: Path, names: tuple[str, ...] = (_COUNTER,)) -> list[int]:
    try:
        lines = file.read_text().splitlines()
    except OSError:
        return []
    words = [line.split() for line in lines]
    return [int(word[1]) for word in words if word[0] in names]
