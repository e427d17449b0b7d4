"""The folders in which one project and environment is built, over and over."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from pytest_embedbench.builders.platformio.staging import mirror, sync

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable
    from pathlib import Path

    from pytest_embedbench.builders.platformio.project import Project
    from pytest_embedbench.model import FirmwareSource


_TREES, _WORKSPACE, _LOCK = "trees", "workspace", "lock"
_BUILT_WITH = "built-with"
_KEPT_S = 30 * 24 * 3600


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
        inner = self.project.source.project_dir.parts
        return self.tree.joinpath(*inner[len(inner) - self.project.levels :])

    @property
    def workspace(self) -> Path:
        """Where PlatformIO puts object files and libraries."""
        return self.root / _WORKSPACE

    @property
    def report(self) -> Path:
        """Where the build writes what it is about to make."""
        return self.root / "report.json"

    def fill(self) -> None:
        """Make the copy what the project is now, and forget the last build's report."""
        self.report.unlink(missing_ok=True)
        if self.project.source.parts:
            inner = self.stage.relative_to(self.tree)
            files = self.project.files.items()
            sync({os.path.normpath(inner / path): f for path, f in files}, self.tree)
            return
        mirror(self.project.source.project_dir, self.project.levels, self.tree)
        sync(self.project.files, self.stage)

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
            line.replace(f"{self.stage}/", "").replace(f"{objects}/", "")
            for line in lines
        ]


def scratch_name(source: FirmwareSource) -> str:
    """Return a short name for a project and environment, unlike all others."""
    root = source.project_dir.resolve()
    digest = hashlib.sha256(f"{root}\n{source.environment}".encode()).hexdigest()[:16]
    return f"{root.name}-{source.environment}-{digest}"


@contextlib.contextmanager
def hold_scratch(root: Path) -> Generator[None]:
    """Be the only one who works in a scratch place; sweep others that nobody uses."""
    lock = root / _LOCK  # never removed
    with FileLock(lock):
        lock.touch()
        sweep(root.parent, now_s=lock.stat().st_mtime)
        yield


def sweep(builds: Path, now_s: float) -> None:
    """Empty the scratch places that nobody has used for a month; locks stay."""
    for root in builds.iterdir():
        lock = root / _LOCK
        try:
            if now_s - lock.stat().st_mtime < _KEPT_S:
                continue
            with FileLock(lock, timeout=0):
                shutil.rmtree(root / _TREES, ignore_errors=True)
                shutil.rmtree(root / _WORKSPACE, ignore_errors=True)
        except (FileNotFoundError, Timeout):
            continue
