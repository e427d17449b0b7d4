"""The scratch copy of a project that is built in its place.

The project itself is only read: it may lie on a read-only disk, be edited meanwhile,
or have a submission's files laid over it.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from pytest_embedbench.builders.platformio.ini import INI
from pytest_embedbench.builders.platformio.unit_tests import test_dir
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.support.paths import CACHE_TAG

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pytest_embedbench.builders.platformio.ini import ProjectIni
    from pytest_embedbench.model import FirmwareSource

WORKSPACE = ".pio"
_OF_FIRMWARE = frozenset({"src", "include", "lib", "boards", "data"})
_NOT_BUILT_FROM = frozenset({"test", "tests", "node_modules", "venv", "__pycache__"})
_CACHES = frozenset(
    [
        ".git", ".hg", ".svn", ".pio", ".embedbench", ".venv", ".tox", ".nox",
        ".hypothesis", ".pytest_cache", ".mypy_cache", ".ruff_cache", "__pycache__",
    ]
)  # fmt: skip
"""Hidden folders that tools fill as they run; what is in others may be built."""
_TEST_FILE = re.compile(r"(test_.*|.*_test|conftest)\.py")
_NOTES = re.compile(r".*\.(pyc|md|rst)")
_OUR_PAGE, _PAGE_HEAD_BYTES = b'name="generator" content="pytest-embedbench"', 2000
_WORD = re.compile(r"(?:-[A-Za-z])?([^\s,;:=<>+\"']{1,200})")
_NEVER_COPIED = frozenset({".git", ".hg", ".svn", ".pio", ".embedbench"})


def project_files(
    source: FirmwareSource, ini: ProjectIni
) -> tuple[dict[str, Path], list[Path]]:
    """Return what is copied, path in the copy to file, and the folders that it is from.

    Without ``source.parts`` all but tests, caches and history; with them extra configs
    above the project too (``../boards.ini``).
    """
    root = source.project_dir
    named = _named(root, ini)
    if source.parts:
        tops: Iterable[str] = {*source.parts, *named}
        shared = {os.path.relpath(file, root): file for file in ini.extra_configs}
    else:
        if source.test_suite:
            named |= {PurePosixPath(test_dir(ini)).parts[0]} - {"..", "/"}
        entries = root.iterdir()
        tops = (e.name for e in entries if _wanted(e) or e.name in named)
        shared = {}
    found = dict(_walk(root, sorted(tops)))
    folders = [path for name, path in found.items() if name.endswith("/")]
    files = {name: path for name, path in found.items() if name[-1] != "/"} | shared
    files[INI] = root / INI
    for path, replacement in source.overlay.items():
        files[_inside(path)] = replacement
    return files, folders


def linked_folders(root: Path, folders: Iterable[Path]) -> dict[str, Path]:
    """Return which folders of a project are links, by path, and where each leads.

    ``..`` of such a folder is that of its target. One of sketches is none: PlatformIO
    writes what it makes of them beside them.
    """
    found: dict[str, Path] = {}
    for folder in folders:
        is_below = any(folder.is_relative_to(root / name) for name in found)
        if folder.is_symlink() and not is_below and not any(_sketches(folder)):
            found[folder.relative_to(root).as_posix()] = folder.resolve()
    return found


def sync(
    files: Mapping[str, Path],
    stage: Path,
    is_kept: Callable[[str], bool] = lambda _name: False,
) -> None:
    """Make ``stage`` hold exactly ``files``; what is the same is not touched.

    What is there by a name that ``is_kept`` stays as it is, and so does the workspace.
    """
    stage.mkdir(parents=True, exist_ok=True)
    for here, folders, names in reversed(list(_walk_copy(stage))):
        for name in names:
            path = (here / name).relative_to(stage).as_posix()
            if path not in files and not is_kept(path):
                (here / name).unlink()
        for name in folders:
            if (here / name).is_symlink():
                (here / name).unlink()
            elif not any((here / name).iterdir()):
                (here / name).rmdir()
    for path, original in files.items():
        if not (is_kept(path) and (stage / path).is_file()):
            _copy(original, stage / path)


def _walk_copy(stage: Path) -> Iterator[tuple[Path, list[str], list[str]]]:
    """Yield folders and what is in them, but for the workspace."""
    for here, folders, names in os.walk(stage):
        if WORKSPACE in folders:
            folders.remove(WORKSPACE)
        yield Path(here), folders, names


def _named(root: Path, ini: ProjectIni) -> set[str]:
    """Return the first parts of the paths in the project that its options name."""
    values = (v for options in ini.sections.values() for v in options.values())
    words = (word for value in values for word in _WORD.findall(value))
    tops = {
        PurePosixPath(word).parts[0]
        for word in words
        if not word.startswith(("..", "/", "-", "$")) and PurePosixPath(word).parts
    }
    return {top for top in tops - _NEVER_COPIED if (root / top).exists()}


def _wanted(entry: Path) -> bool:
    return (
        not entry.name.startswith(".")
        and entry.name not in _NOT_BUILT_FROM
        and not _TEST_FILE.fullmatch(entry.name)
        and not _NOTES.fullmatch(entry.name)
        and not (entry / "pyvenv.cfg").is_file()
        and not _is_report(entry)
        and (entry.name in _OF_FIRMWARE or not _holds_tests(entry))
    )


def _is_report(entry: Path) -> bool:
    """A report page lies where it was asked for: a run must not make the next build."""
    if entry.suffix != ".html" or not entry.is_file():
        return False
    with entry.open("rb") as opened:
        return _OUR_PAGE in opened.read(_PAGE_HEAD_BYTES)


def _holds_tests(entry: Path) -> bool:
    """Suites stand beside the firmware they test: editing one must not rebuild it."""
    files = entry.iterdir() if entry.is_dir() else ()
    return any(_TEST_FILE.fullmatch(file.name) for file in files)


def _walk(root: Path, tops: Iterable[str]) -> Iterator[tuple[str, Path]]:
    for top in tops:
        if (root / top).is_file():
            yield top, root / top
        else:
            yield from _files_below(f"{root}/{top}", top, frozenset())


def _files_below(
    folder: str, inside: str, above: frozenset[str]
) -> Iterator[tuple[str, Path]]:
    """Yield a folder and the files below; a link to a folder above itself is none.

    Nor is a cache, such as ours: builds in it have links to all that is above them.

    Two links to one folder are two folders, as for a compiler.
    """
    real = os.path.realpath(folder)
    if real in above or not os.access(real, os.R_OK | os.X_OK):
        return
    names = sorted(os.listdir(folder))  # noqa: PTH208  # a thousand files
    if CACHE_TAG in names:
        return
    yield f"{inside}/", Path(folder)
    for name in names:
        path = f"{folder}/{name}"
        if os.path.isdir(path):  # noqa: PTH112
            if name not in _CACHES:
                yield from _files_below(path, f"{inside}/{name}", above | {real})
        elif not name.endswith(".pyc") and os.path.isfile(path):  # noqa: PTH113
            yield f"{inside}/{name}", Path(path)


def _sketches(folder: Path) -> Iterator[Path]:
    return (path for path in folder.iterdir() if path.suffix in {".ino", ".pde"})


def _inside(path: str) -> str:
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts or not pure.parts:
        raise ConfigError(f"overlay {path!r}: must be a path inside the project")
    return str(pure)


def _copy(original: Path, copy: Path) -> None:
    try:
        if copy.is_file() and copy.read_bytes() == original.read_bytes():
            return
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.unlink(missing_ok=True)
        shutil.copyfile(original, copy)
        copy.chmod(original.stat().st_mode | 0o200)
    except FileNotFoundError as error:
        raise ConfigError(f"{original}: no such file") from error
