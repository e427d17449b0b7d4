"""The one UART that a service lets us have: that of its serial monitor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.model import Chunk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.engines.wokwi.board import WokwiBoard


class WokwiLink:
    """The first UART of a board at a service."""

    def __init__(self, board: WokwiBoard) -> None:
        self._board = board
        self._heard: list[Chunk] = []

    def send(self, data: bytes) -> None:
        """Have ``data`` sent where time goes on."""
        self._board.write(bytes(data))

    def receive(self) -> Sequence[Chunk]:
        """Return what the firmware has said since the last call."""
        heard, self._heard = self._heard, []
        return heard

    def hear(self, at_us: int, data: bytes) -> None:
        """Keep what was said until it is asked for, in pieces that end with lines."""
        self._heard += [Chunk(at_us, piece) for piece in _lines(data)]


def _lines(data: bytes) -> list[bytes]:
    """Split behind each LF, and nowhere else."""
    *whole, rest = data.split(b"\n")
    return [line + b"\n" for line in whole] + ([rest] if rest else [])
