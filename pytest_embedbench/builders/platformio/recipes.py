"""The commands of a build that can be run again, for other contents of a submission.

Starting PlatformIO takes longer than compiling a task. What it comes to is a row of
commands, and they are the same as long as nothing but the contents of a submission's
sources is different, and those ask for the same libraries. Then the commands that it
has once run are run again; in any doubt PlatformIO is.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict

from pytest_embedbench.builders.platformio.cores import goes_without_framework
from pytest_embedbench.builders.platformio.includes import libraries_asked_for
from pytest_embedbench.digests import file_digest
from pytest_embedbench.model import Isolation
from pytest_embedbench.support.whole_files import replace_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from pytest_embedbench.builders.platformio.known_objects import KnownObjects
    from pytest_embedbench.builders.platformio.project import Project
    from pytest_embedbench.builders.platformio.scratch import Scratch

_PLATFORMS = frozenset({"native", "atmelavr", "ststm32", "espressif32"})
_FRAMEWORKS = frozenset({"", "arduino"})
"""Those whose scripts, run by PlatformIO, read nothing of a project's sources."""
_SOURCES = (".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".S", ".s")
_ARCHIVER = re.compile(r"(.*-)?(ar|ranlib)")
_STANDING = ("lib", "Framework")
"""How folders begin of what is built of libraries, and stays."""
_MOST = 16
"""Kept of each kind: of a project as it is, and of what is asked for there."""


class RecordedCommand(TypedDict):
    """One command: its note's number and words, and the line that a shell gets."""

    number: int
    kind: str
    words: list[str]
    line: str
    variables: dict[str, str]


class Recipe(TypedDict):
    """All that a build does, once what is built of libraries is there.

    ``standing`` is that, with digests; ``products`` are the files that came of it, and
    ``report`` is what the build said of itself.
    """

    folder: str
    notes: str
    variables: dict[str, str]
    commands: list[RecordedCommand]
    standing: dict[str, str]
    products: list[str]
    report: str


def may_be_replayed(project: Project, core_dir: Path) -> bool:
    """Say whether builds of a project may go without PlatformIO at all.

    ESP-IDF's scripts read sources; a platform of ours may go without them.
    """
    source, ini = project.source, project.ini
    options = {
        name: ini.option(source.environment, name)
        for name in ("platform", "framework", "lib_ldf_mode", "targets", "lib_deps")
    }
    return (
        source.isolation is not Isolation.NONE
        and bool(source.parts and source.overlay)
        and not source.test_suite
        and re.split("[ @]", options["platform"])[0] in _PLATFORMS
        and (
            options["framework"] in _FRAMEWORKS
            or goes_without_framework(core_dir, ini, source.environment)
        )
        and "+" not in options["lib_ldf_mode"]
        and not options["targets"]
        and not options["lib_deps"]
        and not any(name.endswith((".ino", ".pde")) for name in project.files)
    )


def told_by_commands(project: Project) -> frozenset[str]:
    """Return the files whose contents no more than the commands read."""
    overlay = project.source.overlay
    return frozenset(path for path in overlay if path.endswith(_SOURCES))


@dataclass(frozen=True, slots=True)
class Recipes:
    """The recipes of one project in its scratch place; ``key`` is of all but sources.

    That is a fingerprint which leaves out the contents of ``told_by_commands``.
    """

    scratch: Scratch
    key: str
    core_dir: Path

    def fitting(self, known: KnownObjects) -> Recipe | None:
        """Return what builds the project as it is now, if that is known for sure."""
        entries = self._read()
        signature = self._signature(entries.get("searched", ()))
        recipe: Recipe | None = entries.get("recipes", {}).get(signature)
        if recipe is None or recipe["folder"] != str(self.scratch.stage):
            return None
        for path, digest in recipe["standing"].items():
            is_known = path in known.kept or not path.endswith(".o")
            if not is_known or file_digest(path) != digest:
                return None
        return recipe

    def remember(self) -> None:
        """Keep what PlatformIO has just run, if nothing else can have been done."""
        report = self.scratch.report.read_text(encoding="utf-8")
        searched: list[str] = json.loads(report).get("searched", [])
        signature = self._signature(searched)
        recipe = _recipe(self.scratch, report)
        if recipe is None or signature is None:
            return
        recipes: dict[str, Any] = self._read().get("recipes", {})
        recipes.pop(signature, None)
        while len(recipes) >= _MOST:
            del recipes[next(iter(recipes))]
        entries = {"searched": searched, "recipes": {**recipes, signature: recipe}}
        self._forget_old()
        replace_whole(self._file, json.dumps(entries).encode())

    def _signature(self, searched: Iterable[str]) -> str | None:
        project, stage = self.scratch.project, self.scratch.stage
        files = {path: project.files[path] for path in told_by_commands(project)}
        asked = libraries_asked_for(files, stage, searched)
        if asked is None:
            return None
        return hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:32]

    @property
    def _file(self) -> Path:
        how = f"{self.key}-{self.scratch.project.source.isolation.value}"
        digest = hashlib.sha256(f"{how}\n{self.core_dir}".encode()).hexdigest()
        return self.scratch.recipes / f"{digest[:32]}.json"

    def _read(self) -> dict[str, Any]:
        try:
            entries: dict[str, Any] = json.loads(self._file.read_bytes())
        except (OSError, ValueError):
            return {}
        return entries

    def _forget_old(self) -> None:
        folder = self.scratch.recipes
        folder.mkdir(exist_ok=True)
        others = sorted(folder.iterdir(), key=lambda file: file.stat().st_mtime_ns)
        for file in others[: max(0, len(others) - _MOST)]:
            file.unlink()


