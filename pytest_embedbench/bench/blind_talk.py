"""A talk in which what is sent, and when, does not depend on what is answered.

A board that ``RunsAhead`` needs one exchange for many turns of it, as long as its
firmware says only what it has said before. The talk goes on turn by turn as ever, and
only finds the answers there.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from pytest_embedbench.bench.guards import from_firmware
from pytest_embedbench.bench.timebase import STEP_MS
from pytest_embedbench.bench.under_test import plain
from pytest_embedbench.contracts import RunsAhead
from pytest_embedbench.support.validation import text_or_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_embedbench.bench.uart_session import UartSession

_MOST_TURNS = 64
"""How far to look."""
_KNOWN_LINES = 32

LinesThenMs = tuple["Sequence[str]", int]
"""What is sent at once, and how many ms pass then."""


def in_turns(session: UartSession, turns: Sequence[LinesThenMs]) -> Iterator[int]:
    """Take turns with a firmware; yield the number of each that is over.

    Meanwhile one may look at what was said so far, but neither send nor let time pass.

    Raises:
        FirmwareFault: as ``UartSession.run_for``.
    """
    talk = _TalkAhead(session)
    for number, (lines, for_ms) in enumerate(turns):
        talk.look(islice(turns, number, number + _MOST_TURNS))
        for line in lines:
            session.send(line)
        session.run_for(for_ms)
        yield number


@dataclass(slots=True)
class _TalkAhead:
    """Tells a board of the turns to come."""

    session: UartSession
    _board: RunsAhead | None = field(init=False)
    _heard_count: int = field(default=0, init=False)
    _heard: deque[bytes] = field(
        default_factory=lambda: deque[bytes](maxlen=_KNOWN_LINES), init=False
    )
    """Each line that the firmware has said lately, once."""

    def __post_init__(self) -> None:
        board: Any = plain(self.session.recorder.board)
        self._board = board if isinstance(board, RunsAhead) else None

    def look(self, turns: Iterator[LinesThenMs]) -> None:
        """Tell the board, before a turn begins, what comes in it and in the next."""
        recorder = self.session.recorder
        if self._board is None or self._board.is_ahead() or not recorder.is_at_ease():
            return
        self._listen()
        heeds = recorder.lookout.heeds
        expected = [line + b"\n" for line in self._heard if not heeds(line)]
        stretches = [each for turn in turns for each in self._stretches(*turn)]
        self._board.foresee(stretches, expected)

    def _listen(self) -> None:
        since, transcript = self._heard_count, self.session.transcript
        self._heard_count = len(transcript)
        for _, line in from_firmware(transcript.since(since)):
            if line.payload not in self._heard:
                self._heard.append(line.payload)

    def _stretches(
        self, lines: Sequence[str], for_ms: int
    ) -> Iterator[tuple[bytes, int]]:
        line_end = text_or_bytes("line_end", self.session.line_end)
        data = b"".join(text_or_bytes("a line", line) + line_end for line in lines)
        for passed_ms in range(0, for_ms, STEP_MS):
            yield data, min(STEP_MS, for_ms - passed_ms)
            data = b""
