"""What PlatformIO sees a source include, which is how it finds libraries.

Its dependency finder reads no conditions and no comments: any line that looks like an
include is one, if the file is in a folder that it searches.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

SEEN = re.compile(
    rb'^[ \t]*#[ \t]*(?:include|import)[ \t]*(?:<|")([^>"]+)(?:>|")', re.MULTILINE
)
"""SCons's own pattern, ``CScanner`` of ``SCons/Scanner/C.py``."""
_UTF_8, _UTF_16 = b"\xef\xbb\xbf", (b"\xff\xfe", b"\xfe\xff")


def libraries_asked_for(
    files: Mapping[str, Path], stage: Path, searched: Iterable[str]
) -> dict[str, list[str]] | None:
    """Return what each file includes of the folders that are searched for libraries.

    What is in none of them is the compiler's own, and no library for it. Nothing if
    SCons would read a file otherwise than it is written.

    Args:
        files: Path in the project to file.
        stage: Where the project lies when it is built.
        searched: Those folders.
    """
    folders = tuple(searched)
    found: dict[str, list[str]] = {}
    for path, file in sorted(files.items()):
        data = file.read_bytes().removeprefix(_UTF_8)
        if data.startswith(_UTF_16):
            return None
        beside = os.path.dirname(stage / path)  # noqa: PTH120  # as the others
        names = {os.fsdecode(name) for name in SEEN.findall(data)}
        found[path] = sorted(n for n in names if _is_in((beside, *folders), n))
    return found


def _is_in(folders: Iterable[str], name: str) -> bool:
    if "\0" in name:
        return False
    return any(os.path.lexists(f"{folder}/{name}") for folder in folders) or (
        os.path.isabs(name)  # noqa: PTH117
    )
