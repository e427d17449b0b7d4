"""A PlatformIO project as a build sees it: options, files, and what lies outside."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.builders.platformio.ini import INI, paths_upwards, read_ini
from pytest_embedbench.builders.platformio.staging import project_files
from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_embedbench.builders.platformio.ini import ProjectIni
    from pytest_embedbench.model import FirmwareSource

_RELATIVE_TO_SOURCES = ("build_src_filter", "src_filter")
_FROM_A_WILDCARD = re.compile(r"/?[^/]*[*?\[].*")
_LINK = re.compile(r"(?:symlink|file)://([^\s,]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """What is built, and from where.

    ``outside`` are files and folders beyond the project that the build reads;
    ``levels`` is how far above the project its options reach with ``../``. Of a source
    in parts nothing but those and its ``extra_configs`` are seen.
    """

    source: FirmwareSource
    ini: ProjectIni
    files: Mapping[str, Path]
    outside: tuple[Path, ...]
    levels: int


def read_project(source: FirmwareSource, libraries: Iterable[Path]) -> Project:
    """Read the project; ``libraries`` are folders of libraries that all may use.

    Raises:
        ConfigError: there is no such project, environment or overlay file, or its
            ``platformio.ini`` cannot be read.
    """
    for path, replacement in source.overlay.items():
        if not replacement.is_file():
            raise ConfigError(f"overlay {path!r}: no such file: {replacement}")
    root = source.project_dir.resolve()
    source = replace(source, project_dir=root)
    ini = read_ini(source.overlay.get(INI, root / INI), root)
    if source.environment not in ini.environments():
        known = ", ".join(ini.environments()) or "none"
        raise ConfigError(
            f"{ini.path}: no environment {source.environment!r}; it has: {known}"
        )
    upwards = [] if source.parts else _upwards(ini, source.environment, root)
    reached = ini.extra_configs if source.parts else upwards
    named = (*upwards, *_named_outside(ini, source.environment), *libraries)
    found = dict.fromkeys(Path(os.path.normpath(path)) for path in named)
    return Project(
        source=source,
        ini=ini,
        files=project_files(source, ini),
        outside=tuple(p for p in found if p.exists() and not p.is_relative_to(root)),
        levels=max((_levels(path, root) for path in reached), default=0),
    )


def _upwards(ini: ProjectIni, environment: str, root: Path) -> list[Path]:
    """Return what options name by a path that starts with ``../``."""
    sources = root / (ini.sections.get("platformio", {}).get("src_dir") or "src")
    found: list[Path] = []
    for option, value in ini.values(environment):
        base = sources if option in _RELATIVE_TO_SOURCES else root
        found += [base / _FROM_A_WILDCARD.sub("", p) for p in paths_upwards(value)]
    return found


def _levels(path: Path, root: Path) -> int:
    """Return how many folders above ``root`` one has to go to reach ``path``."""
    common = Path(os.path.commonpath([os.path.normpath(path), root]))
    return len(root.relative_to(common).parts)


def _named_outside(ini: ProjectIni, environment: str) -> list[Path]:
    """Return the libraries that options name by absolute path."""
    named: list[str] = []
    for option, value in ini.values(environment):
        named += _LINK.findall(value)
        if option == "lib_extra_dirs":
            named += value.replace(",", " ").split()
    paths = (Path(path).expanduser() for path in named)
    return [path for path in paths if path.is_absolute()]
