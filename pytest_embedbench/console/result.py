"""How a command on a target ended, and what it said."""

from __future__ import annotations

import reprlib
import signal
from dataclasses import dataclass

from pytest_embedbench.console import output
from pytest_embedbench.errors import BenchFault

_BY_SIGNAL = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandResult:
    """How a command ended, and what it said, its standard error included.

    ``output`` is what it wrote, byte by byte; ``kernel`` is what the kernel said on the
    same serial line meanwhile, which is not in ``output``.
    """

    command: str
    status: int
    output: bytes
    kernel: tuple[str, ...] = ()

    def __repr__(self) -> str:
        command, said = reprlib.repr(self.command), reprlib.repr(self.output)
        return f"<CommandResult of {command}: status {self.status}, {said}>"

    @property
    def text(self) -> str:
        """The output as a person reads it: without colours, ends in LF."""
        return output.plain_text(self.output)

    @property
    def ended(self) -> str:
        """How it ended, in words."""
        return describe_exit(self.status)

    def check(self) -> CommandResult:
        """Return itself if the command went well.

        Raises:
            BenchFault: it did not.
        """
        if self.status:
            said = output.tail(self.output)
            raise BenchFault(f"{self.command!r} {self.ended}: {said or '(no output)'}")
        return self


def describe_exit(status: int) -> str:
    """Say what an exit status of a shell means."""
    if status == 0:
        return "ended (exit status 0)"
    if status == 126:  # noqa: PLR2004  # POSIX
        return "could not be executed (exit status 126)"
    if status == 127:  # noqa: PLR2004  # POSIX
        return "was not found (exit status 127)"
    try:
        name = signal.Signals(status - _BY_SIGNAL).name
    except ValueError:
        return f"failed (exit status {status})"
    return f"was ended by {name}"
