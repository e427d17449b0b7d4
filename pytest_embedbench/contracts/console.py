"""A shell on a target: what a board or an engine with consoles has to offer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pathlib import Path


class CommandEnd(Protocol):
    """How a command ended, and what it said, its standard error included."""

    @property
    def status(self) -> int:
        """Its exit status, as a shell has it."""
        ...

    @property
    def output(self) -> bytes:
        """What it wrote, byte by byte."""
        ...

    @property
    def text(self) -> str:
        """The output as a person reads it: without colours, ends in LF."""
        ...

    def check(self) -> CommandEnd:
        """Return itself if the command went well, or raise ``BenchFault``."""
        ...


class TargetConsole(Protocol):
    """A shell that is logged in, ours alone until ``close``."""

    @property
    def location(self) -> str:
        """Where it is, for messages."""
        ...

    def run(self, command: str, *, within_s: float = ...) -> CommandEnd:
        """Run a command to its end.

        Raises:
            ExpectTimeout: it has not ended in time, and was interrupted.
            BoardLost: the target is gone.
        """
        ...

    def copy(self, file: Path, to: str, *, within_s: float = ...) -> None:
        """Copy a file to ``to``, which it becomes whole or not at all.

        Raises:
            BenchFault: it does not arrive.
            BoardLost: the target is gone.
        """
        ...

    def close(self) -> None:
        """Log out; safe to call twice."""
        ...


class HeldConsole(Protocol):
    """A console of a target that nobody else has until it is closed."""

    @property
    def console(self) -> TargetConsole:
        """The console."""
        ...

    def close(self) -> None:
        """Log out, and let the target go; safe to call twice."""
        ...
