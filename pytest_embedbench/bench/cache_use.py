"""Who uses a cache, and what is in it: runs share it, who prunes has it alone."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.digests import file_digest
from pytest_embedbench.errors import BenchFault

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable
    from pathlib import Path
    from typing import Any

_USERS = "users.lock"
IMAGES, BUILDS, FAILED = "images", "builds", "failed"
CONVERSATIONS = "conversations"
_KEPT_S = 30 * 24 * 3600
MANIFEST = "manifest.json"
_STAMPS = (MANIFEST, "lock")
"""What is touched whenever an image, or a scratch place, is used."""


@dataclass(frozen=True, slots=True)
class Kept:
    """One thing in a cache: an image, a scratch place, a log of a failed build."""

    path: Path
    size_bytes: int
    used_ns: int
    """When it was last used, in nanoseconds since 1970."""


@dataclass(slots=True)
class Asked:
    """How often images were asked for: built for whoever asked, or found.

    ``untold`` has the reasons why some are built once in each run.
    """

    built: int = 0
    found: int = 0
    untold: set[str] = field(default_factory=set[str])


def share_cache(root: Path) -> int:
    """Use a cache from now on, beside others; returns a descriptor that says so.

    Waits for somebody who prunes it.
    """
    root.mkdir(parents=True, exist_ok=True)
    users = os.open(root / _USERS, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    fcntl.flock(users, fcntl.LOCK_SH)
    return users


@contextlib.contextmanager
def alone_in_cache(root: Path) -> Generator[None]:
    """Have a cache for oneself.

    Raises:
        BenchFault: a run uses it.
    """
    users = share_cache(root)
    try:
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise BenchFault(
            f"{root} is in use by a run; nothing was removed: prune it when that has "
            "ended"
        ) from None
    finally:
        os.close(users)


def kept_in(folder: Path) -> list[Kept]:
    """Return what is in a folder of the cache, the least recently used first."""
    if not folder.is_dir():
        return []
    found = filter(None, map(_kept, folder.iterdir()))
    return sorted(found, key=lambda kept: kept.used_ns)


def remove_unused(kept: Iterable[Kept], before_ns: int) -> list[Kept]:
    """Remove what nobody has used since, and return that."""
    gone = [each for each in kept if each.used_ns < before_ns]
    for each in gone:
        if each.path.is_dir():
            shutil.rmtree(each.path, ignore_errors=True)
        else:
            each.path.unlink(missing_ok=True)
    return gone


def whole_manifest(place: Path) -> dict[str, Any] | None:
    """Return the manifest of an image whose files are all there, and none changed."""
    try:
        read = json.loads((place / MANIFEST).read_bytes())
        manifest: dict[str, Any] = {"inputs": {}, "untold": "", "runs": []} | read
        digests = manifest["files"]
        if any(file_digest(place / name) != digests[name] for name in digests):
            return None
        if manifest["elf"] not in digests or not manifest["environment"]:
            return None
        (place / MANIFEST).touch()
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return manifest


@dataclass(slots=True)
class Cleaning:
    """Forgets what is old, once: in one run nothing ages by months."""

    done: bool = False

    def once(self, root: Path, now_s: float) -> None:
        """Forget what nobody has used for a month, and what killed builds left."""
        if not self.done:
            self.done = True
            _forget_old(root, now_s)


def _forget_old(root: Path, now_s: float) -> None:
    used = {path: path / MANIFEST for path in (root / IMAGES).iterdir()}
    if (root / FAILED).is_dir():
        used |= {path: path for path in (root / FAILED).iterdir()}
    for path, stamp in used.items():
        with contextlib.suppress(FileNotFoundError):
            touched = stamp if stamp.exists() else path
            if now_s - touched.stat().st_mtime < _KEPT_S:
                continue
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink()


def _kept(path: Path) -> Kept | None:
    """Return what is there; nothing of an empty place, or one that has just gone."""
    stamp = next((path / s for s in _STAMPS if (path / s).exists()), path)
    files = [f"{at}/{name}" for at, _, names in os.walk(path) for name in names]
    try:
        size_bytes = sum(os.lstat(file).st_size for file in files or [str(path)])
        used_ns = stamp.stat().st_mtime_ns
    except FileNotFoundError:
        return None
    is_empty = all(file == str(stamp) for file in files) and path.is_dir()
    return None if is_empty else Kept(path, size_bytes, used_ns)
