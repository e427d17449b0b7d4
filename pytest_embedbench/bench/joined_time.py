"""One time for several boards: whoever is asked to wait leads, and all others follow.

Of boards that can be led to any microsecond the one that is behind runs on, up to a
little less than a byte's time ahead of the others. What it can hear until then has
begun where they are, so it is known, and is heard at the very microsecond at which its
stop bit is out. Boards that count in milliseconds go first through each of those, and
hear what had come before it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.bench.joined_board import JoinedBoard
from pytest_embedbench.bench.together import Together, together

if TYPE_CHECKING:
    from pytest_embedbench.bench.joined_end import JoinedEnd
    from pytest_embedbench.bench.uart_session import UartSession

_SLICE_US = 1000
"""How long boards that count in milliseconds are let run."""


@dataclass(slots=True, eq=False, repr=False)
class JoinedTime:
    """The time of all boards of a group, from 0 on."""

    boards: list[JoinedBoard] = field(default_factory=list[JoinedBoard], init=False)
    now_us: int = field(default=0, init=False)
    is_passing: bool = field(default=False, init=False)
    """Whether a board leads now: the others are not asked to."""
    window_us: int = field(default=0, init=False)
    """How far a board may be ahead of any other."""
    _is_settled: bool = field(default=False, init=False)
    _left: list[tuple[JoinedEnd, str]] = field(
        default_factory=list[tuple["JoinedEnd", str]], init=False
    )
    """Who is still to be told that another has been closed."""
    _together: Together | None = field(default=None, init=False)
    _in_steps: list[JoinedBoard] = field(default_factory=list[JoinedBoard], init=False)
    _exact: list[JoinedBoard] = field(default_factory=list[JoinedBoard], init=False)

    def add(self, first: UartSession) -> JoinedBoard:
        """Take a board in."""
        board = JoinedBoard(first, self)
        self.boards.append(board)
        return board

    def leave(self, board: JoinedBoard) -> None:
        """Let a board go that is being closed; the others go on."""
        if board not in self.boards:
            return
        self.boards.remove(board)
        for end in board.ends.values():
            for partner in end.partners:
                partner.lose(end, self.now_us)
                self._left.append((partner, f"{end.shown} has been closed"))
        self.settle()

    def settle(self) -> None:
        """See who is in the group, and how far they may be apart."""
        self._exact = [board for board in self.boards if board.is_exact]
        # Simulated ones first: those in host time wait until it has passed.
        others = [board for board in self.boards if not board.is_exact]
        self._in_steps = sorted(others, key=lambda board: not board.is_simulated)
        ends = [end for board in self._exact for end in board.ends.values()]
        self.window_us = int(min([end.window_us for end in ends], default=0))
        self._is_settled = False

    def lead(self, leader: JoinedBoard, duration_ms: int) -> None:
        """Let time pass for all; plants of the others live along."""
        followers = [board for board in self.boards if board is not leader]
        self.is_passing = True
        try:
            left_ms = duration_ms
            while left_ms:
                ticks_ms = [ms for ms in (it.begun_tick_ms() for it in followers) if ms]
                step_ms = min(left_ms, *ticks_ms) if ticks_ms else left_ms
                self._pass(step_ms * 1000)
                for board in followers:
                    board.first.timebase.advance(step_ms)
                left_ms -= step_ms
        finally:
            self.is_passing = False

    def _pass(self, duration_us: int) -> None:
        if not self._is_settled:
            self._together = together(self._exact)
            self._is_settled = True
        while self._left:
            partner, text = self._left.pop(0)
            partner.recorder.note(f"{partner.port} hears no more: {text}")
        for board in self.boards:
            board.set_out()
        until_us = self.now_us + duration_us
        while self.now_us < until_us:
            ends_us = until_us
            if self._in_steps:
                ends_us = min(until_us, self.now_us + _SLICE_US)
            for board in self._in_steps:
                board.run(ends_us)
            self._take_turns(ends_us)
            self.now_us = ends_us
            for board in self._exact:
                board.write_down(ends_us)

    def _take_turns(self, until_us: int) -> None:
        if self._together is not None and self._together.run(until_us, self):
            return
        for board in self._exact:
            board.reached_us = self.now_us
            if not board.is_running:
                board.run(until_us)
        going = [board for board in self._exact if board.is_running]
        if len(going) == 1:
            going[0].run(until_us)
            return
        while going:
            behind, other, *_ = sorted(going, key=_reached_us)
            if behind.reached_us == until_us:
                return
            behind.run(min(until_us, other.reached_us + self.window_us))


def _reached_us(board: JoinedBoard) -> int:
    return board.reached_us
