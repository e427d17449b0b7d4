"""A lock that the operating system holds, on a file that is never deleted.

Deleting a lock file lets two processes hold two files of one name, so nobody does.
The lock is free the moment its holder ends, ``kill -9`` included; what the holder
wrote into the file stays behind and tells the next one about it.

Builds are locked with ``filelock``, in a cache of the user's own. Boards are shared by
all users, in a sticky folder like ``/run/lock/embedbench``, and there ``filelock`` 4.3
refuses a file that another user has made.
"""

from __future__ import annotations

import fcntl
import os
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from pytest_embedbench.errors import BenchFault

FOLDER_ENV = "EMBEDBENCH_LOCKS"
_RECORD_BYTES = 1 << 16


def lock_folder() -> Path:
    """Return the one folder of this machine where locks are, made if need be.

    It is the same for all users and all suites, else a lock would not exclude
    anyone; only ``EMBEDBENCH_LOCKS`` moves it.
    """
    folder = Path(os.environ.get(FOLDER_ENV) or _machine_folder() / "embedbench")
    if folder.is_dir():
        return folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _open_to_all(folder, 0o1777)
    except OSError as error:
        raise BenchFault(
            f"no folder for locks at {folder}: {error.strerror}; "
            f"name another with {FOLDER_ENV}"
        ) from error
    return folder


def _machine_folder() -> Path:
    run_lock = Path("/run/lock")
    return run_lock if os.access(run_lock, os.W_OK) else Path("/tmp")  # noqa: S108  # made sticky


@dataclass(slots=True)
class LockFile:
    """One lock and the record inside it; held by at most one ``LockFile`` at a time."""

    path: Path
    _descriptor: int | None = field(default=None, init=False)

    def try_acquire(self) -> bool:
        """Take the lock if it is free; never waits.

        Raises:
            BenchFault: the file cannot be opened.
        """
        try:
            descriptor = _open(self.path)
        except OSError as error:
            message = f"the lock {self.path} cannot be opened: {error.strerror}"
            raise BenchFault(message) from error
        try:
            # Bound to the open file, so it is exclusive within a process too.
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        self._descriptor = descriptor
        return True

    def write(self, text: str) -> None:
        """Replace the record; only the holder may."""
        assert self._descriptor is not None, "only a holder writes"
        # In one piece, over all of the old one: there is no moment without a record.
        size = os.fstat(self._descriptor).st_size
        os.pwrite(self._descriptor, text.encode().ljust(size), 0)

    def read(self) -> str:
        """Return the record, whoever wrote it; anyone may."""
        return read_record(self.path)

    def release(self) -> None:
        """Let the lock go; safe to call twice."""
        if self._descriptor is not None:
            descriptor, self._descriptor = self._descriptor, None
            fcntl.flock(descriptor, fcntl.LOCK_UN)  # a child may have inherited it
            os.close(descriptor)


def lock_named(folder: Path, key: str) -> LockFile:
    """Return the lock of a key; different keys have different files."""
    return LockFile(folder / f"{quote(key, safe='')}.lock")


def read_record(path: Path) -> str:
    """Return the record in a lock file, ``""`` if there is none."""
    text, before = _read(path), None
    while text != before:  # half of it may have been another one
        text, before = _read(path), text
    return text


def _read(path: Path) -> str:
    try:
        return path.read_bytes()[:_RECORD_BYTES].decode(errors="replace").rstrip()
    except OSError:
        return ""


def _open(path: Path) -> int:
    """Open or make a file that all users can lock and write.

    Linux refuses ``O_CREAT`` on another user's file in a sticky folder
    (``fs.protected_regular``), so an existing one is opened without it.
    """
    flags = os.O_RDWR | os.O_NOFOLLOW
    try:
        return os.open(path, flags)
    except FileNotFoundError:
        pass
    try:
        descriptor = os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o666)
    except FileExistsError:
        return os.open(path, flags)
    _open_to_all(path, 0o666)
    return descriptor


def _open_to_all(path: Path, mode: int) -> None:
    """Undo what the umask took, where the file is ours."""
    if path.stat().st_uid == os.getuid():
        path.chmod(mode)
