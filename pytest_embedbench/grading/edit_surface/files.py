"""The files of a submission's folder: which they are, of what kind, how large.

Nothing here opens what is no regular file: a pipe would never come to its end.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from pytest_embedbench.errors import BenchFault
from pytest_embedbench.support.shown import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

MAX_SOURCE_BYTES = 1_000_000
"""Of a file of the edit surface."""
_CODE = re.compile(
    r".*\.([ch]|cc|cpp|cxx|hh|hpp|hxx|inc|ino|s|asm|ld|a|o|cmake|ini)",
    re.IGNORECASE | re.DOTALL,
)
_BUILD_FILES = re.compile(r"CMakeLists\.txt|sdkconfig.*|component\.mk|library\.json")
# An agent's own tests and notes are never built into a firmware.
NOT_BUILT = frozenset(
    {"agent_tests", "test", "tests", "visible", "docs", "tools", "build", "__pycache__"}
)
_KINDS = (
    (stat.S_ISLNK, "is a link, not a file"),
    (stat.S_ISDIR, "is a folder, not a file"),
    (stat.S_ISFIFO, "is a pipe, not a file"),
    (stat.S_ISSOCK, "is a socket, not a file"),
    (stat.S_ISCHR, "is a device, not a file"),
    (stat.S_ISBLK, "is a device, not a file"),
)


def code_files(folder: Path) -> Iterator[str]:
    """Yield what looks like code or goes into a build, by its path in ``folder``.

    Folders are looked into that are no links and could be built: none that is hidden,
    none of tests or notes.
    """
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(
            name for name in folders if name not in NOT_BUILT and name[0] != "."
        )
        # A folder of a source file's name would let the starter's stand in for it.
        for name in sorted([*names, *folders]):
            if could_build(name):
                yield os.path.relpath(os.path.join(here, name), folder)  # noqa: PTH118  # any bytes


def could_build(name: str) -> bool:
    """Say whether a file of that name looks like code, or goes into a build."""
    return bool(_CODE.fullmatch(name) or _BUILD_FILES.fullmatch(name))


def is_ignored(name: str, patterns: Iterable[str]) -> bool:
    """Say whether a file is one that the task ignores."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def no_file(folder: Path, name: str) -> str:
    """Say what is wrong with a file by itself, ``""`` for a regular file.

    Links are looked for in each part of its path below the submission's folder.
    """
    here, parts = folder, name.split("/")
    for part in parts[:-1]:
        here /= part
        if here.is_symlink():
            return f"{shown(here.relative_to(folder))} is a link, not a folder"
    return no_regular_file((folder / name).lstat().st_mode)


def no_regular_file(mode: int) -> str:
    """Say what something is by its mode, ``""`` for a regular file."""
    return next((words for is_kind, words in _KINDS if is_kind(mode)), "")


def too_large(file: Path) -> str:
    """Say that a source file is beyond the limit, ``""`` for one within."""
    size_bytes = file.stat().st_size
    if size_bytes <= MAX_SOURCE_BYTES:
        return ""
    return (
        f"has {size_bytes} bytes, and a file of the edit surface may have "
        f"{MAX_SOURCE_BYTES}"
    )


def read(file: Path) -> bytes:
    """Return what is in a regular file.

    Raises:
        BenchFault: we may not read it, or the disk fails.
    """
    try:
        return file.read_bytes()
    except OSError as error:
        raise BenchFault(
            f"{shown(file)}: a file of the submission cannot be read "
            f"({error.strerror}): let the user that runs pytest read it"
        ) from error


def digest(file: Path) -> str:
    """Return the SHA-256 of a file of the edit surface, ``""`` if it can have none."""
    try:
        mode, size_bytes = file.stat().st_mode, file.stat().st_size
        if stat.S_ISREG(mode) and size_bytes <= MAX_SOURCE_BYTES:
            return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        pass
    return ""
