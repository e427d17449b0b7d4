"""What a holder writes into its lock for others to read."""

from __future__ import annotations

import getpass
import json
import os
import socket
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

from pytest_embedbench.clock import host_stamp

if TYPE_CHECKING:
    from pytest_embedbench.lab.ports.discovery import PortQuery

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """Who has a board or waits for one, and what for."""

    pid: int
    host: str
    test: str
    since: str
    board: str

    def __str__(self) -> str:
        test = f" in {self.test}" if self.test else ""
        return f"pid {self.pid} on {self.host} since {self.since}{test}"

    def is_us(self) -> bool:
        """Say whether this process wrote that."""
        return self.pid == os.getpid() and self.host == socket.gethostname()


@dataclass(frozen=True, slots=True, kw_only=True)
class LostBoard:
    """That a board was lost, in which run and why."""

    run: str
    cause: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardFaults:
    """What a board has done to the tests of a run so far, oldest first."""

    run: str
    causes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldByHand:
    """That a person keeps a board; ``until`` is ``""`` where it has no end."""

    who: str
    why: str
    since: str
    until: str = ""

    def __str__(self) -> str:
        end = f" until {self.until}" if self.until else ""
        return f"is held by hand by {self.who} since {self.since}{end}: {self.why}"

    def holds(self) -> bool:
        """Say whether it has not ended yet."""
        return not self.until or host_stamp() < self.until


@dataclass(frozen=True, slots=True, kw_only=True)
class LockRecord:
    """All that a lock file says.

    ``query`` is how the board's port was last described, ``address`` where it was
    then: so the lock is found even while there is no such port.
    """

    holder: Holder | None = None
    loss: LostBoard | None = None
    faults: BoardFaults | None = None
    hold: HeldByHand | None = None
    query: str = ""
    address: str = ""

    def dumps(self) -> str:
        """Return it as text for the file."""
        return json.dumps(asdict(self))

    def is_of(self, query: PortQuery) -> bool:
        """Say whether that board was the last that was locked by this."""
        return str(query) == self.query or query.port == self.address != ""

    def held_by_hand(self) -> HeldByHand | None:
        """Return who keeps the board for themselves, if anybody does."""
        return self.hold if self.hold is not None and self.hold.holds() else None

    def freed(self) -> LockRecord:
        """Return what stays when the holder has let go."""
        return replace(self, holder=None)

    def with_fault(self, run: str, cause: str) -> LockRecord:
        """Return it with one more fault of a run; those of other runs are forgotten."""
        return replace(
            self, faults=BoardFaults(run=run, causes=(*self.faults_in(run), cause))
        )

    def faults_in(self, run: str) -> tuple[str, ...]:
        """Return the board's faults in this run."""
        known = self.faults
        return tuple(known.causes) if known is not None and known.run == run else ()

    def lost_in(self, run: str) -> LostBoard | None:
        """Return the loss, if that was in this run."""
        return self.loss if self.loss is not None and self.loss.run == run else None


def read(text: str) -> LockRecord:
    """Read a record; one that is cut short or not ours says nothing."""
    try:
        entries: dict[str, Any] = json.loads(text)
        return LockRecord(
            holder=_as(Holder, entries["holder"]),
            loss=_as(LostBoard, entries["loss"]),
            faults=_as(BoardFaults, entries.get("faults")),
            hold=_as(HeldByHand, entries.get("hold")),
            query=entries["query"],
            address=entries["address"],
        )
    except (ValueError, KeyError, TypeError):
        return LockRecord()


def this_process(board: str) -> Holder:
    """Return what there is to say about ourselves."""
    return Holder(
        pid=os.getpid(),
        host=socket.gethostname(),
        test=os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0],
        since=host_stamp(),
        board=board,
    )


def this_person() -> str:
    """Return who sits before this machine, as ``user@host``.

    In a container a user may have a number and no name.
    """
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = str(os.getuid())
    return f"{user}@{socket.gethostname()}"


def this_run() -> str:
    """Return what all processes of one test run have in common, xdist's workers too."""
    return os.environ.get("PYTEST_XDIST_TESTRUNUID") or _own_run()


@cache
def _own_run() -> str:
    """Name this process for good: in a container each has the number of the last."""
    return f"{socket.gethostname()}-{os.getpid()}-{uuid4().hex}"


def _as(kind: type[_T], entry: dict[str, Any] | None) -> _T | None:
    return None if entry is None else kind(**entry)
