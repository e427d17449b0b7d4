"""Hold boards so that nobody else can: all that are asked for, or none.

Boards are taken all at once, so two tests that want the same two cannot each sit on
one of them; who holds some and wants more may wait only for locks that sort behind
those. Who waits is served in order of arrival.
"""

from __future__ import annotations

import logging
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pytest_embedbench.clock import Deadline, pause
from pytest_embedbench.errors import BoardBusy, BoardGivenUp, BoardUnreachable
from pytest_embedbench.lab.leases import records
from pytest_embedbench.lab.leases.lease import Lease
from pytest_embedbench.lab.leases.lockfile import lock_folder, lock_named, read_note
from pytest_embedbench.lab.leases.wait_queue import Queue, Waiter, claimed
from pytest_embedbench.lab.ports.discovery import attached, find

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from pathlib import Path

    from pytest_embedbench.lab.leases.lease import BoardRequest
    from pytest_embedbench.lab.leases.lockfile import LockFile
    from pytest_embedbench.lab.ports.discovery import Attached, PortQuery, ResolvedPort

_POLL_S = 0.02
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Option:
    """A board that would do, and the lock it is behind; ``""`` needs none."""

    board: str
    sought: PortQuery
    key: str


if TYPE_CHECKING:
    _Taken = tuple[_Option, LockFile | None]


@dataclass(frozen=True, slots=True)
class Leases:
    """Where boards are taken; ``listed`` says which ports are attached."""

    listed: Callable[[], Sequence[Attached]] = attached
    folder: Path = field(default_factory=lock_folder)

    def take(self, wishes: Sequence[BoardRequest], *, wait_s: float) -> list[Lease]:
        """Take a board for each wish, as soon as all of them can be had at once.

        Raises:
            BoardBusy: that was not within ``wait_s``, or can never be; the message
                names the holders.
            BoardUnreachable: nothing on any port fits a wish.
            BoardGivenUp: all that fit were lost earlier in this run.
        """
        ports = self.listed()
        options = [self._options(wish, ports) for wish in wishes]
        ours = self._ours()
        taken = self._grab(options, spared=self._claimed_by_others(ours))
        if taken is not None:
            return self._leases(taken, left_s=wait_s)
        options = [
            _waitable(wish, boards, ours)
            for wish, boards in zip(wishes, options, strict=True)
        ]
        return self._wait(
            ", ".join(wish.name for wish in wishes), options, ours, wait_s
        )

    def key_of(self, sought: PortQuery, ports: Sequence[Attached]) -> str:
        """Return what a board is locked by; "" if it needs no lock.

        Also of a board that is not there because its holder restarts it, or because
        it was lost in this run.

        Raises:
            BoardUnreachable: there is no such board.
        """
        try:
            return find(sought, ports).key
        except BoardUnreachable:
            for key, note in self._notes():
                is_it = str(sought) == note.asked or sought.port == note.address
                if is_it and (note.holder or note.lost_in(records.this_run())):
                    return key
            raise

    def _wait(
        self,
        names: str,
        options: Sequence[Sequence[_Option]],
        ours: Collection[str],
        wait_s: float,
    ) -> list[Lease]:
        keys = frozenset(
            option.key for boards in options for option in boards if option.key
        )
        waiter = Waiter(who=records.this_process(names), keys=keys)
        reason = f"{names}: {self._holders(options)}"
        _log.info("waiting for %s", reason)
        deadline = Deadline(wait_s)
        with Queue(self.folder).place(waiter) as ticket:
            while True:
                spared = self._claimed_by_others(ours, ahead_of=ticket)
                taken = self._grab(options, spared)
                if taken is not None:
                    waited_s = wait_s - deadline.remaining_s()
                    left_s = deadline.remaining_s()
                    return self._leases(taken, waited_s, reason, left_s=left_s)
                if deadline.passed():
                    raise BoardBusy(
                        f"no board came free within {wait_s:g} s for {names}: "
                        f"{self._holders(options)}"
                    )
                pause(_POLL_S)

    def _claimed_by_others(
        self, ours: Collection[str], ahead_of: str = ""
    ) -> Collection[str]:
        """Return what is kept for those who have waited for longer.

        Nothing, for a process that holds a board already: they may be waiting for
        that very board.
        """
        return () if ours else claimed(Queue(self.folder).waiters(ahead_of))

    def _options(self, wish: BoardRequest, ports: Sequence[Attached]) -> list[_Option]:
        """Find what fits a wish."""
        options: list[_Option] = []
        problems: list[str] = []
        for board, sought in wish.boards:
            try:
                key = self.key_of(sought, ports)
            except BoardUnreachable as problem:
                problems.append(f"{board}: {problem}")
            else:
                options.append(_Option(board=board, sought=sought, key=key))
        if not options:
            raise BoardUnreachable("\n".join(problems))
        return options

    def _ours(self) -> frozenset[str]:
        return frozenset(
            key for key, note in self._notes() if note.holder and note.holder.is_us()
        )

    def _notes(self) -> Iterator[tuple[str, records.LockRecord]]:
        for path in sorted(self.folder.glob("*.lock")):
            key = unquote(path.name.removesuffix(".lock"))
            yield key, records.read(read_note(path))

    def _grab(
        self, options: Sequence[Sequence[_Option]], spared: Collection[str] = ()
    ) -> list[_Taken] | None:
        """Take one of each list, all of them or none; never waits."""
        if not options:
            return []
        lost: list[records.LostBoard] = []
        for option in options[0]:
            with ExitStack() as undo:
                if option.key in spared:
                    continue
                lock = lock_named(self.folder, option.key) if option.key else None
                if lock is not None:
                    if not lock.try_acquire():
                        continue
                    undo.callback(lock.release)
                    loss = records.read(lock.read()).lost_in(records.this_run())
                    if loss is not None:
                        lost.append(loss)
                        continue
                if (others := self._grab(options[1:], spared)) is not None:
                    undo.pop_all()
                    return [(option, lock), *others]
        if len(lost) == len(options[0]):
            raise BoardGivenUp(lost[0].cause)
        return None

    def _leases(
        self,
        taken: Sequence[_Taken],
        waited_s: float = 0.0,
        waited_for: str = "",
        *,
        left_s: float,
    ) -> list[Lease]:
        """Write down who we are; whatever goes wrong, hold nothing."""
        with ExitStack() as undo:
            for _, lock in taken:
                if lock is not None:
                    undo.callback(lock.release)
            ports = self.listed()
            leases = [
                _lease(option, lock, find(option.sought, ports), waited_s, waited_for)
                for option, lock in taken
            ]
            for lease in leases:
                undo.callback(lease.release)
            # In one order everywhere, so that nobody waits for one who waits for us.
            for lease in sorted(leases, key=lambda lease: lease.found.key):
                lease.borrow(wait_s=left_s)
            undo.pop_all()
        if waited_for:
            _log.info("waited %.1f s for %s", waited_s, waited_for)
        for lease in leases:
            for remark in lease.remarks:
                _log.warning(remark)
        return leases

    def _holders(self, options: Sequence[Sequence[_Option]]) -> str:
        held_by = {key: note.holder for key, note in self._notes()}
        told = [
            f"{option.board} is held by {held_by.get(option.key) or 'nobody known'}"
            for boards in options
            for option in boards
        ]
        return "; ".join(dict.fromkeys(told))


