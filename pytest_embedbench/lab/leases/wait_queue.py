"""Who waits for which boards, in order of arrival.

A free lock goes to whoever tries first, and that is the process that has just let it
go: without a queue the others starve. Each waiter keeps a ticket, a file of its own
that it holds locked, so that the ticket of a dead waiter counts no more.
"""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from pytest_embedbench.clock import host_now_s
from pytest_embedbench.errors import BenchFault
from pytest_embedbench.lab.leases.lockfile import LockFile, read_record
from pytest_embedbench.lab.leases.records import Holder

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable
    from pathlib import Path

_SUFFIX = ".ticket"


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiter:
    """One that waits; ``keys`` are all the locks that would do."""

    who: Holder
    keys: frozenset[str]


@dataclass(frozen=True, slots=True)
class WaitQueue:
    """The waiters of one lock folder."""

    folder: Path

    @contextlib.contextmanager
    def join(self, waiter: Waiter) -> Generator[str]:
        """Wait behind all that wait now; yields the ticket's name."""
        # Host time is one clock for all processes of a machine.
        ticket = self.folder / f"{host_now_s():020.6f}-{os.getpid()}{_SUFFIX}"
        lock = LockFile(ticket)
        if not lock.try_acquire():
            raise BenchFault(f"{ticket}: another waiter holds this ticket")
        try:
            entry = {"who": asdict(waiter.who), "keys": list(waiter.keys)}
            lock.write(json.dumps(entry))
            yield ticket.name
        finally:
            lock.release()
            ticket.unlink(missing_ok=True)

    def waiters(self, ahead_of: str = "") -> list[Waiter]:
        """Return who waits, longest first; with a ticket, only those before it."""
        tickets = sorted(self.folder.glob(f"*{_SUFFIX}"))
        return [
            waiter
            for path in tickets
            if not ahead_of or path.name < ahead_of
            if (waiter := _alive(path)) is not None
        ]


def reserved_keys(waiters: Iterable[Waiter]) -> frozenset[str]:
    """Return every lock that one of them would take."""
    return frozenset(key for waiter in waiters for key in waiter.keys)


def _alive(path: Path) -> Waiter | None:
    """Read a ticket; sweep it away if its waiter is dead."""
    text = read_record(path)
    if not text:
        return None  # its waiter is about to write it
    lock = LockFile(path)
    if lock.try_acquire():
        lock.release()
        path.unlink(missing_ok=True)
        return None
    try:
        entry = json.loads(text)
        return Waiter(who=Holder(**entry["who"]), keys=frozenset(entry["keys"]))
    except (ValueError, KeyError, TypeError):
        return None
