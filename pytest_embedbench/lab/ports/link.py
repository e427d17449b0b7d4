"""A port as a link: the one UART within our reach, and what it says in chunks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from pytest_embedbench.errors import NotSupported, UnknownName
from pytest_embedbench.model import Chunk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_embedbench.lab.ports.reader import Heard
    from pytest_embedbench.model import BoardSpec


class Speaker(Protocol):
    """A board that is spoken with like a link."""

    @property
    def spec(self) -> BoardSpec:
        """Its datasheet."""
        ...

    def send(self, data: bytes) -> None:
        """Hand ``data`` to the firmware."""
        ...

    def receive(self) -> Sequence[Chunk]:
        """Return what the firmware has said."""
        ...


@dataclass(frozen=True, slots=True)
class SingleUart:
    """The first UART of a board's datasheet."""

    board: Speaker

    def send(self, data: bytes) -> None:
        """Hand ``data`` to the board."""
        self.board.send(data)

    def receive(self) -> Sequence[Chunk]:
        """Return what the board has said."""
        return self.board.receive()


def single_uart(board: Speaker, uart: str) -> SingleUart:
    """Return the link of a board's first UART, by its name or by none.

    Raises:
        UnknownName: the datasheet has no UART of that name.
        NotSupported: it has, but not within reach.
    """
    known = [spec.name for spec in board.spec.uarts]
    if uart and uart not in known:
        raise UnknownName("uart", uart, known)
    if uart and uart != known[0]:
        raise NotSupported(f"{board.spec.name} has only {known[0]} within our reach")
    return SingleUart(board)


def split_chunks(heard: Iterable[Heard], *, since_s: float) -> Iterator[Chunk]:
    """Yield chunks that end at a newline or where all of ``heard`` ends.

    Stamps count from ``since_s``; a chunk has the stamp of its last byte.
    """
    pending = bytearray()
    at_us = 0
    for at_s, data in heard:
        at_us = max(0, int((at_s - since_s) * 1_000_000))
        *whole, rest = data.split(b"\n")
        for piece in whole:
            yield Chunk(at_us, bytes(pending) + piece + b"\n")
            pending.clear()
        pending += rest
    if pending:
        yield Chunk(at_us, bytes(pending))
