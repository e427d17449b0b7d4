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

from pytest_embedbench.clock import Deadline, pause
from pytest_embedbench.errors import (
    BenchFault,
    BoardBusy,
    BoardGivenUp,
    BoardUnreachable,
)
from pytest_embedbench.lab.leases import journal, known, records
from pytest_embedbench.lab.leases.candidates import (
    Candidate,
    insist_on_enough,
    waitable,
)
from pytest_embedbench.lab.leases.in_vain import WaitedInVain
from pytest_embedbench.lab.leases.journal import BoardEvent
from pytest_embedbench.lab.leases.lease import Lease
from pytest_embedbench.lab.leases.lockfile import lock_folder, lock_named
from pytest_embedbench.lab.leases.wait_queue import Waiter, WaitQueue, reserved_keys
from pytest_embedbench.lab.ports.discovery import attached

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from pathlib import Path

    from pytest_embedbench.lab.leases.lease import BoardRequest
    from pytest_embedbench.lab.leases.lockfile import LockFile
    from pytest_embedbench.lab.ports.discovery import Attached, PortQuery, ResolvedPort

_POLL_S = 0.02
_log = logging.getLogger(__name__)


if TYPE_CHECKING:
    _Acquired = tuple[Candidate, LockFile | None]


@dataclass(frozen=True, slots=True)
class Leases:
    """Where boards are taken; ``listed`` says which ports are attached."""

    listed: Callable[[], Sequence[Attached]] = attached
    folder: Path = field(default_factory=lock_folder)
    heeds: Callable[[records.HeldByHand], bool] = lambda hold: True  # noqa: ARG005
    """Which boards that somebody holds by hand are not ours to take: all."""
    takes_absent: bool = False
    """Whether boards are taken that are not there: by the lock that they had last."""

    def acquire(
        self, requests: Sequence[BoardRequest], *, wait_s: float
    ) -> list[Lease]:
        """Acquire a board for each request, as soon as all can be had at once.

        Raises:
            BoardBusy: that was not within ``wait_s``, or can never be, or somebody
                holds all that fit by hand; the message names the holders.
            BoardUnreachable: nothing fits a request, or there are too few boards.
            BoardGivenUp: all that fit were lost earlier in this run.
        """
        ports = self.listed()
        candidates = [self._candidates(request, ports) for request in requests]
        own = self._own_keys()
        acquired = self._try_acquire(
            candidates, reserved=self._reserved_for_others(own)
        )
        if acquired is not None:
            return self._leases(acquired, left_s=wait_s)
        insist_on_enough(requests, candidates)
        candidates = [
            waitable(request, boards, own)
            for request, boards in zip(requests, candidates, strict=True)
        ]
        return self._wait(
            ", ".join(request.name for request in requests),
            candidates,
            own,
            wait_s,
        )

    def key_of(self, query: PortQuery, ports: Sequence[Attached]) -> str:
        """Return what a board is locked by; "" if it needs no lock.

        Also of a board that is not there because its holder restarts it, because it
        was lost in this run, or because somebody who holds it by hand has unplugged it.

        Raises:
            BoardUnreachable: there is no such board.
        """
        return known.key_of(query, ports, self.folder, takes_absent=self.takes_absent)

    def _wait(
        self,
        names: str,
        candidates: Sequence[Sequence[Candidate]],
        own: Collection[str],
        wait_s: float,
    ) -> list[Lease]:
        keys = frozenset(
            candidate.key
            for boards in candidates
            for candidate in boards
            if candidate.key
        )
        waiter = Waiter(who=records.this_process(names), keys=keys)
        reason = f"{names}: {self._holders(candidates)}"
        if WaitedInVain(self.folder).ending(names):
            wait_s = 0.0
        _log.info("waiting for %s", reason)
        deadline = Deadline(wait_s)
        with WaitQueue(self.folder).join(waiter) as ticket:
            while True:
                reserved = self._reserved_for_others(own, ahead_of=ticket)
                acquired = self._try_acquire(candidates, reserved)
                if acquired is not None:
                    waited_s = wait_s - deadline.remaining_s()
                    left_s = deadline.remaining_s()
                    return self._leases(acquired, waited_s, reason, left_s=left_s)
                if deadline.passed():
                    raise self._in_vain(names, wait_s, self._holders(candidates))
                pause(_POLL_S)

    def _in_vain(self, names: str, wait_s: float, holders: str) -> BenchFault:
        """Return the end of a wait; the next one in this run would end likewise."""
        waits = WaitedInVain(self.folder)
        if first := waits.ending(names):
            return BoardGivenUp(f"{first}; it still is: {holders}")
        end = f"no board came free within {wait_s:g} s for {names}: {holders}"
        waits.note(names, end)
        return BoardBusy(end)

    def _reserved_for_others(
        self, own: Collection[str], ahead_of: str = ""
    ) -> Collection[str]:
        """Return what is kept for those who have waited for longer.

        Nothing, for a process that holds a board already: they may be waiting for
        that very board.
        """
        return () if own else reserved_keys(WaitQueue(self.folder).waiters(ahead_of))

    def _candidates(
        self, request: BoardRequest, ports: Sequence[Attached]
    ) -> list[Candidate]:
        """Find the boards that would do."""
        candidates: list[Candidate] = []
        problems: list[str] = []
        for board, query in request.boards:
            try:
                key = self.key_of(query, ports)
            except BoardUnreachable as problem:
                problems.append(f"{board}: {problem}")
            else:
                candidates.append(Candidate(board=board, query=query, key=key))
        if not candidates:
            raise BoardUnreachable("\n".join(problems))
        for told in problems:
            board, _, why = told.partition(": ")
            journal.enter(BoardEvent.MISSING, board, why)
        return candidates

    def _own_keys(self) -> frozenset[str]:
        return frozenset(
            key
            for key, record in known.lock_records(self.folder)
            if record.holder and record.holder.is_us()
        )

    def _try_acquire(
        self, candidates: Sequence[Sequence[Candidate]], reserved: Collection[str] = ()
    ) -> list[_Acquired] | None:
        """Take one of each list, all of them or none; never waits."""
        if not candidates:
            return []
        lost: list[records.LostBoard] = []
        held: list[str] = []
        for candidate in candidates[0]:
            with ExitStack() as undo:
                if candidate.key in reserved:
                    continue
                lock = lock_named(self.folder, candidate.key) if candidate.key else None
                if lock is not None:
                    if not lock.try_acquire():
                        continue
                    undo.callback(lock.release)
                    record = records.read(lock.read())
                    if (loss := record.lost_in(records.this_run())) is not None:
                        lost.append(loss)
                        continue
                    hold = record.held_by_hand()
                    if hold is not None and self.heeds(hold):
                        held.append(f"{candidate.board} {hold}")
                        continue
                if (others := self._try_acquire(candidates[1:], reserved)) is not None:
                    undo.pop_all()
                    return [(candidate, lock), *others]
        if len(lost) == len(candidates[0]):
            raise BoardGivenUp(lost[0].cause)
        if held and len(lost) + len(held) == len(candidates[0]):
            raise BoardBusy(
                f"{'; '.join(held)}; nobody waits for that: take another board, or "
                "give it back with 'embedbench lab release NAME'"
            )
        return None

    def _leases(
        self,
        acquired: Sequence[_Acquired],
        waited_s: float = 0.0,
        waited_for: str = "",
        *,
        left_s: float,
    ) -> list[Lease]:
        """Write down who we are; whatever goes wrong, hold nothing."""
        with ExitStack() as undo:
            for _, lock in acquired:
                if lock is not None:
                    undo.callback(lock.release)
            ports = self.listed()
            leases = [
                _lease(
                    candidate,
                    lock,
                    candidate.find(ports, takes_absent=self.takes_absent),
                    waited_s,
                    waited_for,
                )
                for candidate, lock in acquired
            ]
            for lease in leases:
                undo.callback(lease.release)
            # In one order everywhere, so that nobody waits for one who waits for us.
            for lease in sorted(leases, key=lambda lease: lease.found.key):
                lease.acquire_place(wait_s=left_s)
            undo.pop_all()
        if waited_for:
            _log.info("waited %.1f s for %s", waited_s, waited_for)
        for lease in leases:
            for remark in lease.remarks:
                _log.warning(remark)
        return leases

    def _holders(self, candidates: Sequence[Sequence[Candidate]]) -> str:
        records_by_key = dict(known.lock_records(self.folder))
        told = [
            f"{candidate.board} {known.occupied(records_by_key.get(candidate.key))}"
            for boards in candidates
            for candidate in boards
        ]
        return "; ".join(dict.fromkeys(told))


def _lease(
    candidate: Candidate,
    lock: LockFile | None,
    found: ResolvedPort,
    waited_s: float,
    waited_for: str,
) -> Lease:
    if found.key != candidate.key:
        raise BoardUnreachable(
            f"{candidate.board} has changed its port while we waited for it: another "
            f"board may be on {found} now"
        )
    before = records.LockRecord() if lock is None else records.read(lock.read())
    record = records.LockRecord(
        holder=records.this_process(candidate.board),
        hold=before.held_by_hand(),
        faults=before.faults,
        query=str(candidate.query),
        address=found.address,
    )
    remarks: tuple[str, ...] = ()
    if lock is not None:
        if (gone := before.holder) is not None:
            remarks = (f"{candidate.board} was left behind by {gone}; taken over",)
        lock.write(record.dumps())
    return Lease(candidate.board, found, waited_s, waited_for, remarks, lock, record)
