"""Locks exclude, outlive nobody, and stay where they are."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.errors import BenchFault
from pytest_embedbench.lab.leases.lockfile import (
    LockFile,
    lock_folder,
    lock_named,
)

if TYPE_CHECKING:
    from collections.abc import Callable


def test_a_lock_is_held_by_one_at_a_time(tmp_path: Path) -> None:
    one = LockFile(tmp_path / "a.lock")
    other = LockFile(tmp_path / "a.lock")
    assert one.try_acquire()
    assert not other.try_acquire()
    one.release()
    one.release()
    assert other.try_acquire()
    other.release()


def test_what_a_holder_writes_can_be_read_by_others(tmp_path: Path) -> None:
    lock = LockFile(tmp_path / "a.lock")
    lock.try_acquire()
    lock.write("a much longer first note")
    lock.write("note")
    assert LockFile(tmp_path / "a.lock").read() == "note"
    lock.release()


def test_there_is_no_moment_without_a_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Whose port has gone by then would be told that there never was one.
    lock = LockFile(tmp_path / "a.lock")
    lock.try_acquire()
    lock.write("a much longer first note")
    seen: list[str] = []
    for name in ("write", "pwrite", "ftruncate"):
        real = getattr(os, name)

        def and_look(*args: object, real: Callable[..., object] = real) -> object:
            done = real(*args)
            seen.append(LockFile(lock.path).read())
            return done

        monkeypatch.setattr(os, name, and_look)
    lock.write("note")
    assert set(seen) == {"note"}
    lock.release()


def test_half_of_a_record_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = iter([b"new", b"newest", b"newest", b""])
    monkeypatch.setattr(Path, "read_bytes", lambda _: next(said))
    assert LockFile(tmp_path / "a.lock").read() == "newest"


def test_a_lock_file_is_never_deleted(tmp_path: Path) -> None:
    # V10, C4: unlinking lets two processes hold two files of one name.
    lock = LockFile(tmp_path / "a.lock")
    lock.try_acquire()
    inode = lock.path.stat().st_ino
    lock.release()
    assert lock.path.stat().st_ino == inode


def test_every_user_may_lock_whatever_the_umask(tmp_path: Path) -> None:
    umask = os.umask(0o077)
    try:
        lock = lock_named(tmp_path, "usb-A5XK")
        lock.try_acquire()
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
        LockFile(tmp_path / "a.lock").try_acquire()
    assert not (tmp_path / "victim").exists()


AS_ANOTHER_USER = """
import os, sys
from pathlib import Path
from pytest_embedbench.lab.leases.lockfile import LockFile
os.setgroups([]), os.setgid(int(sys.argv[1])), os.setuid(int(sys.argv[1]))
lock = LockFile(Path(sys.argv[2]))
if lock.try_acquire():
    print(lock.read())
    lock.write(sys.argv[1])
    lock.release()
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be two other users")
def test_a_lock_that_another_user_has_made_is_as_good() -> None:
    # What filelock 4.3 refuses; boards are shared by all users of a machine.
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o1777)

        def lock_as(user_id: int) -> str:
            argv = [sys.executable, "-c", AS_ANOTHER_USER, str(user_id), f"{folder}/a"]
            done = subprocess.run(argv, capture_output=True, text=True, check=True)
            return done.stdout.strip()

        assert [lock_as(user) for user in (1001, 1002, 1001)] == ["", "1001", "1002"]
        held = LockFile(Path(folder, "a"))
        held.try_acquire()
        assert lock_as(1002) == ""
        assert held.read() == "1001"
        held.release()
