"""What the system's table of processes says of one."""

from __future__ import annotations

import os
import sys

from pytest_embedbench.clock import Deadline, pause


def cpu_used_s(pid: int) -> float | None:
    """Return the CPU seconds that ``pid`` and what it started have used.

    ``None`` where that is not known.
    """
    fields = _stat(pid)
    if not fields:
        return None
    # Its own, then those of children that have ended.
    own_s = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return own_s + sum(cpu_used_s(child) or 0.0 for child in children_of(pid))


def memory_used_bytes(pid: int) -> int:
    """Return how much memory ``pid`` holds; 0 where that is not known."""
    fields = _stat(pid)
    return int(fields[21]) * os.sysconf("SC_PAGE_SIZE") if fields else 0


def is_asleep(pid: int) -> bool:
    """Say whether ``pid`` waits for an event or was stopped: it does not run by itself.

    False if it waits for a processor or a disk, and where that is not known.
    """
    return _stat(pid)[:1] in ([b"S"], [b"T"], [b"t"])


def wait_gone(pid: int, budget_s: float) -> bool:
    """Say whether ``pid`` is gone (or a zombie) within ``budget_s``."""
    deadline = Deadline(budget_s)
    while is_alive(pid):
        if deadline.passed():
            return False
        pause(0.01)
    return True


def is_alive(pid: int) -> bool:
    """Say whether ``pid`` is there, and more than a zombie."""
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    fields = _stat(pid)
    return fields[0] != b"Z" if fields else sys.platform != "linux"


def _stat(pid: int) -> list[bytes]:
    """Return the fields of ``/proc/PID/stat`` from the state on; none if unknown."""
    try:
        return _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    except OSError:
        return []


def _read(name: str) -> bytes:
    with open(name, "rb", buffering=0) as file:  # noqa: PTH123  # hot path
        return file.readall()


def children_of(pid: int) -> list[int]:
    """Return what ``pid`` has started and not buried."""
    tasks = f"/proc/{pid}/task"
    try:
        listed = [_read(f"{tasks}/{task}/children") for task in os.listdir(tasks)]  # noqa: PTH208  # hot path
    except OSError:  # it is gone, or the kernel keeps no such list
        return []
    return [int(word) for text in listed for word in text.split()]


def parent_of(pid: int) -> int:
    """Return who has started ``pid``, or looks after it; 0 where that is not known."""
    fields = _stat(pid)
    return int(fields[1]) if fields else 0


def pid_inside(pid: int) -> int:
    """Return what ``pid`` calls itself in its sandbox; 0 where that is not known."""
    try:
        status = _read(f"/proc/{pid}/status")
    except OSError:  # it is gone
        return 0
    names = status.partition(b"\nNSpid:")[2].partition(b"\n")[0].split()
    return int(names[-1]) if names else 0


def descendants(pid: int) -> list[int]:
    """Return what ``pid`` has started and what those have, as far as it lives."""
    found = children_of(pid)
    for child in found:
        found.extend(children_of(child))
    return [each for each in found if is_alive(each)]
