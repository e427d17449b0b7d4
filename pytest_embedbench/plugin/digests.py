"""Digests of what a test's outcome depends on: files, this package, all installed."""

from __future__ import annotations

import hashlib
import os
import platform
from functools import cache
from importlib.metadata import distributions
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PACKAGE = Path(__file__).parents[1]
_MADE = frozenset({"__pycache__", ".pytest_cache", ".embedbench", ".pio", ".git"})
"""Folders that are made of others, or by pytest."""


def digest_of(parts: Iterable[str]) -> str:
    """Return one digest of texts, in hex."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(f"{len(data)}\n".encode() + data)
    return digest.hexdigest()


def tree(root: Path, without: Iterable[Path] = ()) -> Iterator[str]:
    """Yield the name and the digest of everything below a folder."""
    left_out = {*without}
    for here, folders, names in os.walk(root):
        folders[:] = sorted(
            name
            for name in folders
            if name not in _MADE and Path(here, name) not in left_out
        )
        for name in sorted([*names, *folders]):
            path = Path(here, name)
            if path not in left_out:
                yield f"{path.relative_to(root)}\n{of_path(path)}"


def of_path(path: Path) -> str:
    """Return the digest of a file, or what else is there."""
    if path.is_symlink():
        return f"link to {path.readlink()}"
    if not path.is_file():
        return "folder" if path.is_dir() else "no file"
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        return str(error.strerror)


@cache
def everywhere() -> tuple[str, ...]:
    """Return what is the same for all: this package, and all that is installed."""
    installed = sorted(f"{each.name} {each.version}" for each in distributions())
    return (platform.python_version(), *tree(PACKAGE), *installed)
