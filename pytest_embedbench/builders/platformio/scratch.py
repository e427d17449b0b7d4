"""The folders in which one project and environment is built, over and over."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from pytest_embedbench.builders.platformio import unit_tests
from pytest_embedbench.builders.platformio.generated import (
    GeneratedFiles,
    is_written_into,
    may_be_generated,
)
from pytest_embedbench.builders.platformio.seeding import seed_libraries
from pytest_embedbench.builders.platformio.staging import sync
from pytest_embedbench.builders.platformio.surroundings import (
    lend_history,
    link_folders,
    link_the_rest,
    mirror,
    move_workspace_into,
    plain_name,
    plain_parts,
)
from pytest_embedbench.model import Isolation

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

    from pytest_embedbench.builders.platformio.project import Project
    from pytest_embedbench.model import FirmwareSource


_TREES, _WORKSPACE, _HISTORY, _LOCK = "trees", "workspace", "git", "lock"
_LIBRARIES = ("lib", "Framework")
_BUILT_WITH = "built-with"
_LINKED = re.compile(r"\S*/cc\w{6}\.(ltrans\d+)\.ltrans(?=\.o)")
"""What a linker that optimises calls a part of the program: by chance, in ``/tmp``."""
_KEPT_NS = 30 * 24 * 3600 * 1_000_000_000


@dataclass(frozen=True, slots=True)
class Scratch:
    """One place per project and environment, so that an edit stays a small build."""

    root: Path
    project: Project

    @property
    def tree(self) -> Path:
        """Where the copy lies, and as much of what is above it as it reaches for."""
        return self.root / _TREES / str(self.project.levels)

    @property
    def stage(self) -> Path:
        """Where the copy of the project lies."""
        project = self.project
        inner = plain_parts(project.source.project_dir, project.levels)
        return self.tree.joinpath(*inner)

    @property
    def workspace(self) -> Path:
        """Where PlatformIO puts object files and libraries: a link into the copy."""
        return self.root / _WORKSPACE

    @property
    def objects(self) -> Path:
        """Where object files and programs are, by environment."""
        return self.workspace / "build"

    @property
    def libraries(self) -> Path:
        """Where PlatformIO keeps the libraries that an environment has asked for."""
        return self.workspace / "libdeps" / self.project.source.environment

    @property
    def reads(self) -> Path:
        """Where each command of a build notes what it reads."""
        return self.workspace / "reads"

    @property
    def memory(self) -> Path:
        """Where it is kept what the object files were made of."""
        return self.root / "objects.json"

    @property
    def lock(self) -> Path:
        """What whoever builds here holds."""
        return self.root / _LOCK

    @property
    def report(self) -> Path:
        """Where the build writes what it is about to make."""
        return self.root / "report.json"

    @property
    def recipes(self) -> Path:
        """Where it is kept what builds have run."""
        return self.root / "recipes"

    def arguments(self) -> list[str]:
        """Return what ``pio`` is told to build, and no more."""
        if self.project.source.test_suite:
            return unit_tests.arguments(self.project.source, self.stage)
        ini, environment = self.project.ini, self.project.source.environment
        arguments = ["run", "-d", str(self.stage), "-e", environment]
        if ini.option(environment, "targets"):
            # Or a plain build would do what they say: upload, for one.
            is_native = ini.option(environment, "platform").startswith("native")
            arguments += ["-t", "checkprogsize" if is_native else "buildprog"]
        return arguments

    @contextlib.contextmanager
    def filled(self) -> Generator[None]:
        """Have the copy; of somebody else's sources nothing stays."""
        foreign = self.project.source.isolation is not Isolation.NONE
        if foreign:  # what a build left that was killed
            self._forget()
        self.fill()
        try:
            yield
        finally:
            if foreign:
                self._forget()

    def _forget(self) -> None:
        """Remove what was laid over the project, and all that was made of it.

        What was made of frameworks and libraries stays, for the next build.
        """
        for path in self.project.source.overlay:
            (self.stage / path).unlink(missing_ok=True)
        self.forget_made()

    def forget_made(self) -> None:
        """Remove what a build has made, but for what it made of libraries."""
        build = self.objects / self.project.source.environment
        for entry in build.iterdir() if build.is_dir() else ():
            if entry.is_dir() and not entry.name.startswith(_LIBRARIES):
                shutil.rmtree(entry, ignore_errors=True)
            elif entry.is_file() and not entry.name.startswith("."):
                entry.unlink()

    def fill(self) -> None:
        """Make the copy what the project is now, and forget the last build's report."""
        self.report.unlink(missing_ok=True)
        move_workspace_into(self.stage, self.workspace)
        self._forget_copied_libraries()
        seed_libraries(self.project.libraries, self.libraries)
        # Made once, for the speed of that day.
        built = self.objects / self.project.source.environment
        shutil.rmtree(built / "unity_config", ignore_errors=True)
        if self.project.source.parts:
            inner = self.stage.relative_to(self.tree)
            files = self.project.files.items()
            sync({os.path.normpath(inner / path): f for path, f in files}, self.tree)
            return
        project_dir = self.project.source.project_dir
        mirror(project_dir, self.project.levels, self.tree)
        links = self.project.links
        linked = tuple(f"{name}/" for name in links)
        files = self.project.files.items()
        copied = {path: file for path, file in files if not path.startswith(linked)}
        sync(copied, self.stage, self._kept())
        link_folders(links, project_dir, self.stage)
        link_the_rest(project_dir, self.stage, links)
        lend_history(project_dir, self.stage, self.root / _HISTORY)

    def note_settings(self) -> None:
        """Remember what the files belong to that a framework has written here."""
        if self._is_written_into:
            GeneratedFiles(self.root).note(self.project.files)

    def _kept(self) -> Callable[[str], bool]:
        """Return what of the last build's own files stays, by path in the project."""
        generated = GeneratedFiles(self.root)
        current = self._is_written_into and generated.are_current(self.project.files)
        generated.forget()  # until this build has gone well, too
        return may_be_generated if current else lambda _name: False

    @property
    def _is_written_into(self) -> bool:
        source = self.project.source
        frameworks = self.project.ini.option(source.environment, "framework")
        return source.isolation is Isolation.NONE and is_written_into(frameworks)

    def _forget_copied_libraries(self) -> None:
        """Have libraries copied anew that PlatformIO copies once, and never again."""
        for about in self.workspace.glob("libdeps/*/*/.piopm"):
            if '"file://' in about.read_text(encoding="utf-8"):
                shutil.rmtree(about.parent)

    def program(self) -> str:
        """Return the path of the program that the last build was about to make."""
        if not self.report.is_file():
            return ""
        report: dict[str, str] = json.loads(self.report.read_text(encoding="utf-8"))
        return report["program"]

    def in_the_checkout(self, path: str) -> str:
        """Return where something is that a build has reached through the copy."""
        before, up, below = path.rpartition("/../")
        if up:  # of a link it is that of its target
            path = str(Path(os.path.realpath(f"{before}/.."), below))
        project_dir = self.project.source.project_dir
        names = project_dir.parts[len(project_dir.parts) - self.project.levels :]
        plain = self.stage.relative_to(self.tree).parts
        tree = self.tree if path.startswith(str(self.tree)) else self.tree.resolve()
        if not Path(path).is_relative_to(tree):
            return path
        real = Path(*project_dir.parts[: len(project_dir.parts) - self.project.levels])
        parts = list(Path(os.path.normpath(path)).relative_to(tree).parts)
        for name, instead in zip(plain, names, strict=True):
            if parts[:1] != [name]:
                break
            real, parts = real / instead, parts[1:]
        return str(real.joinpath(*parts))

    def has_built_with(self, core_dir: Path) -> bool:
        """Say whether a build with that core directory has gone well here."""
        note = self.root / _BUILT_WITH
        return note.is_file() and note.read_text(encoding="utf-8") == str(core_dir)

    def note_built_with(self, core_dir: Path) -> None:
        """Remember that a build with that core directory has gone well here."""
        (self.root / _BUILT_WITH).write_text(str(core_dir), encoding="utf-8")

    def in_the_projects_words(self, lines: Iterable[str]) -> list[str]:
        """Return ``lines`` with the paths that the project's author knows."""
        objects = self.workspace / "build" / self.project.source.environment
        return [
            _LINKED.sub(r"\1", line)
            .replace(f"{self.stage}/", "")
            .replace(f"{objects}/", "")
            for line in lines
        ]


