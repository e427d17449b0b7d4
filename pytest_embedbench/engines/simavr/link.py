"""A UART of a simulated board: the bench's side of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.engines.simavr.board import SimavrBoard
    from pytest_embedbench.model import Chunk


class SimavrLink:
    """One UART of a simulated board."""

    def __init__(self, board: SimavrBoard, index: int) -> None:
        self._board = board
        self._index = index
        self._heard: list[Chunk] = []

    def send(self, data: bytes) -> None:
        """Put ``data`` on the wire behind what is still on it."""
        self._board.command("send", self._index, bytes(data))

    def receive(self) -> Sequence[Chunk]:
        """Return what the firmware has said since the last call."""
        heard, self._heard = self._heard, []
        return heard

    def hear(self, chunk: Chunk) -> None:
        """Keep a chunk until it is asked for."""
        self._heard.append(chunk)
