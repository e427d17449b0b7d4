"""Taking what is in a workspace, while whoever works in it may be changing it."""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.campaign.unfollowed import content, names_in, opened
from pytest_embedbench.grading.edit_surface.files import (
    MAX_SOURCE_BYTES,
    NOT_BUILT,
    could_build,
    is_ignored,
    no_regular_file,
)
from pytest_embedbench.support.shown import shown

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Mapping
    from pathlib import Path

_MOST_ENTRIES = 20_000
_DEEPEST = 40


@dataclass(slots=True)
class Taken:
    """The edit surface as it was found, and what is wrong with the rest.

    ``offences`` begin with the file each: anything outside of the surface that is not
    as it was handed out, and any file of the surface that is none.
    """

    surface: dict[str, bytes] = field(default_factory=dict[str, bytes])
    offences: list[str] = field(default_factory=list[str])


def take(
    workspace: Path,
    given: Mapping[str, bytes],
    surface: Collection[str],
    ignored: Collection[str] = (),
) -> Taken:
    """Read the edit surface of a workspace, and compare all else with ``given``.

    Folders that are never built, and hidden ones, are an agent's own: not looked into.
    What was not handed out is wrong if it could be built, and is not ``ignored``.
    """
    return _Taking(given, frozenset(surface), ignored).of(workspace)


class _Taking:
    def __init__(
        self,
        given: Mapping[str, bytes],
        surface: frozenset[str],
        ignored: Collection[str],
    ) -> None:
        self._given, self._surface, self._ignored = given, surface, ignored
        self._taken = Taken()
        self._entries = 0
        self._seen: set[str] = set()

    def of(self, workspace: Path) -> Taken:
        try:
            with opened(workspace) as folder:
                self._walk(folder, "", 0)
        except OSError as error:
            self._offence(".", f"the workspace cannot be read: {error.strerror}")
            return self._taken
        if self._entries <= _MOST_ENTRIES:  # else not everything was looked at
            self._miss()
        self._taken.offences.sort()
        return self._taken

    def _miss(self) -> None:
        for name in sorted(self._given.keys() - self._seen - self._surface):
            if not self._is_aside(name):
                self._offence(name, "was handed out, and is gone")

    def _walk(self, folder: int, inside: str, depth: int) -> None:
        for name in names_in(folder, _MOST_ENTRIES + 1):
            self._entries += 1
            if self._entries > _MOST_ENTRIES:
                if self._entries == _MOST_ENTRIES + 1:
                    self._offence(".", f"holds more than {_MOST_ENTRIES} files")
                return
            path = f"{inside}{name}"
            # It may be gone by now: then it is as if it had never been there.
            with suppress(FileNotFoundError):
                self._look_at(folder, name, path, depth)

    def _look_at(self, folder: int, name: str, path: str, depth: int) -> None:
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        if stat.S_ISDIR(mode) and not self._is_a_files(path):
            if self._is_aside(f"{path}/"):
                return
            if depth == _DEEPEST:
                self._offence(path, f"lies deeper than {_DEEPEST} folders")
                return
            with self._reported(path), opened(name, folder) as inner:
                self._walk(inner, f"{path}/", depth + 1)
        elif self._concerns(path) or self._could_be_built(path, mode):
            self._seen.add(path)
            self._read(folder, name, path)

    def _read(self, folder: int, name: str, path: str) -> None:
        with self._reported(path):
            mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
            words = no_regular_file(mode)
            if words:
                self._offence(path, words)
                return
            found = content(name, folder, MAX_SOURCE_BYTES + 1)
            if found is None:
                self._offence(path, "is no regular file")
            elif len(found) > MAX_SOURCE_BYTES:
                words = f"has more than {MAX_SOURCE_BYTES} bytes"
                self._offence(path, words)
            elif path in self._surface:
                self._taken.surface[path] = found
            elif path not in self._given:
                self._offence(path, "was not handed out, and could be built")
            elif found != self._given[path]:
                self._offence(path, "was changed, and is not yours to change")

    def _concerns(self, path: str) -> bool:
        """Say whether a path is of the surface, or was handed out."""
        return path in self._surface or (
            path in self._given and not self._is_aside(path)
        )

    def _could_be_built(self, path: str, mode: int) -> bool:
        name = path.rpartition("/")[2]
        may = stat.S_ISLNK(mode) or could_build(name)
        return may and not is_ignored(path, self._ignored)

    def _is_a_files(self, path: str) -> bool:
        return path in self._surface or path in self._given

    def _is_aside(self, path: str) -> bool:
        *folders, _ = path.split("/")
        return any(each in NOT_BUILT or each.startswith(".") for each in folders)

    def _offence(self, path: str, words: str) -> None:
        self._taken.offences.append(f"{shown(path)}: {words}")

    @contextmanager
    def _reported(self, path: str) -> Generator[None]:
        try:
            yield
        except FileNotFoundError:
            raise
        except OSError as error:  # a link in a folder's place, rights, a name too long
            self._offence(path, f"cannot be read: {error.strerror}")
