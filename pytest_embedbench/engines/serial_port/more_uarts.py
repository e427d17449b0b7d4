"""UARTs of a board that are wired to ports of their own, beside that of its first."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.errors import BoardLost
from pytest_embedbench.lab.ports.link import split_chunks
from pytest_embedbench.model import Chunk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.lab.ports.connection import Connection


@dataclass(slots=True, eq=False)
class WiredUart:
    """One more port of a board that is ours; a link, too.

    Time passes on the board; ``wait`` looks after what came in meanwhile.
    """

    name: str
    connection: Connection
    _chunks: list[Chunk] = field(default_factory=list["Chunk"], init=False)

    def send(self, data: bytes) -> None:
        """Hand ``data`` to the port."""
        if data:
            self.connection.send(data)

    def receive(self) -> Sequence[Chunk]:
        """Return what came in up to the end of the last ``advance`` of the board."""
        chunks, self._chunks = self._chunks, []
        return chunks

    def wait(self, duration_s: float, *, since_s: float) -> None:
        """Have ready what has come in by now; stamps count from ``since_s``.

        Raises:
            BoardLost: the port is gone.
            FirmwareStuck: nothing of what is sent is taken.
        """
        try:
            self.connection.wait(duration_s)
        finally:
            self.publish(since_s=since_s)

    def publish(self, *, since_s: float) -> None:
        """Have ready what was heard, also of a port that has been closed."""
        self.connection.settle()
        self._chunks += split_chunks(self.connection.take(), since_s=since_s)

    def forget(self) -> None:
        """Drop what was said so far."""
        self.connection.settle()
        self.connection.take()
        self._chunks.clear()

    def shift(self, later_us: int) -> None:
        """Stamp later what was said so far."""
        self._chunks = shifted(self._chunks, later_us)


class WiredUarts(dict[str, WiredUart]):
    """All of a board's, by name; each method does to all what its namesake does."""

    def wait(self, duration_s: float, *, since_s: float) -> None:
        """Raises what ``WiredUart.wait`` does."""
        for uart in self.values():
            uart.wait(duration_s, since_s=since_s)

    def publish(self, *, since_s: float) -> None:
        """Have ready what was heard."""
        for uart in self.values():
            uart.publish(since_s=since_s)

    def forget(self) -> None:
        """Drop what was said so far."""
        for uart in self.values():
            uart.forget()

    def shift(self, later_us: int) -> None:
        """Stamp later what was said so far."""
        for uart in self.values():
            uart.shift(later_us)

    def close(self, *, since_s: float) -> None:
        """Let the ports go, and have ready what they brought last."""
        for uart in self.values():
            with suppress(BoardLost):
                uart.connection.close()
            uart.publish(since_s=since_s)


def shifted(chunks: Sequence[Chunk], later_us: int) -> list[Chunk]:
    """Return chunks with later stamps."""
    return [Chunk(at_us + later_us, data) for at_us, data in chunks]
