"""Joined boards of one kind, which hear each other without the bench between."""

from __future__ import annotations

import socket
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from pytest_embedbench.contracts import Stretch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.bench.joined_board import JoinedBoard
    from pytest_embedbench.bench.joined_time import JoinedTime
    from pytest_embedbench.contracts import RunsTogether


def together(boards: Sequence[JoinedBoard]) -> Together | None:
    """Connect boards, if all are of one kind; ``None`` if not."""
    found = [board.together for board in boards]
    running = [board for board in found if board is not None]
    if len(running) < max(2, len(found)) or len({it.wire_kind for it in running}) > 1:
        return None
    ends: list[list[socket.socket]] = [[] for _ in running]
    with ExitStack() as opened:
        for one, other in combinations(range(len(running)), 2):
            pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            for number, end in zip((one, other), pair, strict=True):
                ends[number].append(opened.enter_context(end))
        for board, its_ends in zip(running, ends, strict=True):
            board.meet(its_ends)
    return Together(tuple(zip(boards, running, strict=True)))


@dataclass(frozen=True, slots=True)
class Together:
    """Boards that are connected: of each the ends go to the others, in this order."""

    boards: tuple[tuple[JoinedBoard, RunsTogether], ...]

    def run(self, until_us: int, time: JoinedTime) -> bool:
        """Let those that run go on to a moment; ``False`` if that takes nobody else."""
        present = [it for it in self.boards if it[0].is_running]
        if len(present) < 2:  # noqa: PLR2004  # who is alone has nobody to hear
            return False
        for joined, _ in self.boards:
            for end in joined.ends.values():
                end.hears_directly = joined.is_running
        for joined, board in present:
            joined.say_before(board)
        with ExitStack() as ends:  # each that has begun is waited for
            for index, (joined, board) in enumerate(self.boards):
                if not joined.is_running:
                    continue
                routes = self._routes(joined)
                stretch = Stretch(
                    begins_us=time.now_us,
                    ends_us=until_us,
                    ahead_us=joined.ahead_us,
                    window_us=time.window_us,
                    # By their numbers among the others, those behind it begin there.
                    goes_first=all(number >= index for number in routes),
                    routes=routes,
                )
                joined.begin_together(board, stretch)
                ends.callback(joined.end_together, board)
        return True

    def _routes(self, joined: JoinedBoard) -> dict[int, list[tuple[str, str]]]:
        """Return what hears each other, of each other board if any do."""
        routes: dict[int, list[tuple[str, str]]] = {}
        others = [other for other, _ in self.boards if other is not joined]
        for number, other in enumerate(others):
            pairs = [
                (end.port, partner.port)
                for end in joined.ends.values()
                for partner in end.partners
                if partner in other.ends.values()
            ]
            if pairs and other.is_running:
                routes[number] = pairs
        return routes
