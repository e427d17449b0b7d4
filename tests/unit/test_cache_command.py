"""``embedbench cache``: what is there, and making room beside runs that go on."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock

from pytest_embedbench.bench.cache_use import share_cache
from pytest_embedbench.builders.platformio.cores import choose_core, private_core
from pytest_embedbench.builders.platformio.ini import read_ini
from pytest_embedbench.cli import main
from pytest_embedbench.digests import ABSENT, file_digest
from pytest_embedbench.errors import BenchFault
from pytest_embedbench.processes.pio_environment import quiet_environment
from pytest_embedbench.support.paths import cache_root, home_dir

if TYPE_CHECKING:
    from pathlib import Path

DAY_S = 24 * 3600


def fill(root: Path) -> dict[str, Path]:
    """Make one old and one new thing of each kind; returns what marks their age."""
    stamps: dict[str, Path] = {}
    for age in ("old", "new"):
        files = {
            "image": root / "images" / age / "manifest.json",
            "program": root / "images" / age / "firmware.elf",
            "place": root / "builds" / age / "lock",
            "object": root / "builds" / age / "workspace" / "build" / "main.o",
            "log": root / "failed" / f"{age}.log",
            "answers": root / "conversations" / age / "one check",
        }
        for file in files.values():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("x" * 1000)
        stamps |= {f"{age} {kind}": file for kind, file in files.items()}
        if age == "old":
            for file in files.values():
                at = file.stat().st_mtime - 100 * DAY_S
                os.utime(file, (at, at))
                os.utime(file.parent, (at, at))
    return stamps


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EMBEDBENCH_CACHE", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir()
    return tmp_path / "cache"


def test_info_says_how_much_there_is_and_how_old(
    cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(cache)
    assert main(["cache", "info"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"cache: {cache}",
        "images: 2, 0.0 MB, last used 0 to 100 days ago",
        "scratch places: 2, 0.0 MB, last used 0 to 100 days ago",
        "logs of failed builds: 2, 0.0 MB, last used 0 to 100 days ago",
        "suites with known answers: 2, 0.0 MB, last used 0 to 100 days ago",
    ]


def test_prune_removes_what_is_old(
    cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stamps = fill(cache)
    assert main(["cache", "prune", "--older-than=50"]) == 0
    kept = {name for name, file in stamps.items() if file.exists()}
    assert kept == {name for name in stamps if name.startswith("new")} | {"old place"}
    assert "removed images: 1, 0.0 MB" in capsys.readouterr().out


def test_prune_all_leaves_nothing_but_locks(
    cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(cache)
    assert main(["cache", "prune", "--all"]) == 0
    left = {file.name for file in cache.rglob("*") if file.is_file()}
    assert left == {"lock", "users.lock"}
    capsys.readouterr()
    main(["cache", "info"])
    assert "scratch places: none" in capsys.readouterr().out


def test_nothing_is_pruned_while_a_run_uses_it(
    cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stamps = fill(cache)
    users = share_cache(cache)
    try:
        assert main(["cache", "prune", "--all"]) == 1
    finally:
        os.close(users)
    assert "is in use by a run" in capsys.readouterr().err
    assert all(file.exists() for file in stamps.values())
    assert main(["cache", "prune", "--all"]) == 0


def test_a_place_where_somebody_builds_is_left_alone(cache: Path) -> None:
    stamps = fill(cache)
    with FileLock(stamps["old place"]):
        assert main(["cache", "prune", "--all"]) == 0
        assert stamps["old object"].exists()
    assert not stamps["new object"].exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["info", "--cache=/no/such"], "/no/such: there is no cache (yet)"),
        (["prune", "--older-than=-1"], "--older-than=-1: must be 0 or more days"),
    ],
)
def test_what_makes_no_sense_is_refused(
    cache: Path, capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    assert cache.is_dir()
    assert main(["cache", *words]) == 1
    assert told in capsys.readouterr().err


# ------------------------------------------------------------------- digests of files
def test_a_digest_follows_a_file_whatever_its_time_says(tmp_path: Path) -> None:
    file = tmp_path / "x"
    assert file_digest(file) == ABSENT
    file.write_text("one")
    os.utime(file, (1, 1))
    first = file_digest(file)
    file.write_text("two")
    os.utime(file, (1, 1))
    assert file_digest(file) not in {first, ABSENT}
    file.unlink()
    assert file_digest(file) == ABSENT
    file.mkdir()
    assert file_digest(file) == ABSENT


# --------------------------------------------------------------------- without a home
@pytest.mark.parametrize("home", ["/nonexistent", "/proc/1/nowhere"])
def test_a_user_without_a_home_has_one_among_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: str
) -> None:
    monkeypatch.setenv("HOME", home)
    monkeypatch.delenv("EMBEDBENCH_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    instead = tmp_path / f"embedbench-home-{os.getuid()}"
    assert home_dir() == instead
    assert instead.stat().st_mode & 0o077 == 0
    assert cache_root() == instead / ".cache" / "embedbench"
    assert quiet_environment()["HOME"] == str(instead)


def test_a_home_that_somebody_else_has_made_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/nonexistent")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "theirs").mkdir()
    (tmp_path / f"embedbench-home-{os.getuid()}").symlink_to("theirs")
    with pytest.raises(BenchFault, match="is somebody else's: set HOME"):
        home_dir()


# ---------------------------------------------------------------- PLATFORMIO_CORE_DIR
@pytest.mark.parametrize(("has", "named_is_used"), [("native", True), ("other", False)])
def test_a_core_directory_that_is_named_is_used_for_what_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has: str, *, named_is_used: bool
) -> None:
    named, private = tmp_path / "named", private_core(tmp_path)
    for core, name in ((named, has), (private, "native")):
        (core / "platforms").mkdir(parents=True)
        (core / "platforms" / f"{name}.pio-link").touch()
    (private / "embedbench-seed.json").touch()
    (tmp_path / "platformio.ini").write_text("[env:x]\nplatform = native\n")
    monkeypatch.setenv("PLATFORMIO_CORE_DIR", str(named))
    ini = read_ini(tmp_path / "platformio.ini", tmp_path)
    chosen = choose_core(None, tmp_path, ini, "x").core_dir
    assert chosen == (named if named_is_used else private)