def scratch_name(source: FirmwareSource) -> str:
    """Return a short name for a project and environment, unlike all others.

    All suites of its unit tests share one, apart from the firmware's: most of what
    they are built of is the same.
    """
    root = source.project_dir.resolve()
    tests = ("tests",) if source.test_suite else ()
    what = "\n".join((str(root), source.environment, *tests))
    digest = hashlib.sha256(what.encode()).hexdigest()[:16]
    named = f"{root.name}-{source.environment}"
    return f"{plain_name(named)}-{digest}"


@contextlib.contextmanager
def hold_scratch(root: Path) -> Generator[None]:
    """Be the only one who works in a scratch place; empty those of a month ago."""
    lock = root / _LOCK  # never removed
    with FileLock(lock):
        lock.touch()
        empty_unused(root.parent, lock.stat().st_mtime_ns - _KEPT_NS)
        yield


def empty_unused(builds: Path, before_ns: int) -> set[Path]:
    """Empty the scratch places that nobody has used since; locks stay.

    Returns those; a place that somebody is working in is none of them.
    """
    emptied = set[Path]()
    for root in builds.iterdir() if builds.is_dir() else ():
        lock = root / _LOCK
        try:
            if lock.stat().st_mtime_ns >= before_ns:
                continue
            with FileLock(lock, timeout=0):
                for entry in root.iterdir():
                    if entry.is_dir() and not entry.is_symlink():
                        shutil.rmtree(entry, ignore_errors=True)
                    elif entry != lock:
                        entry.unlink()
        except (FileNotFoundError, NotADirectoryError, Timeout):
            continue
        emptied.add(root)
    return emptied
