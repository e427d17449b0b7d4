"""What happened at a desk: an append-only file in which each line seals those before.

A line is a JSON table with ``number``, ``at`` (UTC), ``kind`` and ``data``; ``sealed``
is the SHA-256 of the line before and this one. Whoever knows the number and seal of the
last line, which the desk keeps elsewhere, sees a changed, cut or exchanged file.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_embedbench.clock import host_stamp
from pytest_embedbench.errors import BenchFault

if TYPE_CHECKING:
    from pathlib import Path

_FIRST_SEAL = "0" * 64


@dataclass(frozen=True, slots=True)
class Seal:
    """How far a record goes: the number of its lines, and the seal of the last."""

    count: int = 0
    digest: str = _FIRST_SEAL


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedEvent:
    """One line: what happened, and when."""

    number: int
    at: str
    kind: str
    data: dict[str, Any]


class Record:
    """A record that is being written.

    Raises:
        BenchFault: there is one already, or it cannot be written.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self.seal = Seal()
        self._written = hashlib.sha256()
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.open("xb").close()
        except FileExistsError:
            raise BenchFault(
                f"{file}: is there already: a desk has a new record"
            ) from None
        except OSError as error:
            raise BenchFault(f"{file}: no record here: {error.strerror}") from error

    def append(self, kind: str, **data: object) -> Seal:
        """Write one line, on the disk before this returns.

        Raises:
            BenchFault: it cannot be written, or the file is not as we left it.
        """
        self._insist()
        number = self.seal.count + 1
        entry = {"number": number, "at": host_stamp(), "kind": kind, "data": data}
        sealed = _sealed(self.seal.digest, entry)
        line = (json.dumps(entry | {"sealed": sealed}) + "\n").encode()
        try:
            _add_whole(self.file, line)
        except OSError as error:
            raise _not_there(self.file, error) from error
        self._written.update(line)
        self.seal = Seal(number, sealed)
        return self.seal

    def _insist(self) -> None:
        """Insist that the file is what we wrote, to the byte.

        Raises:
            BenchFault: it is not.
        """
        try:
            found = hashlib.sha256(self.file.read_bytes()).digest()
        except OSError as error:
            raise _not_there(self.file, error) from error
        if found != self._written.digest():
            check_record(self.file, self.seal)  # which says what is wrong with it
            raise BenchFault(f"{self.file}: somebody changed the record")


def read_record(file: Path) -> tuple[list[RecordedEvent], Seal]:
    """Return the lines of a record and how far it goes.

    Raises:
        BenchFault: it cannot be read, or a line does not fit those before it.
    """
    try:
        lines = file.read_bytes().splitlines()
    except OSError as error:
        raise _not_there(file, error) from error
    entries: list[RecordedEvent] = []
    seal = Seal()
    for number, line in enumerate(lines, start=1):
        try:
            table: dict[str, Any] = json.loads(line)
            sealed = table.pop("sealed")
            fits = table["number"] == number and sealed == _sealed(seal.digest, table)
            entries.append(RecordedEvent(**table))
        except (ValueError, KeyError, TypeError, AttributeError):
            fits, sealed = False, ""
        if not fits:
            raise BenchFault(
                f"{file}:{number}: does not fit the lines before it: somebody changed "
                "the record, and what it says is worth nothing"
            )
        seal = Seal(number, sealed)
    return entries, seal


def check_record(file: Path, expected: Seal) -> None:
    """Insist that a record goes just as far as the desk says.

    Raises:
        BenchFault: it was cut, exchanged or changed.
    """
    _, found = read_record(file)
    if found != expected:
        raise BenchFault(
            f"{file}: has {found.count} lines where the desk wrote {expected.count}: "
            "somebody cut or exchanged the record, and what it says is worth nothing"
            if found.count != expected.count
            else f"{file}: is not the record that the desk wrote: somebody exchanged it"
        )


def _add_whole(file: Path, data: bytes) -> None:
    """Add to a file, on the disk; if that fails, nothing of it is left there."""
    with file.open("ab", buffering=0) as out:
        begin = out.tell()
        try:
            left = memoryview(data)
            while left:
                left = left[out.write(left) :]
            os.fsync(out.fileno())
        except OSError:
            out.truncate(begin)
            raise


def _not_there(file: Path, error: OSError) -> BenchFault:
    return BenchFault(f"{file}: {error.strerror}: it is the record")


def _sealed(before: str, entry: dict[str, Any]) -> str:
    words = json.dumps(entry, sort_keys=True)
    return hashlib.sha256(f"{before}\n{words}".encode()).hexdigest()
