"""What a memory card holds: blocks of 512 bytes, of which most were never written."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

BLOCK = 512
_BLANK = bytes(BLOCK)


class CardMemory:
    """Blocks; those that are not there hold zeros.

    Args:
        blocks: How many there are.
        written: Those that are not blank.
    """

    def __init__(self, blocks: int, written: Mapping[int, bytes]) -> None:
        self._written = dict(written)
        self.blocks = blocks

    def read(self, block: int) -> bytes:
        """Return a block."""
        return self._written.get(block, _BLANK)

    def read_blocks(self, first: int, count: int) -> bytes:
        """Return blocks that follow each other; beyond the end there are zeros."""
        return b"".join(self.read(block) for block in range(first, first + count))

    def write(self, block: int, data: bytes) -> None:
        """Set a block."""
        self._written[block] = data

    def erase(self, first: int, last: int) -> None:
        """Let blocks hold zeros."""
        for block in [it for it in self._written if first <= it <= last]:
            del self._written[block]
