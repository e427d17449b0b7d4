"""Reading where somebody else may write: no link is followed, and nothing blocks.

Every folder and file is opened once, by its name in a folder that is open already: what
is looked at is what is read. Nothing that is no regular file is read, and nothing is
read beyond a limit.
"""

from __future__ import annotations

import os
import stat
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_DEEPEST = 40
_MOST_ENTRIES = 5000


@contextmanager
def opened(name: str | Path, folder: int | None = None) -> Generator[int]:
    """Open a folder, by its name in another one that is open.

    Raises:
        OSError: it is none, a link, or cannot be read.
    """
    descriptor = os.open(name, _FOLDER, dir_fd=folder)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def names_in(folder: int, most: int) -> list[str]:
    """Return names in an open folder, sorted, or ``most`` of them in any order."""
    with os.scandir(folder) as found:
        return sorted(entry.name for entry in islice(found, most))


def content(name: str, folder: int, most_bytes: int) -> bytes | None:
    """Return what is in a file, cut behind ``most_bytes``; ``None`` if it is no file.

    Raises:
        OSError: it is a link, or cannot be read.
    """
    descriptor = os.open(name, _FILE, dir_fd=folder)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None
    with os.fdopen(descriptor, "rb") as file:
        return file.read(most_bytes)


def content_below(place: Path, inside: str, most_bytes: int) -> bytes | None:
    """Return what is in a file below ``place``, cut; ``None`` if there is none."""
    *folders, name = inside.split("/")
    with ExitStack() as stack, suppress(OSError):
        folder = stack.enter_context(opened(place))
        for each in folders:
            folder = stack.enter_context(opened(each, folder))
        return content(name, folder, most_bytes)
    return None


def contents_below(
    place: Path, inside: str, suffix: str, most_bytes: int
) -> Iterator[bytes]:
    """Yield what is in files of a folder and those below, cut; links are left out.

    Of thousands of names in one folder, and of what lies deep, a part is left out.
    """
    with suppress(OSError), opened(place) as outer, opened(inside, outer) as folder:
        yield from _contents(folder, suffix, most_bytes, 0)


def _contents(folder: int, suffix: str, most: int, depth: int) -> Iterator[bytes]:
    for name in names_in(folder, _MOST_ENTRIES):
        with suppress(OSError):
            mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
            if stat.S_ISDIR(mode) and depth < _DEEPEST:
                with opened(name, folder) as inner:
                    yield from _contents(inner, suffix, most, depth + 1)
            elif stat.S_ISREG(mode) and name.endswith(suffix):
                found = content(name, folder, most)
                if found is not None:
                    yield found
