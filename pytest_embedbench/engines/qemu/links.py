"""A UART of an emulated board, as the bench has it: stamped bytes out, bytes in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.model import Chunk

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_TAIL_BYTES = 4_000


class QemuLink:
    """One UART; what it says reaches the bench when the bench's time has come to it.

    Args:
        check_open: Raises ``BoardLost`` if the board has been closed.
    """

    def __init__(self, check_open: Callable[[], None]) -> None:
        self._check_open = check_open
        self._said: list[Chunk] = []
        self._coming: list[Chunk] = []
        self.to_send = bytearray()
        self.tail = b""
        """The last of what was said, also of what the bench has not heard yet."""

    def send(self, data: bytes) -> None:
        """Hand ``data`` over where the next stretch of time starts."""
        self._check_open()
        self.to_send += data

    def receive(self) -> Sequence[Chunk]:
        """Return what the firmware has said since the last call."""
        said, self._said = self._said, []
        return said

    def take_sent(self) -> bytes:
        """Return what has been sent since the last call."""
        sent = bytes(self.to_send)
        self.to_send.clear()
        return sent

    def hear(self, at_us: int, data: bytes) -> None:
        """Keep what the firmware said up to ``at_us``, in pieces that end at a line."""
        *lines, rest = data.split(b"\n")
        self._coming += [Chunk(at_us, line + b"\n") for line in lines]
        if rest:
            self._coming.append(Chunk(at_us, rest))
        self.tail = (self.tail + data)[-_TAIL_BYTES:]

    def arrive(self, now_us: int) -> None:
        """Let the bench have what was said up to ``now_us``."""
        count = sum(chunk.at_us <= now_us for chunk in self._coming)
        self._said += self._coming[:count]
        del self._coming[:count]
