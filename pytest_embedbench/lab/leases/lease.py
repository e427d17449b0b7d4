"""A board that is wanted, and a board that is ours."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_embedbench.lab.leases import records
from pytest_embedbench.lab.leases.labgrid import borrow, is_borrowed
from pytest_embedbench.lab.ports.discovery import PortQuery

if TYPE_CHECKING:
    from pytest_embedbench.lab.leases.labgrid import Borrowed
    from pytest_embedbench.lab.leases.lockfile import LockFile
    from pytest_embedbench.lab.ports.discovery import ResolvedPort


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardRequest:
    """One board that is wanted: any of ``boards``, by name and port."""

    name: str
    boards: tuple[tuple[str, PortQuery], ...]


@dataclass(slots=True)
class Lease:
    """A board that is ours until ``release``, or until this process ends."""

    board: str
    found: ResolvedPort
    waited_s: float
    waited_for: str
    """What was waited for, and who had it; ``""`` if it was free."""
    remarks: tuple[str, ...]
    """What else the next reader should know: who has died with the board in hand."""
    _lock: LockFile | None
    """``None`` for a port that needs none."""
    _note: records.LockRecord
    _borrowed: Borrowed | None = None

    def borrow(self, *, wait_s: float) -> None:
        """Have the board lent by whoever manages it, if it is not this machine.

        Raises:
            BoardBusy, BoardUnreachable, ToolMissing: as ``borrowed.borrow``.
        """
        if not is_borrowed(self.found.address):
            return
        left_behind = bool(self.remarks)
        self._borrowed = lent = borrow(
            self.found.address, wait_s=wait_s, take_over=left_behind
        )
        lasting = PortQuery(port=lent.address)
        self.found = replace(self.found, address=lent.address, lasting=lasting)
        self.waited_s += lent.waited_s
        told = (self.waited_for, lent.waited_for)
        self.waited_for = "; ".join(filter(None, told))

    def give_up(self, cause: str) -> None:
        """Have later tests of this run skip the board; the first cause stays."""
        if self._lock is not None and self._note.loss is None:
            loss = records.LostBoard(run=records.this_run(), cause=cause)
            self._note = replace(self._note, loss=loss)
            self._lock.write(self._note.dumps())

    def release(self) -> None:
        """Let the board go; safe to call twice."""
        if self._borrowed is not None:
            self._borrowed.give_back()
        if self._lock is not None:
            lock, self._lock = self._lock, None
            lock.write(self._note.freed().dumps())
            lock.release()
