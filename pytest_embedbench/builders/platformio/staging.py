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
from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_embedbench.builders.platformio.ini import ProjectIni
    from pytest_embedbench.model import FirmwareSource

_OF_FIRMWARE = frozenset({"src", "include", "lib", "boards", "data"})
_NOT_BUILT_FROM = frozenset({"test", "tests", "node_modules", "venv", "__pycache__"})
_TEST_FILE = re.compile(r"(test_.*|.*_test|conftest)\.py")
_NOTES = re.compile(r".*\.(pyc|md|rst)")
_WORD = re.compile(r"[^\s,;:=<>+\"']{1,200}")


def project_files(source: FirmwareSource, ini: ProjectIni) -> dict[str, Path]:
    """Return what is copied: path in the copy to file, overlay included.

    Without ``source.parts`` all but tests, caches and history; with them extra configs
    above the project too (``../boards.ini``).
    """
    root = source.project_dir
    named = _named(root, ini)
    if source.parts:
        tops: Iterable[str] = {*source.parts, *named}
        shared = {os.path.relpath(file, root): file for file in ini.extra_configs}
    else:
        entries = root.iterdir()
        tops = (e.name for e in entries if _wanted(e) or e.name in named)
        shared = {}
    files = dict(_walk(root, sorted(tops))) | shared
    files[INI] = root / INI
    for path, replacement in source.overlay.items():
        files[_inside(path)] = replacement
    return files


def sync(files: Mapping[str, Path], stage: Path) -> None:
    """Make ``stage`` hold exactly ``files``; what is the same is not touched."""
    stage.mkdir(parents=True, exist_ok=True)
    for folder, folders, names in os.walk(stage, topdown=False):
        here = Path(folder)
        for name in names:
            if (here / name).relative_to(stage).as_posix() not in files:
                (here / name).unlink()
        for name in folders:
            if (here / name).is_symlink():
                (here / name).unlink()
            elif not any((here / name).iterdir()):
                (here / name).rmdir()
    for path, original in files.items():
        _copy(original, stage / path)


def mirror(project_dir: Path, levels: int, tree: Path) -> None:
    """Rebuild the ``levels`` folders above the project, so that ``../`` means the same.

    They hold links to what they hold in truth, beside the one way down to the copy.
    """
    real = project_dir.parents[levels - 1] if levels else project_dir
    here = tree
    for name in project_dir.relative_to(real).parts:
        here.mkdir(parents=True, exist_ok=True)
        _link_entries(real, here, but=name)
        real, here = real / name, here / name


def _link_entries(real: Path, here: Path, *, but: str) -> None:
    wanted = {entry.name: entry for entry in real.iterdir() if entry.name != but}
    for entry in here.iterdir():
        if entry.name != but and entry.name not in wanted:
            entry.unlink()
    for name, entry in wanted.items():
        if not (here / name).is_symlink():
            (here / name).symlink_to(entry)


def _named(root: Path, ini: ProjectIni) -> set[str]:
    """Return the first parts of the paths in the project that its options name."""
    values = (v for options in ini.sections.values() for v in options.values())
    words = (word for value in values for word in _WORD.findall(value))
    return {
        PurePosixPath(word).parts[0]
        for word in words
        if not word.startswith((".", "/", "-", "$")) and (root / word).exists()
    }


def _wanted(entry: Path) -> bool:
    return (
        not entry.name.startswith(".")
        and entry.name not in _NOT_BUILT_FROM
        and not _TEST_FILE.fullmatch(entry.name)
        and not _NOTES.fullmatch(entry.name)
        and not (entry / "pyvenv.cfg").is_file()
        and (entry.name in _OF_FIRMWARE or not _holds_tests(entry))
    )


def _holds_tests(entry: Path) -> bool:
    """Suites stand beside the firmware they test: editing one must not rebuild it."""
    files = entry.iterdir() if entry.is_dir() else ()
    return any(_TEST_FILE.fullmatch(file.name) for file in files)


def _walk(root: Path, tops: Iterable[str]) -> Iterator[tuple[str, Path]]:
    for top in tops:
        start = root / top
        if start.is_file():
            yield top, start
            continue
        seen: set[str] = set()
        for folder, folders, names in os.walk(start, followlinks=True):
            real = os.path.realpath(folder)
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            if real in seen:
                folders.clear()
                continue
            seen.add(real)
            here = Path(folder)
            inside = here.relative_to(root).as_posix()
            for name in names:
                if not name.endswith(".pyc") and os.path.isfile(f"{folder}/{name}"):  # noqa: PTH113  # a thousand files
                    yield f"{inside}/{name}", here / name


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
