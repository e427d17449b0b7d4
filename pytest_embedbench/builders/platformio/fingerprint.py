"""What can be known before a build of all that it depends on.

What else it reads its compilers tell (``reads.py``), and an image is looked up by both.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.builders.platformio.ini import system_variables
from pytest_embedbench.builders.platformio.unit_tests import (
    STAND_INS,
    options_of,
    unity_in,
)
from pytest_embedbench.digests import file_digest

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from pytest_embedbench.builders.platformio.project import Project

# Where PlatformIO puts things, how it looks and how hard it works: not what it makes.
_WITHOUT_EFFECT = ("PLATFORMIO_SETTING_", "PLATFORMIO_NO_", "PLATFORMIO_DISABLE_")
_PLACES = frozenset(
    f"PLATFORMIO_{name}"
    for name in (
        "CORE_DIR", "WORKSPACE_DIR", "BUILD_DIR", "BUILD_CACHE_DIR", "LIBDEPS_DIR",
        "CACHE_DIR", "TEST_DIR", "MONITOR_DIR", "RUN_JOBS", "DEFAULT_ENVS",
        "UPLOAD_PORT", "UPLOAD_FLAGS", "EXTRA_SCRIPTS", "AUTH_TOKEN",
        "LIB_EXTRA_DIRS", "FORCE_ANSI",
    )
)  # fmt: skip
_OF_COMPILERS = (
    "CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "CPATH",
    "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH",
    "GCC_EXEC_PREFIX", "GCC_COMPARE_DEBUG", "SOURCE_DATE_EPOCH", "LD_RUN_PATH",
    "LDEMULATION", "LD_LIBRARY_PATH", "LD_PRELOAD",
)  # fmt: skip
_FORMAT = 2
"""Changes when an image has to be known by more than before."""
HOST_COMPILERS = ("gcc", "g++", "cc", "c++", "ld", "as")
_NOT_LOOKED_INTO = frozenset({"__pycache__", "node_modules"})


def fingerprint(
    project: Project,
    *,
    core_dir: Path,
    pio_version: str,
    variables: Mapping[str, str],
    but_for: Container[str] = (),
) -> str:
    """Return 32 hex digits that change with anything that may change the image.

    Of files ``but_for`` it is the names that count, and not what is in them.
    """
    ini = project.ini
    settings = ini.relevant(project.source.environment)
    read_already = {ini.path, *ini.extra_configs}
    suite = project.source.test_suite
    links = {name: str(target) for name, target in project.links.items()}
    of_tests = {
        "suite": suite,
        "options": options_of(ini, project.source),
        "stand-ins": [_tree(path) for path in STAND_INS if path.exists()],
    }
    return _digest_of(
        _tools(project, core_dir, pio_version, variables)
        | ({"links": links} if links else {})
        | ({"tests": of_tests} if suite or unity_in(project) else {})
        | {
            "format": _FORMAT,
            "settings": settings,
            "system variables": system_variables(settings),
            "files": {
                path: "" if path in but_for else file_digest(file)
                for path, file in project.files.items()
                if file not in read_already
            },
            "outside": _outside(project),
            "libraries": {
                one.text: str(library.folder)
                for one, library in project.libraries.chosen.items()
            },
        }
    )


def surroundings(
    project: Project,
    *,
    core_dir: Path,
    pio_version: str,
    variables: Mapping[str, str],
) -> str:
    """Return what changes with all but options and the contents of files.

    Options are in the commands that they lead to, and those SCons compares.
    """
    names = {path: sorted(tree) for path, tree in _outside(project).items()}
    return _digest_of(
        _tools(project, core_dir, pio_version, variables)
        | {"files": sorted(project.files), "outside": names}
    )


def _tools(
    project: Project, core_dir: Path, pio_version: str, variables: Mapping[str, str]
) -> dict[str, object]:
    return {
        "environment": project.source.environment,
        "variables": _variables_that_matter(variables),
        "platformio": pio_version,
        "installed": _installed(core_dir),
        "host compilers": {name: _program(name) for name in HOST_COMPILERS},
        "host": [platform.system(), platform.machine()],
    }


def _outside(project: Project) -> dict[str, dict[str, str]]:
    but = project.source.project_dir
    return {str(path): _tree(path, but=but) for path in project.outside}


def _digest_of(facts: Mapping[str, object]) -> str:
    text = json.dumps(facts, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _variables_that_matter(variables: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in variables.items()
        if name in _OF_COMPILERS
        or (
            name.startswith("PLATFORMIO_")
            and not name.startswith(_WITHOUT_EFFECT)
            and name not in _PLACES
        )
    }


def _installed(core_dir: Path) -> dict[str, object]:
    """Return the identity of every installed platform and package."""
    found: dict[str, object] = {}
    for kind in ("platforms", "packages"):
        for entry in entries(core_dir / kind):
            if entry.suffix == ".pio-link":
                found[entry.name] = _linked(entry)
            elif entry.is_dir():
                found[entry.name] = [
                    _text(entry / ".piopm"),
                    [_identity(program) for program in sorted(entry.glob("bin/*-gcc"))],
                ]
    return found


def linked_platform(link: Path) -> Path | None:
    """Return where a linked platform lies; None if the link makes no sense."""
    try:
        uri: str = json.loads(_text(link))["spec"]["uri"]
    except (ValueError, KeyError, TypeError):
        return None
    return Path(uri.removeprefix("symlink://"))


def _linked(link: Path) -> object:
    """Return what a linked platform holds: it changes without being reinstalled."""
    place = linked_platform(link)
    return [_text(link), _tree(place) if place else {}]


def _tree(root: Path, but: Path | None = None) -> dict[str, str]:
    """Return the digest of every file below ``root`` (or of ``root`` itself).

    Not below ``but``: a library may have the project among its examples.
    """
    if root.is_file():
        return {"": file_digest(root)}
    found: dict[str, str] = {}
    begin, left_out = f"{root}{os.sep}", str(but or "")
    for folder, folders, names in os.walk(root, followlinks=False):
        folders[:] = [
            name
            for name in folders
            if not name.startswith(".")
            and name not in _NOT_LOOKED_INTO
            and os.path.join(folder, name) != left_out  # noqa: PTH118
        ]
        for name in names:
            path = os.path.join(folder, name)  # noqa: PTH118
            if os.path.isfile(path):  # noqa: PTH113
                found[path.removeprefix(begin)] = file_digest(path)
    return found


def _program(name: str) -> object:
    path = shutil.which(name)
    return _identity(Path(path)) if path else None


def _identity(program: Path) -> list[str | int]:
    """Return what tells a program from another: where it really is, size, time."""
    real = program.resolve()
    try:
        stat = real.stat()
    except OSError:
        return [str(real)]
    return [str(real), stat.st_size, stat.st_mtime_ns]


def entries(folder: Path) -> list[Path]:
    """Return what is in a folder; nothing if there is none."""
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""
