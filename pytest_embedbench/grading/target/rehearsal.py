"""Known talks with the driver on a board, gone through once more beside other work.

The board does it by itself, in a process of its own. So what a check of the target
stage has asked of others is asked and answered while checks of the host stage run.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.bench.under_test import plain
from pytest_embedbench.contracts import RunsScripts
from pytest_embedbench.errors import EmbedbenchError
from pytest_embedbench.grading.target import known_talks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.grading.host.conversation import Conversation
    from pytest_embedbench.grading.target.program import TargetProgram

_MOST_AT_ONCE = 3
"""Talks that a board has been told of: one that it is in, and what comes next."""
_ENDURED = 3
"""A submission that has answered otherwise so often is asked no more."""


@dataclass(slots=True)
class TargetRehearsal:
    """Asks one submission on one board what is known of others."""

    program: TargetProgram
    _known: dict[str, Sequence[Conversation]] = field(
        default_factory=dict[str, "Sequence[Conversation]"], init=False
    )
    """Of each check that has been prepared and not been heard of."""
    _waiting: deque[str] = field(default_factory=deque[str], init=False)
    _begun: deque[str] = field(default_factory=deque[str], init=False)
    """Those that the board has been told of; ``""`` is that it comes up."""
    _passed: dict[str, bool] = field(default_factory=dict[str, bool], init=False)
    _board: RunsScripts | None = field(default=None, init=False)
    _otherwise_count: int = field(default=0, init=False)

    def knows(self, check: str) -> bool:
        """Say whether this has been prepared."""
        return check in self._known or check in self._passed

    @property
    def is_busy(self) -> bool:
        """Whether enough is under way."""
        return len(self._waiting) > _MOST_AT_ONCE

    def prepare(self, check: str, conversations: Sequence[Conversation]) -> None:
        """Have a check gone through; ``conversations`` have the same requests.

        Without any, it does not pass.
        """
        if conversations:
            self._known[check] = conversations
            self._waiting.append(check)
        else:
            self._passed[check] = False

    def go_on(self) -> None:
        """Take in what has ended, and begin what comes next; never waits for long."""
        try:
            self._look_after_board()
            while self._has_ended():
                self._take()
            self._begin()
        except EmbedbenchError:
            self._give_up()

    def passes(self, check: str) -> bool:
        """Say whether all answers for a check are those of one that is known."""
        try:
            while check in self._known and self._otherwise_count < _ENDURED:
                self._look_after_board()
                self._begin()
                self._take()
        except EmbedbenchError:
            self._give_up()
        return self._passed.get(check, False)

    def _begin(self) -> None:
        while self._waiting and len(self._begun) < _MOST_AT_ONCE:
            if self._otherwise_count >= _ENDURED:
                return
            if self._board is None:
                board = plain(self.program.lend())
                if not isinstance(board, RunsScripts):
                    self._give_up()
                    return
                self._board = board
                board.begin_script([known_talks.UP])
                self._begun.append("")
            check = self._waiting.popleft()
            self._begun.append(check)
            baud_bps = self._board.spec.uarts[0].baud_bps
            self._board.begin_script(known_talks.script(self._known[check], baud_bps))

    def _has_ended(self) -> bool:
        return bool(self._begun and self._board and self._board.script_has_ended())

    def _take(self) -> None:
        """Take in how the oldest talk went; what went wrong was all of this board's."""
        if self._board is None or not self._begun:
            return
        is_alike = bool(self._board.end_script())
        check = self._begun.popleft()
        if check:
            del self._known[check]
            self._passed[check] = is_alike
        if not is_alike:
            self._otherwise_count += 1
            self._begin_anew()

    def _look_after_board(self) -> None:
        """Forget a board that the program has taken back."""
        lent = self.program.lent
        if self._board is not None and (lent is None or plain(lent) is not self._board):
            self._begin_anew()

    def _begin_anew(self) -> None:
        """Leave this board as it is; what it has not come to waits for another."""
        self._board = None
        self._waiting.extendleft(reversed([each for each in self._begun if each]))
        self._begun.clear()

    def _give_up(self) -> None:
        self._otherwise_count = _ENDURED
        self._board = None
        self._begun.clear()
        self._waiting.clear()
