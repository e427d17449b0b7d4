"""A board that is wanted, and a board that is ours."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pytest_embedbench.clock import host_now_s
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.lab.leases import journal, records
from pytest_embedbench.lab.leases.blamed import BOARD_FAULTS, named
from pytest_embedbench.lab.leases.journal import BoardEvent
from pytest_embedbench.lab.leases.labgrid import acquire_place, is_labgrid_place
from pytest_embedbench.lab.ports.discovery import PortQuery

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from pytest_embedbench.contracts import Instrument
    from pytest_embedbench.lab.leases.labgrid import AcquiredPlace
    from pytest_embedbench.lab.leases.lockfile import LockFile
    from pytest_embedbench.lab.ports.discovery import ResolvedPort


QUARANTINE_AFTER = 3
UNSEEN = "unseen-"
"""How the lock of a board begins that is not there, and never was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardRequest:
    """One board that is wanted: any of ``boards``, by name and port."""

    name: str
    boards: tuple[tuple[str, PortQuery], ...]


@dataclass(slots=True)
class Tally:
    """How often something was done to a board in a test."""

    retries: int = 0
    resets: int = 0
    power_cycles: int = 0
    faults: int = 0


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
    instruments: Mapping[str, Instrument] = field(
        default_factory=dict[str, "Instrument"]
    )
    """What the board is wired to, open, by its names in the lab file."""
    _instruments: ExitStack = field(default_factory=ExitStack)
    wanted: str = ""
    """What was asked for: the board, or a name of several."""
    quarantine_after: int = QUARANTINE_AFTER
    """After how many faults in a run no test has the board any more."""
    trouble: str = ""
    """Why it could not be started, if it could not."""
    tally: Tally = field(default_factory=Tally)
    _since_s: float = field(default_factory=host_now_s)
    _used_s: float | None = None
    _is_starting: bool = False
    _is_let_go: bool = False

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
            journal.enter(BoardEvent.OUT, self.board, cause)

    def note_fault(self, cause: str) -> None:
        """Count a fault of the board; after ``quarantine_after`` it is given up."""
        journal.enter(BoardEvent.FAULT, self.board, cause)
        self.tally.faults += 1
        if self._lock is None:
            return
        run = records.this_run()
        self._record = self._record.with_fault(run, cause)
        self._lock.write(self._record.dumps())
        if (count := len(self._record.faults_in(run))) >= self.quarantine_after:
            self.give_up(f"{cause} (its fault number {count} in this run)")

    @contextmanager
    def starting(self) -> Generator[None]:
        """Count it as a fault of the board if it cannot be started in the block.

        Raises:
            BoardLost, BoardUnreachable, BoardBusy, FlashFailed, WrongBoard: what was
                raised in it, with the board's name.
        """
        self._is_starting = True
        try:
            yield
        except BOARD_FAULTS as fault:
            told = named(fault, self.board)
            self.trouble = str(told).partition("\n")[0]
            self.note_fault(self.trouble)
            if told is fault:
                raise
            raise told from fault
        finally:
            self._is_starting = False
            if self._is_let_go:
                self.release()

    def record(self) -> dict[str, Any]:
        """Return what a report keeps of a board that a test had."""
        usb = self.found.attached
        used_s = self._used_s or host_now_s() - self._since_s
        return {
            "board": self.board,
            "wanted": self.wanted or self.board,
            "port": self.found.address,
            "usb_serial": usb.usb_serial if usb is not None else "",
            "waited_s": round(self.waited_s, 3),
            "waited_for": self.waited_for,
            "used_s": round(used_s, 3),
            **asdict(self.tally),
        }

    @property
    def hold(self) -> records.HeldByHand | None:
        """Who keeps the board for themselves beside us."""
        return self._record.hold

    def set_hold(self, hold: records.HeldByHand | None) -> None:
        """Keep the board for a person once it is released, or for nobody any more."""
        if self._lock is None:
            raise ConfigError(f"{self.board} needs no lock, so nobody can hold it")
        if hold is not None and self.found.key.startswith(UNSEEN):
            raise ConfigError(
                f"{self.board} is not there ({self.found.query}) and never was, so it "
                "cannot be held: plug it in first, or say 'disabled' in the lab file"
            )
        self._record = replace(self._record, hold=hold)
        self._lock.write(self._record.dumps())

    def own_instruments(
        self, instruments: Mapping[str, Instrument], opened: ExitStack
    ) -> None:
        """Have open instruments until ``release``, which closes ``opened``."""
        self.instruments, self._instruments = instruments, opened

    def release(self) -> None:
        """Let the board go, and its instruments before it; safe to call twice.

        While it is being started it is kept, until it is known what came of that.
        """
        if self._is_starting:
            self._is_let_go = True
            return
        if self._used_s is None:
            self._used_s = host_now_s() - self._since_s
        try:
            self._instruments.close()
        finally:
            self._release()

    def _release(self) -> None:
        if self._place is not None:
            self._place.release()
        if self._lock is not None:
            lock, self._lock = self._lock, None
            lock.write(self._record.freed().dumps())
            lock.release()


class LeasedBoard:
    """A board that is held by a lease, as far as reports ask how it was got."""

    __slots__ = ()
    lease: Lease

    @property
    def waited_s(self) -> float:
        """How long it took until the board was free."""
        return self.lease.waited_s

    @property
    def waited_for(self) -> str:
        """Who had it meanwhile."""
        return self.lease.waited_for

    @property
    def instruments(self) -> Mapping[str, Instrument]:
        """What it is wired to, by the names in the lab file."""
        return self.lease.instruments

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader of the report should know about how we got the board."""
        return self.lease.remarks

    def lab_record(self) -> dict[str, Any]:
        """Return which board it is, and what it cost to have it."""
        return self.lease.record()