def _recipe(scratch: Scratch, report: str) -> Recipe | None:
    """Return the commands of the build that has ended, if they are all there was."""
    build = scratch.objects / scratch.project.source.environment
    notes = sorted(scratch.reads.glob("*.json"), key=lambda file: int(file.stem))
    if (scratch.reads / "untold").exists() or not notes:
        return None
    told = [_command_of(file) for file in notes]
    commands = [each for each in told if not _is_of_libraries(each, build)]
    folders = {each["folder"] for each in told}
    program = scratch.program()
    links = [each["words"] for each in commands if each["kind"] == "link"]
    if (
        any(each["ended"] != 0 or not each["line"] for each in told)
        or len(folders) != 1
        or [_target(words) for words in links] != [program]
        or not _all_accounted_for(commands, program, build)
    ):
        return None
    made = {_target(each["words"]) for each in commands if each["kind"] == "compile"}
    objects = [word for word in links[0] if word.startswith(f"{build}/")]
    standing = {path for path in objects if path.endswith((".o", ".a"))} - made
    standing |= {str(path) for path in build.rglob("*.o") if _stays(str(path), build)}
    if not all(map(os.path.isfile, standing)):
        return None
    shared = set[tuple[str, str]].intersection(
        *(set(each["variables"].items()) for each in commands)
    )
    return {
        "folder": folders.pop(),
        "notes": str(scratch.reads),
        "variables": dict(shared),
        "commands": [
            {
                "number": each["number"],
                "kind": each["kind"],
                "words": each["words"],
                "line": each["line"],
                "variables": dict(set(each["variables"].items()) - shared),
            }
            for each in commands
        ],
        "standing": {path: file_digest(path) for path in sorted(standing)},
        "products": [str(path) for path in _products(build)],
        "report": report,
    }


def _command_of(note: Path) -> dict[str, Any]:
    """Return what is known of a command; of one that cannot be repeated, no line."""
    line = note.with_suffix(".line")
    more: dict[str, Any] = {"line": "", "variables": {}}
    if line.is_file():
        more = json.loads(line.read_bytes())
    about: dict[str, Any] = {"number": int(note.stem), **more}
    about |= json.loads(note.read_bytes())
    # Such a file is gone, or there is more to the line than one program's words.
    if not about["words"] or any(word.startswith("@") for word in about["words"]):
        about["line"] = ""
    return about


def _is_of_libraries(command: dict[str, Any], build: Path) -> bool:
    words: list[str] = command["words"]
    if command["kind"] in {"compile", "assemble"}:
        return _stays(_target(words), build)
    name = os.path.basename(words[0]) if words else ""  # noqa: PTH119
    return bool(_ARCHIVER.fullmatch(name)) and any(_stays(w, build) for w in words)


def _stays(path: str, build: Path) -> bool:
    inside = path.removeprefix(f"{build}/")
    return inside != path and "/" in inside and inside.startswith(_STANDING)


def _all_accounted_for(
    commands: Sequence[dict[str, Any]], program: str, build: Path
) -> bool:
    """Say whether all that is linked is there, and all else comes of what is linked."""
    kinds = [each["kind"] for each in commands]
    if "link" not in kinds:
        return False
    at = kinds.index("link")
    made = {_target(each["words"]) for each in commands[:at]}
    linked = [w for w in commands[at]["words"] if w.startswith(f"{build}/")]
    objects = {w for w in linked if w.endswith((".o", ".a"))}
    named = {word for each in commands[at:] for word in each["words"]}
    return (
        {*kinds[:at]} <= {"compile"}
        and {*kinds[at + 1 :]} <= {"other"}
        and all(path in made or _stays(path, build) for path in objects)
        and program in named
        and all(str(path) in named for path in _products(build))
    )


def _products(build: Path) -> list[Path]:
    """Return what a build has left beside folders of objects."""
    files = (path for path in sorted(build.iterdir()) if path.is_file())
    return [path for path in files if not path.name.startswith(".")]


def _target(words: Sequence[str]) -> str:
    return words[words.index("-o") + 1] if "-o" in words[:-1] else ""
