"""The folders in which one project and environment is built, over and over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_embedbench.builders.platformio.staging import mirror, sync

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pytest_embedbench.builders.platformio.project import Project


@dataclass(frozen=True, slots=True)
class Scratch:
    """One place per project and environment, so that an edit stays a small build."""

    root: Path
    project: Project

    @property
    def stage(self) -> Path:
        """Where the copy of the project lies."""
        inner = self.project.source.project_dir.parts
        return (self.root / "tree").joinpath(*inner[len(inner) - self.project.levels :])

    @property
    def workspace(self) -> Path:
        """Where PlatformIO puts object files and libraries."""
        return self.root / "workspace"

    @property
    def report(self) -> Path:
        """Where the build writes what it is about to make."""
        return self.root / "report.json"

    @property
    def lock(self) -> Path:
        """What whoever works here holds; never removed."""
        return self.root / "lock"

    def fill(self) -> None:
        """Make the copy what the project is now."""
        source = self.project.source.project_dir
        mirror(source, self.project.levels, self.root / "tree")
        sync(self.project.files, self.stage)

    def in_the_projects_words(self, lines: Iterable[str]) -> list[str]:
        """Return ``lines`` with the paths that the project's author knows."""
        objects = self.workspace / "build" / self.project.source.environment
        return [
            line.replace(f"{self.stage}/", "").replace(f"{objects}/", "")
            for line in lines
        ]
