"""What a build has read, in the words of its compilers, assemblers and linkers.

``platforms/watch_build.py`` runs inside PlatformIO and leaves a note of each command,
with the lists that it made: ``N.d`` by the preprocessor, ``N.as`` by the assembler
(``.incbin``), ``N.ld`` by the linker (scripts, libraries, and what it looked for).
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

_UNTOLD = "untold"
_ENTRY = re.compile(r"(?:\\.|[^\s\\])+")
_ESCAPED = re.compile(r"\\(.)")
_TRIED = re.compile(r"attempt to open (.+) (succeeded|failed)$", re.MULTILINE)
_SCRIPT = re.compile(r"^opened script file (.+)$", re.MULTILINE)
_SEARCHED = re.compile(r"-(?:I|isystem|iquote|idirafter|iwithprefixbefore)(.*)")
_ASKED = re.compile(rb"__has_(?:include|embed)(?:_next)?[ \t]*\([ \t]*(.[^>\"\n]*)")
_SYSTEM = ("/usr/", "/lib/", "/opt/")
"""Headers there ask for each other, and come and go as packages do."""
_ROOT = re.compile(r"include(-fixed)?|[\d.]+")
_OF_THE_HOST = "/usr/local/include"
"""Where a host's compiler looks before it looks in ``/usr/include``."""


@dataclass(frozen=True, slots=True)
class Reads:
    """What the notes of a build say.

    ``objects`` maps each object file to the files that it was made of; ``linked`` are
    files that other commands have read. ``sought`` was looked for and not there, so it
    would be read if it were. ``untold`` says why there may be more.
    """

    objects: dict[str, frozenset[str]]
    linked: set[str]
    sought: set[str]
    untold: list[str]
    links: int


def read_notes(folder: Path, packages: Path) -> Reads:
    """Return what the notes in ``folder`` say; commands that failed are left out.

    Nothing is sought in ``packages``: those are known by their versions, and a
    framework has too many folders to look for each header in each.
    """
    objects: dict[str, frozenset[str]] = {}
    linked: set[str] = set()
    sought: set[str] = set()
    untold = _lines(folder / _UNTOLD)
    links = 0
    for file in sorted(folder.glob("*.json")):
        command = _Command(file, **json.loads(file.read_bytes()))
        if command.ended != 0:
            continue
        linked |= command.named
        if command.kind in {"compile", "assemble"}:
            read = command.read()
            if read is not None:
                objects[command.target] = read
                sought |= set(command.sought(read, f"{packages}/"))
        elif command.kind == "link":
            tried = _TRIED.findall(command.list("ld"))
            links += bool(tried)
            for path, how in tried:
                (linked if how == "succeeded" else sought).add(command.absolute(path))
            linked |= {
                command.absolute(path) for path in _SCRIPT.findall(command.list("ld"))
            }
    linked = {path for path in linked if os.path.isfile(path)}  # noqa: PTH113
    return Reads(objects, linked, sought, untold, links)


