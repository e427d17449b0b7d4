"""What a board of a lab is wired to beside its ports: supplies, relays, meters."""

from __future__ import annotations

from typing import Protocol


class Instrument(Protocol):
    """An instrument beside a board; what else it can do is its own.

    It is made with its settings, opened when its board is taken, and closed when that
    is let go: nobody else has it meanwhile.
    """

    def open(self) -> None:
        """Get hold of it; ``OSError`` says that it is not there."""
        ...

    def close(self) -> None:
        """Let it go, in a state in which the next test may have it."""
        ...
