"""The key of an image: a digest of all that its build depends on.

Beyond its reach: what a project's own build scripts or ``!commands`` ask of the world
(the time, the git commit), and headers of the host that no package has installed.
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

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    "GCC_EXEC_PREFIX", "SOURCE_DATE_EPOCH",
)  # fmt: skip
_HOST_COMPILERS = ("gcc", "g++", "cc", "c++", "ld", "as")
_NOT_LOOKED_INTO = frozenset({"__pycache__", "node_modules"})


def fingerprint(
    project: Project,
    *,
    core_dir: Path,
    pio_version: str,
    variables: Mapping[str, str],
) -> str:
    """Return 32 hex digits that change with anything that may change the image."""
    ini = project.ini
    settings = ini.relevant(project.source.environment)
    read_already = {ini.path, *ini.extra_configs}
    facts = {
        "environment": project.source.environment,
        "settings": settings,
        "system variables": system_variables(settings),
        "variables": _variables_that_matter(variables),
        "files": {
            path: _digest(file)
            for path, file in project.files.items()
            if file not in read_already
        },
        "outside": {
            str(path): _tree(path, but=project.source.project_dir)
            for path in project.outside
        },
        "platformio": pio_version,
        "installed": _installed(core_dir),
        "host compilers": {name: _program(name) for name in _HOST_COMPILERS},
        "host": [platform.system(), platform.machine()],
    }
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
        for entry in _entries(core_dir / kind):
            if entry.suffix == ".pio-link":
                found[entry.name] = _linked(entry)
            elif entry.is_dir():
                found[entry.name] = [
                    _text(entry / ".piopm"),
                    [_identity(program) for program in sorted(entry.glob("bin/*-gcc"))],
                ]
    return found


def _linked(link: Path) -> object:
    """Return what a linked platform holds: it changes without being reinstalled."""
    text = _text(link)
    try:
        uri: str = json.loads(text)["spec"]["uri"]
    except (ValueError, KeyError, TypeError):
        return text
    return [text, _tree(Path(uri.removeprefix("symlink://")))]


def _tree(root: Path, but: Path | None = None) -> dict[str, str]:
    """Return the digest of every file below ``root`` (or of ``root`` itself).

    Not below ``but``: a library may have the project among its examples.
    """
    if root.is_file():
        return {"": _digest(root)}
    found: dict[str, str] = {}
    for folder, folders, names in os.walk(root, followlinks=False):
        folders[:] = [
            name
            for name in folders
            if not name.startswith(".")
            and name not in _NOT_LOOKED_INTO
            and Path(folder, name) != but
        ]
        for name in names:
            path = Path(folder, name)
            if path.is_file():
                found[path.relative_to(root).as_posix()] = _digest(path)
    return found


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


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


def _entries(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""
