"""Cut what a port was heard to say into chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.model import Chunk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_embedbench.lab.ports.reader import Heard


def cut(heard: Iterable[Heard], *, since_s: float) -> Iterator[Chunk]:
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
