"""Locks exclude, outlive nobody, and stay where they are."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pytest_embedbench.errors import BenchFault
from pytest_embedbench.lab.leases.lockfile import (
    ByteLocking,
    FlockLocking,
    LockFile,
    Locking,
    lock_folder,
    lock_named,
)


@dataclass(slots=True)
class FakeMsvcrt:
    """Windows' ``locking``: one owner per byte of a file, whoever asks again fails."""

    LK_NBLCK: int = 2
    LK_UNLCK: int = 0
    owners: dict[tuple[int, int], int] = field(default_factory=dict)

    def locking(self, fd: int, mode: int, nbytes: int, /) -> None:
        assert nbytes == 1
        byte = (os.fstat(fd).st_ino, os.lseek(fd, 0, os.SEEK_CUR))
        if mode == self.LK_UNLCK:
            assert self.owners.pop(byte) == fd
        elif byte in self.owners:
            raise PermissionError(13, "Permission denied")
        else:
            self.owners[byte] = fd


@pytest.fixture(params=[FlockLocking(), ByteLocking(FakeMsvcrt())], ids=["posix", "nt"])
def locking(request: pytest.FixtureRequest) -> Locking:
    locking: Locking = request.param
    return locking


def test_a_lock_is_held_by_one_at_a_time(locking: Locking, tmp_path: Path) -> None:
    one = LockFile(tmp_path / "a.lock", locking)
    other = LockFile(tmp_path / "a.lock", locking)
    assert one.take()
    assert not other.take()
    one.release()
    one.release()
    assert other.take()
    other.release()


def test_what_a_holder_writes_can_be_read_by_others(
    locking: Locking, tmp_path: Path
) -> None:
    lock = LockFile(tmp_path / "a.lock", locking)
    lock.take()
    lock.write("a much longer first note")
    lock.write("note")
    assert LockFile(tmp_path / "a.lock", locking).read() == "note"
    lock.release()


def test_a_lock_file_is_never_deleted(locking: Locking, tmp_path: Path) -> None:
    # V10, C4: unlinking lets two processes hold two files of one name.
    lock = LockFile(tmp_path / "a.lock", locking)
    lock.take()
    inode = lock.path.stat().st_ino
    lock.release()
    assert lock.path.stat().st_ino == inode


def test_every_user_may_lock_whatever_the_umask(tmp_path: Path) -> None:
    umask = os.umask(0o077)
    try:
        lock = lock_named(tmp_path, "usb-A5XK")
        lock.take()
        lock.release()
    finally:
        os.umask(umask)
    assert stat.S_IMODE(lock.path.stat().st_mode) == 0o666


def test_the_folder_is_shared_by_all_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMBEDBENCH_LOCKS", str(tmp_path / "locks"))
    assert stat.S_IMODE(lock_folder().stat().st_mode) == 0o1777


def test_a_folder_that_cannot_be_made_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("EMBEDBENCH_LOCKS", str(tmp_path / "file" / "locks"))
    with pytest.raises(BenchFault, match="name another with EMBEDBENCH_LOCKS"):
        lock_folder()


def test_different_keys_have_different_files(tmp_path: Path) -> None:
    keys = ["usb-a/b", "usb-a_b", "usb-a%2Fb", "socket-desk:4000"]
    assert len({lock_named(tmp_path, key).path for key in keys}) == len(keys)


def test_a_planted_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "a.lock").symlink_to(tmp_path / "victim")
    with pytest.raises(BenchFault, match=r"a\.lock cannot be opened"):
        LockFile(tmp_path / "a.lock").take()
    assert not (tmp_path / "victim").exists()
