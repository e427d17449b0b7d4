"""A board that is wanted, and a board that is ours."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_embedbench.lab.leases import records
from pytest_embedbench.lab.leases.labgrid import acquire_place, is_labgrid_place
from pytest_embedbench.lab.ports.discovery import PortQuery

if TYPE_CHECKING:
    from pytest_embedbench.lab.leases.labgrid import AcquiredPlace
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
    _record: records.LockRecord
    _place: AcquiredPlace | None = None

    def acquire_place(self, *, wait_s: float) -> None:
        """Acquire the board from labgrid too, if that is who manages it.

        Raises:
            BoardBusy, BoardUnreachable, ToolMissing: as ``labgrid.acquire_place``.
        """
        if not is_labgrid_place(self.found.address):
            return
        left_behind = bool(self.remarks)
        self._place = place = acquire_place(
            self.found.address, wait_s=wait_s, take_over=left_behind
        )
        reconnect = PortQuery(port=place.address)
        self.found = replace(self.found, address=place.address, reconnect=reconnect)
        self.waited_s += place.waited_s
        told = (self.waited_for, place.waited_for)
        self.waited_for = "; ".join(filter(None, told))

    def give_up(self, cause: str) -> None:
        """Have later tests of this run skip the board; the first cause stays."""
        if self._lock is not None and self._record.loss is None:
            loss = records.LostBoard(run=records.this_run(), cause=cause)
            self._record = replace(self._record, loss=loss)
            self._lock.write(self._record.dumps())

    def release(self) -> None:
        """Let the board go; safe to call twice."""
        if self._place is not None:
            self._place.release()
        if self._lock is not None:
            lock, self._lock = self._lock, None
            lock.write(self._record.freed().dumps())
            lock.release()
