"""Which object files of the last build the next one may use, and what a build has read.

SCons sees a part of what a compiler reads: no header that a macro names, nothing that
the assembler takes in. So an object stays only if every file in the compiler's own list
is what it was, and what is linked is linked again.
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from pytest_embedbench.builders.platformio.reads import asks_by_macro, read_notes
from pytest_embedbench.digests import ABSENT, file_digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_embedbench.builders.platformio.reads import Reads
    from pytest_embedbench.builders.platformio.scratch import Scratch

_OBJECTS = ".o"
_CHANGED = "changed while it was read"
"""No file's digest: nothing that was built of it is found again."""
_OF_SCONS = (".sconsign", "project.checksum")


class _Memory(TypedDict):
    surroundings: str
    program: str
    scripts: bool
    objects: dict[str, list[str]]
    """Its own digest, then the files that it was made of."""
    digests: dict[str, str]
    sought: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildInputs:
    """What a build has read beyond its fingerprint, as a ``FirmwareImage`` says it."""

    inputs: Mapping[str, str] = field(default_factory=dict[str, str])
    untold: str = ""


@dataclass(frozen=True, slots=True)
class KnownObjects:
    """What is known of the object files in one scratch place as a build begins.

    ``surroundings`` is a digest of all but the contents of files: names, tools,
    variables.
    """

    scratch: Scratch
    packages: Path
    """Where PlatformIO has installed what it builds with."""
    surroundings: str
    kept: Mapping[str, frozenset[str]]
    sought: frozenset[str]
    """What was looked for when those were made."""
    started_ns: int

    def remember(self) -> BuildInputs:
        """Note what the build that has ended was made of, and return it."""
        reads = read_notes(self.scratch.reads, self.packages)
        objects = {
            path: read
            for path, read in chain(self.kept.items(), reads.objects.items())
            if os.path.isfile(path)  # noqa: PTH113  # hundreds of objects
        }
        read = set[str]().union(*objects.values())
        inputs = self._inputs(reads, objects, read | reads.linked)
        digests = {path: file_digest(path) for path in read}
        sought = [path for path, digest in inputs.inputs.items() if digest == ABSENT]
        memory: _Memory = {
            "surroundings": self.surroundings,
            "program": self.scratch.program(),
            "scripts": bool(reads.untold),
            "objects": {path: [file_digest(path), *objects[path]] for path in objects},
            "digests": digests,
            "sought": sought,
        }
        if not self._changed_meanwhile(read):
            self.scratch.memory.write_text(json.dumps(memory), encoding="utf-8")
        return inputs

    def _inputs(
        self, reads: Reads, objects: Mapping[str, object], read: Iterable[str]
    ) -> BuildInputs:
        outside = dict(self._outside(read))
        files = {path: file_digest(path) for path in outside.values()}
        files |= {outside[path]: _CHANGED for path in self._changed_meanwhile(read)}
        sought = self.sought.union(dict(self._outside(reads.sought)).values())
        absent = {path: ABSENT for path in sought if not os.path.exists(path)}  # noqa: PTH110
        untold = "; ".join(chain(reads.untold, self._untold(reads, objects, read)))
        return BuildInputs(inputs=absent | files, untold=untold)

    def _untold(
        self, reads: Reads, objects: Mapping[str, object], read: Iterable[str]
    ) -> Iterator[str]:
        if not reads.links:
            yield "a linker that does not tell what it reads"
        for file in _files(self.scratch.objects):
            if file.endswith(_OBJECTS) and file not in objects:
                yield f"what made {Path(file).name}, which does not tell"
        for path in filter(asks_by_macro, read):
            yield f"{path}, which looks for files by a macro"

    def _outside(self, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield files that are not of the scratch place, and where they are without."""
        ours = tuple(f"{folder}/" for folder in self.scratch.project.outside)
        root = str(self.scratch.root)
        real_root = os.path.realpath(root)
        for path in paths:
            if path.startswith(ours):  # the fingerprint has all of it
                continue
            if not path.startswith((f"{root}/", f"{real_root}/")):
                yield path, path
            elif not os.path.realpath(path).startswith(f"{real_root}/"):
                yield path, self.scratch.in_the_checkout(path)

    def _changed_meanwhile(self, paths: Iterable[str]) -> list[str]:
        return [
            path
            for path, _ in self._outside(paths)
            if os.stat(path).st_ctime_ns > self.started_ns  # noqa: PTH116
        ]


def known_objects(scratch: Scratch, packages: Path, surroundings: str) -> KnownObjects:
    """Leave of the last build only what the next one may use, and say what that is."""
    memory = _recall(scratch, surroundings)
    scratch.memory.unlink(missing_ok=True)
    kept: dict[str, frozenset[str]] = {}
    sought = frozenset(memory["sought"] if memory else ())
    if memory is None:
        shutil.rmtree(scratch.objects, ignore_errors=True)
    else:
        digests = memory["digests"]
        same = {path for path in digests if file_digest(path) == digests[path]}
        for path, (digest, *read) in memory["objects"].items():
            if same.issuperset(read) and file_digest(path) == digest != ABSENT:
                kept[path] = frozenset(read)
        program = os.path.splitext(memory["program"])[0]  # noqa: PTH122
        for file in _files(scratch.objects):
            is_object = file.endswith(_OBJECTS)
            is_program = os.path.splitext(file)[0] == program  # noqa: PTH122
            by_scripts = memory["scripts"] and not Path(file).name.startswith(_OF_SCONS)
            if file not in kept and (is_object or is_program or by_scripts):
                Path(file).unlink()
    scratch.lock.touch()
    started_ns = scratch.lock.stat().st_mtime_ns
    return KnownObjects(scratch, packages, surroundings, kept, sought, started_ns)


def _recall(scratch: Scratch, surroundings: str) -> _Memory | None:
    """Return what is remembered, if all but the contents of files is as it was."""
    try:
        memory: _Memory = json.loads(scratch.memory.read_bytes())
    except (OSError, ValueError):
        return None
    if memory["surroundings"] != surroundings:
        return None
    return None if any(map(os.path.exists, memory["sought"])) else memory


def _files(folder: Path) -> Iterator[str]:
    for here, _, names in os.walk(folder):
        yield from (f"{here}/{name}" for name in names)
