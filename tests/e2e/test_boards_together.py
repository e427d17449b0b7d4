"""Several real boards in one test: taken at once, started side by side, one clock."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.bench.rig import Rig
from pytest_embedbench.errors import FlashFailed
from pytest_embedbench.lab.leases.acquire import Leases
from pytest_embedbench.lab.leases.lease import BoardRequest
from pytest_embedbench.lab.ports.discovery import PortQuery
from tests.support import ssh_server as ssh
from tests.support.boards import image
from tests.support.pty_board import Pty, spec_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_embedbench.model import BoardSpec, FirmwareImage

LAB = """\
[boards.t1]
board = "any-serial"
port = "{port}"

[boards.pi]
board = "raspberry-pi"
port = "ssh://bench"
login = {{ ssh_config = "{config}", within_s = 30 }}
program = {{ command = ["sh", "-c", "echo READY; exec cat"], folder = "{folder}" }}
"""
TEST = """
def test_it(real_boards, make_bench):
    t1, pi = real_boards("t1", "pi")
    assert (t1.spec.name, pi.spec.name) == ("t1", "pi")
    assert t1.started_s == pi.started_s
    left, right = make_bench(t1), make_bench(pi)
    right.expect("^READY$", within_ms=20_000)
    left.send("to the left")
    right.send("to the right")
    right.expect("^to the right$", within_ms=20_000)
"""


@pytest.fixture(autouse=True)
def locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBEDBENCH_LOCKS", str(tmp_path / "locks"))


@pytest.fixture
def ptys() -> Iterator[tuple[Pty, Pty]]:
    left, right = Pty(), Pty()
    yield left, right
    left.unplug()
    right.unplug()


def test_a_microcontroller_and_a_linux_target_are_in_one_test(
    pytester: pytest.Pytester, ptys: tuple[Pty, Pty]
) -> None:
    if reason := ssh.missing():
        pytest.skip(reason)
    server = ssh.ssh_server(pytester.mkdir("ssh"))
    places = {"port": ptys[0].path, "config": server.config}
    file = pytester.path / "embedbench.toml"
    file.write_text(LAB.format(folder=pytester.mkdir("programs"), **places))
    pytester.makepyfile(TEST)
    result = pytester.runpytest_subprocess(f"--embedbench-lab={file}")
    result.assert_outcomes(passed=1)
    said = {
        path.parent.name: path.read_text()
        for path in pytester.path.rglob("transcript.log")
        if "latest" not in path.parts
    }
    assert said.keys() == {"t1", "pi"}
    assert "to the left" in said["t1"]
    assert "to the right" in said["pi"]


def meets(folder: Path, mine: str, other: str) -> tuple[str, ...]:
    """Return a command that ends when that of the other board runs, too."""
    script = f'cd "{folder}"; echo here > {mine}; read answer < {other}'
    return ("timeout", "20", "sh", "-c", script)


def named(name: str, pty: Pty, write: tuple[str, ...]) -> BoardSpec:
    spec = spec_for(pty.path, flash_method="command", flash_write_argv=write)
    return replace(spec, name=name)


def wanted(
    folder: Path, ptys: tuple[Pty, Pty], *writes: tuple[str, ...]
) -> list[tuple[BoardSpec, FirmwareImage]]:
    built = image(folder / "image", {"firmware.hex": b":00000001FF\n"})
    return [
        (named(name, pty, write), built)
        for name, pty, write in zip(("left", "right"), ptys, writes, strict=True)
    ]


def test_boards_are_flashed_side_by_side(tmp_path: Path, ptys: tuple[Pty, Pty]) -> None:
    # Each command waits for the other board's: one after the other, neither ends.
    for name in ("a", "b"):
        os.mkfifo(tmp_path / name)
    with ExitStack() as opened:
        for name in ("a", "b"):
            # A FIFO that is open somewhere takes a line at once.
            end = os.open(tmp_path / name, os.O_RDWR)
            opened.callback(os.close, end)
        writes = meets(tmp_path, "a", "b"), meets(tmp_path, "b", "a")
        together = Rig().boot_together(wanted(tmp_path, ptys, *writes))
        left, right = opened.enter_context(together)
        assert (left.spec.name, right.spec.name) == ("left", "right")


def test_where_one_cannot_be_started_the_others_are_let_go(
    tmp_path: Path, ptys: tuple[Pty, Pty]
) -> None:
    both = wanted(tmp_path, ptys, ("true",), ("false",))
    with pytest.raises(FlashFailed), Rig().boot_together(both):
        pass
    wishes = [
        BoardRequest(name="free", boards=(("free", PortQuery(port=pty.path)),))
        for pty in ptys
    ]
    for lease in Leases().acquire(wishes, wait_s=0):
        lease.release()
