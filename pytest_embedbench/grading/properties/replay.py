"""Play a sequence to a board, and write down the conversation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.errors import FirmwareFault
from pytest_embedbench.model import Direction, Line
from pytest_embedbench.wire.framing import LineFramer
from pytest_embedbench.wire.transcript import decoded, rendered

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_embedbench.contracts import Board
    from pytest_embedbench.grading.properties.sequences import Sequence

BOOT_MS = 200
"""Enough for every board's start-up lines."""
SETTLE_MS = 200
"""How long is listened on after the last lines."""


@dataclass(slots=True)
class Replayed:
    """What was said, in order, and when each exchange was sent, in simulated time."""

    lines: list[Line] = field(default_factory=list[Line])
    sent_us: list[int] = field(default_factory=list[int])
    ended_us: int = 0
    fault: FirmwareFault | None = None
    """What ended it early."""

    def __repr__(self) -> str:
        return f"<Replayed up to {self.ended_us / 1e6:.6f} s: {len(self.lines)} lines>"

    def heard(self) -> list[tuple[int, str]]:
        """Return the firmware's lines with their stamps."""
        return [
            (line.at_us, decoded(line.payload))
            for line in self.lines
            if line.direction is Direction.FROM_FIRMWARE
        ]

    def transcript(self) -> str:
        """Return the conversation as a transcript shows it."""
        return "\n".join(rendered(line) for line in self.lines)


def replay(board: Board, sequence: Sequence, *, for_ms: int = 0) -> Replayed:
    """Boot, send what the sequence says when it says so, and listen.

    A fault of the firmware ends it, and is kept with what was said before it.

    Args:
        board: One that has just been booted.
        sequence: What to send.
        for_ms: How long to go on in all; by default until all is answered.
    """
    played = _Player(board)
    try:
        played.listen(BOOT_MS)
        for exchange in sequence:
            played.listen(exchange.after_ms)
            played.send(exchange.lines)
        left_ms = for_ms - sum(exchange.after_ms for exchange in sequence)
        played.listen(max(SETTLE_MS, left_ms))
    except FirmwareFault as fault:
        played.listen_no_more()
        played.done.fault = fault
    played.done.ended_us = board.now_us()
    return played.done


@dataclass(slots=True)
class _Player:
    board: Board
    done: Replayed = field(default_factory=Replayed)
    framer: LineFramer = field(default_factory=LineFramer)

    def listen(self, duration_ms: int) -> None:
        self.board.advance(duration_ms)
        self.listen_no_more()

    def listen_no_more(self) -> None:
        """Take what has been said up to now."""
        for at_us, data in self.board.link().receive():
            for payload, _ in self.framer.feed(data):
                line = Line(at_us, Direction.FROM_FIRMWARE, payload)
                self.done.lines.append(line)

    def send(self, lines: Iterable[str]) -> None:
        at_us = self.board.now_us()
        self.done.sent_us.append(at_us)
        for text in lines:
            payload = text.encode()
            self.done.lines.append(Line(at_us, Direction.TO_FIRMWARE, payload))
            self.board.link().send(payload + b"\n")
