"""Digests of files, and what else comes of files; none is read again for nothing."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from pytest_embedbench.clock import wall_now_ns

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping
    from pathlib import Path

ABSENT = ""
"""The digest of no file."""
_SETTLED_NS = 2_000_000_000
"""How much older than a reading a change has to be: file systems' clocks are coarse."""
_known: dict[str, tuple[tuple[int, ...], str]] = {}
_GONE = (0,)
"""The stamp of what is not there."""
_Stamps = dict[str, tuple[int, ...]]
_KnownT = TypeVar("_KnownT")


@dataclass(slots=True)
class Memo(Generic[_KnownT]):
    """Answers by what was asked, each with the stamps of all that it came from."""

    recalled: int = 0
    _known: dict[Hashable, tuple[_Stamps, Mapping[str, str], _KnownT]] = field(
        default_factory=dict["Hashable", "tuple[_Stamps, Mapping[str, str], _KnownT]"]
    )

    def recall(self, asked: Hashable) -> _KnownT | None:
        """Return what was remembered, if all that it came from is what it was."""
        if asked not in self._known:
            return None
        stamps, variables, known = self._known[asked]
        if variables != _variables():
            return None
        for path, at in stamps.items():
            if _stamp(path) != at:
                return None
        self.recalled += 1
        return known

    def remember(
        self, asked: Hashable, known: _KnownT, paths: Iterable[str], now_ns: int
    ) -> None:
        """Remember what was begun at ``now_ns``, unless what it is of is too fresh."""
        stamps = {path: _stamp(path) for path in paths}
        if all(at == _GONE or is_settled(at, now_ns) for at in stamps.values()):
            self._known[asked] = (stamps, _variables(), known)


def file_digest(path: str | Path) -> str:
    """Return the SHA-256 of a file in hex; ``ABSENT`` if there is none.

    A file whose inode, size and times are those of an earlier reading is not read
    again. Nobody can set the time of a file's last change back, and one that was
    changed just before it was read is not remembered.
    """
    name = os.fspath(path)
    now_ns = wall_now_ns()
    try:
        before = stamp(name)
        if name in _known and _known[name][0] == before:
            return _known[name][1]
        with open(name, "rb") as file:  # noqa: PTH123  # thousands of files
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return ABSENT
    if is_settled(before, now_ns):
        _known[name] = (before, digest)
    return digest


def stamp(path: str | Path) -> tuple[int, ...]:
    """Return what cannot stay the same when a file, or a folder's list, changes."""
    at = os.stat(path)  # noqa: PTH116  # thousands of files
    return (at.st_ctime_ns, at.st_mtime_ns, at.st_size, at.st_ino, at.st_dev)


def is_settled(stamped: tuple[int, ...], now_ns: int) -> bool:
    """Say whether a change after ``now_ns`` is sure to give another stamp."""
    return stamped[0] < now_ns - _SETTLED_NS


def _variables() -> dict[str, str]:
    variables = dict(os.environ)
    variables.pop("PYTEST_CURRENT_TEST", None)
    return variables


def _stamp(path: str) -> tuple[int, ...]:
    try:
        return stamp(path)
    except OSError:
        return _GONE