def _lease(
    option: _Option,
    lock: LockFile | None,
    found: ResolvedPort,
    waited_s: float,
    waited_for: str,
) -> Lease:
    if found.key != option.key:
        raise BoardUnreachable(
            f"{option.board} has changed its port while we waited for it: another "
            f"board may be on {found} now"
        )
    note = records.LockRecord(
        holder=records.this_process(option.board),
        asked=str(option.sought),
        address=found.address,
    )
    remarks: tuple[str, ...] = ()
    if lock is not None:
        if (gone := records.read(lock.read()).holder) is not None:
            remarks = (f"{option.board} was left behind by {gone}; taken over",)
        lock.write(note.dumps())
    return Lease(option.board, found, waited_s, waited_for, remarks, lock, note)


def _waitable(
    wish: BoardRequest, options: list[_Option], ours: frozenset[str]
) -> list[_Option]:
    """Return those that may be waited for by a process that holds ``ours``."""
    if not ours:
        return options
    behind = [option for option in options if option.key > max(ours)]
    if behind:
        return behind
    if all(option.key in ours for option in options):
        raise BoardBusy(f"{wish.name} is in use by this very test already")
    raise BoardBusy(
        f"{wish.name} is in use, and waiting for it while holding another board could "
        "be for ever: ask for all boards of a test at once, with real_boards(...)"
    )
