"""A lab of several users, and of containers with lock folders of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.cli import main
from pytest_embedbench.engines.serial_port import SerialPort
from pytest_embedbench.lab.leases import records
from pytest_embedbench.model import NO_IMAGE
from tests.support.pty_board import Pty, spec_for

if TYPE_CHECKING:
    from collections.abc import Iterator

AS_ANOTHER_USER = """
import encodings.idna, os, sys
import pytest_embedbench.cli.lab_hands
from pytest_embedbench.cli import main
os.setgroups([]), os.setgid(int(sys.argv[1])), os.setuid(int(sys.argv[1]))
sys.exit(main(sys.argv[2:]))
"""
LAB = '[boards.a]\nboard = "any-serial"\nport = "socket://a:1"\n'


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that all users can reach, with a lab file in it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "lab.toml").write_text(LAB)
        (folder / "locks").mkdir()
        (folder / "locks").chmod(0o1777)
        monkeypatch.setenv("EMBEDBENCH_LOCKS", str(folder / "locks"))
        yield folder


def lab_as(user_id: int, folder: Path, *words: str) -> tuple[int, str]:
    """Run a command as a user who has no name, as in a container."""
    file = ("--lab", str(folder / "lab.toml"))
    names = ("LOGNAME", "USER", "LNAME", "USERNAME")
    done = subprocess.run(
        [sys.executable, "-c", AS_ANOTHER_USER, str(user_id), "lab", *words, *file],
        capture_output=True,
        text=True,
        check=False,
        env={key: value for key, value in os.environ.items() if key not in names},
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be two other users")
def test_what_one_user_holds_is_held_for_all(shared: Path) -> None:
    host = records.this_person().partition("@")[2]
    code, said = lab_as(1001, shared, "hold", "a", "--why", "rework")
    assert (code, said[: said.index(" since")]) == (
        0,
        f"a is held by hand by 1001@{host}",
    )
    code, said = lab_as(1002, shared, "hold", "a", "--why", "mine")
    assert code == 1
    assert f"a is held by hand by 1001@{host} since " in said
    assert lab_as(1002, shared, "release", "a")[0] == 0
    assert lab_as(1002, shared, "hold", "a", "--why", "mine")[0] == 0


def test_two_lock_folders_do_not_share_a_port_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # A container that has not got the host's lock folder: the port itself refuses.
    pty = Pty()
    monkeypatch.setenv("EMBEDBENCH_LOCKS", str(tmp_path / "host"))
    board = SerialPort().boot(spec_for(pty.path), NO_IMAGE)
    monkeypatch.setenv("EMBEDBENCH_LOCKS", str(tmp_path / "container"))
    file = tmp_path / "lab.toml"
    file.write_text(f'[boards.near]\nboard = "any-serial"\nport = "{pty.path}"\n')
    assert main(["lab", "check", "--lab", str(file)]) == 1
    said = capsys.readouterr().out
    assert said.startswith(f"near: {pty.path} is in use by ")
    board.close()
    assert main(["lab", "check", "--lab", str(file)]) == 0
    pty.unplug()
