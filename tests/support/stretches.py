"""Stretches of a conversation, asked for one by one or foreseen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from pytest_embedbench.contracts import Board, HasNotes, HasPosition, RunsAhead
from pytest_embedbench.errors import FirmwareFault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.model import Chunk


class ForeseeingBoard(Board, RunsAhead, Protocol):
    """A board that runs ahead."""


@dataclass(slots=True)
class Heard:
    """What came of some stretches."""

    chunks: list[list[Chunk]] = field(default_factory=list["list[Chunk]"])
    stamps_us: list[int] = field(default_factory=list[int])
    notes: list[tuple[str, ...]] = field(default_factory=list["tuple[str, ...]"])
    fault: str = ""
    asked_count: int = 0
    """How often the board was told what would come."""


def heard_of(
    board: ForeseeingBoard, stretches: Sequence[tuple[bytes, int]], *, ahead: bool
) -> Heard:
    """Send the bytes of each stretch, its first one alone, and have its ms pass."""
    heard = Heard()
    link = board.link()
    for number, (data, duration_ms) in enumerate(stretches):
        if ahead and not board.is_ahead():
            board.foresee(stretches[number:], [b"ok\n"])
            heard.asked_count += 1
        link.send(data[:1])
        link.send(data[1:])
        try:
            board.advance(duration_ms)
        except FirmwareFault as fault:
            heard.fault = f"{type(fault).__name__}: {fault}"
        heard.chunks.append(list(link.receive()))
        heard.stamps_us.append(board.now_us())
        heard.notes.append((*_notes(board), _position(board)))
        if heard.fault:
            break
    return heard


def _notes(board: Board) -> Sequence[str]:
    return board.notes if isinstance(board, HasNotes) else ()


def _position(board: Board) -> str:
    return board.position if isinstance(board, HasPosition) else ""
