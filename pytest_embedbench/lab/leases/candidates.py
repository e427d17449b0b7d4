"""Boards that would do, and which of them may be waited for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_embedbench.errors import BoardBusy, BoardUnreachable
from pytest_embedbench.lab.ports.discovery import ResolvedPort, find

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.lab.leases.lease import BoardRequest
    from pytest_embedbench.lab.ports.discovery import Attached, PortQuery


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A board that would do, and the key of its lock; ``""`` needs none."""

    board: str
    query: PortQuery
    key: str

    def find(self, ports: Sequence[Attached], *, takes_absent: bool) -> ResolvedPort:
        """Return where it is, or with ``takes_absent`` where it should be.

        Raises:
            BoardUnreachable: it is not there.
        """
        query = self.query
        try:
            return find(query, ports)
        except BoardUnreachable:
            if not takes_absent:
                raise
        return ResolvedPort(
            query=query, address=query.port, key=self.key, reconnect=query
        )


def waitable(
    request: BoardRequest, candidates: list[Candidate], own: frozenset[str]
) -> list[Candidate]:
    """Return those that may be waited for by a process that holds ``ours``."""
    if not own:
        return candidates
    behind = [candidate for candidate in candidates if candidate.key > max(own)]
    if behind:
        return behind
    if all(candidate.key in own for candidate in candidates):
        raise BoardBusy(f"{request.name} is in use by this very test already")
    raise BoardBusy(
        f"{request.name} is in use, and waiting for it while holding another board "
        "could be for ever: ask for all boards of a test at once, with real_boards(...)"
    )


def insist_on_enough(
    requests: Sequence[BoardRequest], candidates: Sequence[Sequence[Candidate]]
) -> None:
    """Refuse to wait for more boards than there are.

    Raises:
        BoardUnreachable: so many can never be had at once; it says which there are.
    """
    if _differ(candidates, frozenset()):
        return
    names = ", ".join(request.name for request in requests)
    there = dict.fromkeys(
        f"{candidate.board} ({candidate.query})"
        for boards in candidates
        for candidate in boards
    )
    raise BoardUnreachable(
        f"{len(requests)} boards at once were asked for ({names}), and of those that "
        f"would do there are only {', '.join(there)}: two need two ports"
    )


def _differ(candidates: Sequence[Sequence[Candidate]], used: frozenset[str]) -> bool:
    """Say whether each request can have a board that no other one has."""
    if not candidates:
        return True
    first, *others = candidates
    return any(
        _differ(others, used | {candidate.key} if candidate.key else used)
        for candidate in first
        if candidate.key not in used
    )