@dataclass(frozen=True)
class _Command:
    """One command: its words, the folder that it ran in, how it ended."""

    file: Path
    kind: str
    words: Sequence[str]
    folder: str
    ended: int

    def list(self, kind: str) -> str:
        path = self.file.with_suffix(f".{kind}")
        return path.read_text(errors="surrogateescape") if path.is_file() else ""

    def absolute(self, path: str) -> str:
        return os.path.join(self.folder, path)  # noqa: PTH118  # `..` stays

    @property
    def target(self) -> str:
        return self.absolute(self.words[self.words.index("-o") + 1])

    @cached_property
    def named(self) -> set[str]:
        """Files that the command names: ``-include x``, ``@x``, ``--specs=x``, ..."""
        found = set[str]()
        for word in self.words[1:]:
            parts = re.split(r"[=,@]", word)
            for part in {word, word[2:], *parts}:
                path = self.absolute(part)
                if part and os.path.isfile(path):  # noqa: PTH113
                    found.add(path)
        if "-o" in self.words:
            found.discard(self.target)
        return found

    def read(self) -> frozenset[str] | None:
        """Return what the command read; nothing if it does not tell."""
        if "-o" not in self.words:
            return None
        told = self._told_by_the_preprocessor()
        assembled = _dependencies(self.list("as"))
        if told is None or assembled is None:
            return None
        files = {self.absolute(path) for path in (*told, *assembled)}
        # What the compiler hands to the assembler is gone by now.
        here = {path for path in files if os.path.isfile(path)}  # noqa: PTH113
        gone = {self.absolute(path) for path in told} - here
        return None if gone else frozenset(here | self.named)

    def _told_by_the_preprocessor(self) -> Sequence[str] | None:
        if self.kind == "assemble" or any(word.endswith(".s") for word in self.words):
            return ()
        asked = any(word.startswith(("-MD", "-MMD", "-MF")) for word in self.words)
        if not asked:
            # GCC leaves the file itself out: of one that includes nothing, the list
            # is there and empty, unless its compiler includes one for every file.
            alone = self.file.with_suffix(".d").is_file() and not self.list("d")
            return () if alone else _dependencies(self.list("d"))
        place = os.path.splitext(self.target)[0] + ".d"  # noqa: PTH122
        if "-MF" in self.words:
            place = self.absolute(self.words[self.words.index("-MF") + 1])
        try:
            with open(place, errors="surrogateescape") as file:  # noqa: PTH123
                return _dependencies(file.read())
        except OSError:
            return None

    def sought(self, read: Iterable[str], packages: str) -> Iterator[str]:
        """Yield what would have been read in place of ``read``, were it there.

        Of a whole folder that is not there, that folder. What stands beside the file
        that includes it is never looked for anywhere else.
        """
        searched = [s for s in self._searched() if not s.startswith(packages)]
        names = {name for path in read for name in _asked(path)}
        for path in read:
            starts = (s for s in searched if path.startswith(f"{s}/"))
            for start in (*starts, *_roots(path)):
                names.add(path[len(start) + 1 :])
        if "-" not in os.path.basename(self.words[0]):  # noqa: PTH119
            searched.append(_OF_THE_HOST)
        for folder in searched:
            for name in names:
                absent = _first_absent(folder, name)
                if absent is not None:
                    yield absent

    def _searched(self) -> Iterator[str]:
        words = iter(self.words)
        for word in words:
            if match := _SEARCHED.fullmatch(word):
                yield self.absolute(match[1] or next(words, "")).rstrip("/")


def _roots(path: str) -> Iterator[str]:
    """Yield the folders above a header that its compiler may know by itself."""
    parts = path.split("/")
    for index, part in enumerate(parts[:-1]):
        if _ROOT.fullmatch(part) or parts[index - 1] == "include":
            yield "/".join(parts[: index + 1])


def _first_absent(folder: str, name: str) -> str | None:
    path = folder
    for part in name.split("/"):
        path = f"{path}/{part}"
        if not os.path.exists(path):  # noqa: PTH110
            return path
    return None


def asks_by_macro(path: str) -> bool:
    """Say whether a file asks for files whose names only the preprocessor knows."""
    asked = _ASKED.findall(_text(path))
    return any(not name.startswith((b"<", b'"')) for name in asked)


def _asked(path: str) -> set[str]:
    """Return what a file asks for with ``__has_include``, there or not."""
    found = _ASKED.findall(_text(path))
    return {name[1:].decode(errors="surrogateescape") for name in found}


def _text(path: str) -> bytes:
    if path.startswith(_SYSTEM):
        return b""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return file.read()
    except OSError:
        return b""


def _dependencies(rules: str) -> list[str] | None:
    """Return what stands behind the colons of a make file's rules; None of no rule."""
    found: list[str] = []
    seen = False
    for rule in rules.replace("\\\n", " ").splitlines():
        _, colon, words = rule.partition(": ")
        seen |= bool(colon) or rule.endswith(":")
        entries = (word.replace("$$", "$") for word in _ENTRY.findall(words))
        found.extend(_ESCAPED.sub(r"\1", word) for word in entries)
    return found if seen else None


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.is_file() else []
