"""A PlatformIO project as a build sees it: options, files, and what lies outside."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.builders.platformio.generated import is_written_into
from pytest_embedbench.builders.platformio.ini import INI, paths_upwards, read_ini
from pytest_embedbench.builders.platformio.libraries import (
    Libraries,
    find_libraries,
    resolve,
)
from pytest_embedbench.builders.platformio.staging import linked_folders, project_files
from pytest_embedbench.builders.platformio.wanted_libraries import parse_wanted
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.model import Isolation

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_embedbench.builders.platformio.ini import ProjectIni
    from pytest_embedbench.model import FirmwareSource

_RELATIVE_TO_SOURCES = ("build_src_filter", "src_filter")
_FROM_A_WILDCARD = re.compile(r"/?[^/]*[*?\[].*")
_LINK = re.compile(r"(?:symlink|file)://([^\s,]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """What is built, and from where.

    ``folders`` are those that ``files`` are from. ``outside`` are files and folders
    beyond the project that the build reads; ``levels`` is how far above the project
    ``../`` means the same: all the way. Of a source in parts nothing but those and its
    ``extra_configs`` are seen. ``libraries`` are those of ``library_dirs`` that its
    ``lib_deps`` come to.
    """

    source: FirmwareSource
    ini: ProjectIni
    files: Mapping[str, Path]
    folders: tuple[Path, ...]
    outside: tuple[Path, ...]
    levels: int
    libraries: Libraries = field(default_factory=Libraries)
    library_dirs: tuple[Path, ...] = ()

    @property
    def links(self) -> dict[str, Path]:
        """Return folders that are links, path in the copy to where they lead.

        Of those that a build may write into, or that have to be hidden, there are none.
        """
        source, environment = self.source, self.source.environment
        frameworks = self.ini.option(environment, "framework")
        is_foreign = source.isolation is not Isolation.NONE or source.overlay
        if source.parts or is_foreign or is_written_into(frameworks):
            return {}
        return linked_folders(source.project_dir, self.folders)


def read_project(
    source: FirmwareSource,
    libraries: Iterable[Path],
    *,
    library_dirs: Sequence[Path] = (),
    core_dir: Path | None = None,
) -> Project:
    """Read the project.

    Args:
        source: What is built.
        libraries: Folders of libraries that all may use.
        library_dirs: Folders of libraries that ``lib_deps`` are taken from.
        core_dir: PlatformIO's core directory, whose frameworks have libraries, too.

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
    shared = (*libraries, *_named_outside(ini, source.environment))
    found_libraries = _libraries(ini, source, shared, library_dirs, core_dir)
    named = (*upwards, *shared, *found_libraries.folders())
    found = dict.fromkeys(Path(os.path.normpath(path)) for path in named)
    files, folders = project_files(source, ini)
    return Project(
        source=source,
        ini=ini,
        files=files,
        folders=tuple(folders),
        outside=tuple(p for p in found if p.exists() and not p.is_relative_to(root)),
        levels=_levels(root, ini.extra_configs) if source.parts else len(root.parents),
        libraries=found_libraries,
        library_dirs=tuple(library_dirs),
    )


def _libraries(
    ini: ProjectIni,
    source: FirmwareSource,
    shared: Iterable[Path],
    library_dirs: Sequence[Path],
    core_dir: Path | None,
) -> Libraries:
    """Return what ``lib_deps`` come to; libraries of the project's own serve, too."""
    section, root = f"env:{source.environment}", source.project_dir
    entries = re.split(r"\n|, ", ini.value(section, "lib_deps"))
    # What is still to be filled in is PlatformIO's own: ${PROJECT_DIR}, ...
    named = (entry for entry in entries if entry.strip() and "$" not in entry)
    wanted = [parse_wanted(entry) for entry in named]
    if not wanted:
        return Libraries()
    own = root / (ini.value("platformio", "lib_dir") or "lib")
    folders = core_dir.glob("packages/*/libraries") if core_dir else ()
    here = find_libraries((own, *shared))
    resolved = resolve(
        wanted,
        [*find_libraries(library_dirs), *here],
        platform=ini.value(section, "platform").partition("@")[0].strip(),
        there_already=[library.name for library in here],
        of_frameworks=[library.name for library in find_libraries(folders)],
    )
    gone = {
        one: f"{one.text} (no such folder)"
        for one in wanted
        if one.is_local and not (root / one.path()).exists()
    }
    unresolved = {**gone, **resolved.unresolved}
    return Libraries(resolved.chosen, unresolved, resolved.absent)


def _upwards(ini: ProjectIni, environment: str, root: Path) -> list[Path]:
    """Return what options name by a path that starts with ``../``."""
    sources = root / (ini.sections.get("platformio", {}).get("src_dir") or "src")
    found: list[Path] = []
    for option, value in ini.values(environment):
        base = sources if option in _RELATIVE_TO_SOURCES else root
        found += [base / _FROM_A_WILDCARD.sub("", p) for p in paths_upwards(value)]
    return found


def _levels(root: Path, reached: Iterable[Path]) -> int:
    """Return how many folders above ``root`` one has to go to reach all of those."""
    common = os.path.commonpath([root, *(os.path.normpath(path) for path in reached)])
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
