"""The one UART of a board that has only one within our reach."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from pytest_embedbench.errors import NotSupported, UnknownName

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.model import BoardSpec, Chunk


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
