"""A PlatformIO project as a build sees it: options, files, and what lies outside."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.builders.platformio.ini import INI, paths_upwards, read_ini
from pytest_embedbench.builders.platformio.staging import TASK, project_files
from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_embedbench.builders.platformio.ini import ProjectIni
    from pytest_embedbench.model import FirmwareSource

_LINK = re.compile(r"(?:symlink|file)://([^\s,]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """What is built, and from where.

    ``outside`` are files and folders beyond the project that the build reads;
    ``levels`` is how far above the project its options reach with ``../``.
    """

    source: FirmwareSource
    ini: ProjectIni
    files: Mapping[str, Path]
    outside: tuple[Path, ...]
    levels: int

    def identity(self) -> str:
        """Return a short name for this project and environment, unlike all others."""
        where = f"{self.source.project_dir}\n{self.source.environment}"
        digest = hashlib.sha256(where.encode()).hexdigest()[:16]
        return f"{self.source.project_dir.name}-{self.source.environment}-{digest}"


def read_project(source: FirmwareSource, libraries: Iterable[Path]) -> Project:
    """Read the project; ``libraries`` are folders of libraries that all may use.

    Raises:
        ConfigError: there is no such project, environment or overlay file, or its
            ``platformio.ini`` cannot be read.
    """
    for path, replacement in source.overlay.items():
        if not replacement.is_file():
            raise ConfigError(f"overlay {path!r}: no such file: {replacement}")
    root = source.project_dir
    ini = read_ini(source.overlay.get(INI, root / INI), root)
    if source.environment not in ini.environments():
        known = ", ".join(ini.environments()) or "none"
        raise ConfigError(
            f"{ini.path}: no environment {source.environment!r}; it has: {known}"
        )
    # Of a task package nothing but its own firmware is seen.
    upwards = [] if (root / TASK).is_file() else _upwards(ini, source.environment)
    levels = max((Path(path).parts.count("..") for path in upwards), default=0)
    named = [root / path for path in upwards]
    named += _named_outside(ini, source.environment)
    found = dict.fromkeys(
        Path(os.path.normpath(path)) for path in (*named, *libraries) if path.exists()
    )
    return Project(
        source=source,
        ini=ini,
        files=project_files(source, ini),
        outside=tuple(path for path in found if not path.is_relative_to(root)),
        levels=min(levels, len(root.parents)),
    )


def _upwards(ini: ProjectIni, environment: str) -> list[str]:
    return [p for _, value in ini.values(environment) for p in paths_upwards(value)]


def _named_outside(ini: ProjectIni, environment: str) -> list[Path]:
    """Return the libraries that options name by absolute path."""
    named: list[str] = []
    for option, value in ini.values(environment):
        named += _LINK.findall(value)
        if option == "lib_extra_dirs":
            named += value.replace(",", " ").split()
    paths = (Path(path).expanduser() for path in named)
    return [path for path in paths if path.is_absolute()]
