"""Copy a file to a target, and see that it has arrived whole."""

from __future__ import annotations

import base64
import hashlib
import subprocess
from typing import TYPE_CHECKING, Protocol

from pytest_embedbench.clock import Deadline
from pytest_embedbench.console import output
from pytest_embedbench.console.shell import quoted
from pytest_embedbench.errors import BenchFault
from pytest_embedbench.processes import spawn, stop

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_embedbench.console.result import CommandResult

COPY_WITHIN_S = 120.0
_PIECE_BYTES = 2700
"""With base64 a line that a terminal takes."""


class RunsCommands(Protocol):
    """A console, as far as copying needs it."""

    @property
    def location(self) -> str:
        """Where it is."""
        ...

    def run(self, command: str) -> CommandResult:
        """Run a command to its end."""
        ...


class FileTransfer(Protocol):
    """A way to get a file onto the target of a console."""

    def __call__(
        self, console: RunsCommands, file: Path, to: str, *, within_s: float
    ) -> None:
        """Copy ``file`` to ``to``, whole or not at all; ``BenchFault`` if not."""
        ...


def copy_typed(
    console: RunsCommands, file: Path, to: str, *, within_s: float = COPY_WITHIN_S
) -> None:
    """Copy a file over the console itself, as text, piece by piece.

    Raises:
        BenchFault: it did not arrive: no room, no such folder, no permission, ...
    """
    data = file.read_bytes()
    deadline = Deadline(within_s)
    part = quoted(f"{to}.part")
    _expect_well(console, file, to, f": > {part}")
    for start in range(0, len(data), _PIECE_BYTES):
        if deadline.passed():
            raise _not_copied(
                console, file, to, f"{start} of {len(data)} bytes in {within_s:g} s"
            )
        text = base64.b64encode(data[start : start + _PIECE_BYTES]).decode()
        _expect_well(console, file, to, f"printf %s {text} | base64 -d >> {part}")
    _put_in_place(console, file, to, data)


def copy_piped(
    console: RunsCommands,
    argv: Sequence[str],
    file: Path,
    to: str,
    *,
    within_s: float = COPY_WITHIN_S,
) -> None:
    """Copy a file through ``argv``, whose standard input becomes ``TO.part``.

    Raises:
        BenchFault: it did not arrive.
    """
    with file.open("rb") as source:
        process = spawn(
            argv,
            stdin=source.fileno(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
    try:
        said, _ = process.communicate(timeout=within_s)
    except subprocess.TimeoutExpired:
        raise _not_copied(console, file, to, f"not within {within_s:g} s") from None
    finally:
        stop(process)
        if process.stdout is not None:
            process.stdout.close()
    if process.returncode:
        console.run(f"rm -f {quoted(f'{to}.part')}")
        raise _not_copied(console, file, to, output.tail(said))
    _put_in_place(console, file, to, file.read_bytes())


def _put_in_place(console: RunsCommands, file: Path, to: str, data: bytes) -> None:
    """Compare what has arrived, and only then give it its name."""
    part = quoted(f"{to}.part")
    digest = hashlib.sha256(data).hexdigest()
    arrived = _expect_well(console, file, to, f"sha256sum < {part}")
    if not arrived.startswith(digest):
        console.run(f"rm -f {part}")
        raise _not_copied(console, file, to, "it arrived damaged (SHA-256 differs)")
    mode = "755" if file.stat().st_mode & 0o100 else "644"
    there = quoted(to)
    if console.run(f"[ -d {there} ]").status == 0:
        console.run(f"rm -f {part}")
        raise _not_copied(console, file, to, "that is a folder; name a file in it")
    _expect_well(console, file, to, f"chmod {mode} {part} && mv -f {part} {there}")


def _expect_well(console: RunsCommands, file: Path, to: str, command: str) -> str:
    """Run a step; after one that fails nothing of the copy is left."""
    result = console.run(command)
    # What a pipe returns is its last command's: base64 says so if there is no room.
    if result.status:
        console.run(f"rm -f {quoted(f'{to}.part')}")
        raise _not_copied(console, file, to, output.tail(result.output))
    return result.text


def _not_copied(console: RunsCommands, file: Path, to: str, why: str) -> BenchFault:
    return BenchFault(
        f"{file.name} was not copied to {console.location}, as {to}: {why}"
    )
