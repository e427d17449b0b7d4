"""A suite spread over hosts by xdist over SSH: each with its own boards, one report.

The hosts are this very machine, each with a lab file, a cache and locks of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.cli.examples import copy_example
from tests.support import ssh_server
from tests.support.pty_board import PtyBoard

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from pytest_embedbench.builders.platformio.core_setup import CoreSetup
    from pytest_embedbench.testing import Firmware, LoopbackUart

TESTS = """
import os
import pytest

@pytest.mark.parametrize("turn", range(6))
def test_it(real_board, make_bench, turn):
    bench = make_bench(real_board("desk"))
    bench.send("WHO")
    bench.expect(f"^I am the board of {os.environ['HOME_OF']}$", within_ms=5000)
    if turn == 5:
        bench.expect("NEVER", within_ms=50)
"""


def named(name: str) -> Firmware:
    """Return a firmware that says whose it is."""

    def firmware(uart: LoopbackUart) -> Generator[int, None, None]:
        while True:
            if b"WHO\n" in uart.read():
                uart.write(f"I am the board of {name}\n".encode())
            yield 1

    return firmware


@dataclass(frozen=True, slots=True)
class Host:
    """A folder that stands for a machine, and how to get there."""

    folder: Path
    ssh_config: Path

    @property
    def name(self) -> str:
        return self.folder.name

    def tx(self, **environment: object) -> str:
        """Return ``--tx`` for a worker there."""
        here = {
            "HOME_OF": self.name,
            "EMBEDBENCH_LAB": self.folder / "embedbench.toml",
            "EMBEDBENCH_LOCKS": self.folder / "locks",
            "EMBEDBENCH_CACHE": self.folder / "cache",
            **environment,
        }
        words = [f"env:{key}={value}" for key, value in here.items()]
        ways = [
            f"ssh={ssh_server.HOST}",
            f"ssh_config={self.ssh_config}",
            f"python={sys.executable}",
            f"chdir={self.folder}",
        ]
        return f"--tx={'//'.join([*ways, *words])}"


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[list[Host]]:
    """Two hosts, each with one board that its lab file calls desk."""
    if reason := ssh_server.missing():
        pytest.skip(reason)
    (tmp_path / "ssh").mkdir()
    config = ssh_server.ssh_server(tmp_path / "ssh").config
    boards: list[PtyBoard] = []
    made: list[Host] = []
    for name in ("left", "right"):
        host = Host(tmp_path / name, config)
        host.folder.mkdir()
        boards.append(PtyBoard(named(name)))
        (host.folder / "embedbench.toml").write_text(
            f'[boards.desk]\nboard = "any-serial"\nport = "{boards[-1].path}"\n'
        )
        made.append(host)
    yield made
    for board in boards:
        board.close()


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., str]:
    """A function that runs a suite from a folder of the controller."""

    def run_pytest(*words: str) -> str:
        done = subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "-pno:cacheprovider"),
                "-Wignore:The --rsyncdir:DeprecationWarning",
                *("--rootdir=.", "--dist=load", *words),
            ],
            cwd=tmp_path / "desk",
            env={k: v for k, v in os.environ.items() if k != "EMBEDBENCH_LAB"},
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
        )
        return done.stdout + done.stderr

    (tmp_path / "desk").mkdir()
    return run_pytest


@pytest.mark.timeout(240)
def test_each_host_has_boards_of_its_own_and_the_files_come_home(
    hosts: list[Host], run: Callable[..., str], tmp_path: Path
) -> None:
    suite = tmp_path / "desk" / "suite"
    suite.mkdir()
    (suite / "test_it.py").write_text(TESTS)
    said = run(f"--rsyncdir={suite}", *(host.tx() for host in hosts), str(suite))
    assert "1 failed, 5 passed" in said, said
    files = {
        str(path.relative_to(tmp_path / "desk/.embedbench/runs/latest"))
        for path in (tmp_path / "desk/.embedbench/runs/latest/").rglob("*.*")
        if path.is_file()
    }
    assert files == {
        f"suite/test_it.py/test_it[{turn}]/{name}"
        for turn in range(6)
        for name in ("transcript.log", "test.json")
    } | {"lab.json", "run.json", ".running"}
    # The failure shows where its transcript is here, not where it was.
    (run_dir,) = (path for path in (tmp_path / "desk").rglob("runs/2*"))
    transcript = run_dir / "suite/test_it.py/test_it[5]/transcript.log"
    assert f"transcript: {transcript}" in said
    assert str(transcript) in transcript.with_name("test.json").read_text()
    for host in hosts:
        assert list((host.folder / "locks").glob("device-*.lock"))
        assert not list(host.folder.rglob("transcript.log"))


@pytest.mark.timeout(240)
def test_verdicts_are_whole_and_each_host_builds_for_itself(
    hosts: list[Host], run: Callable[..., str], tmp_path: Path, seeded: CoreSetup
) -> None:
    # What is sent to another host has to be whole by itself.
    tank = tmp_path / "tank_fill_drain"
    copy_example(tank.name, tank)
    said = run(
        f"--rsyncdir={tank}",
        *(host.tx(PLATFORMIO_CORE_DIR=seeded.core_dir) for host in hosts),
        *("--board=native", "--embedbench-firmware=solution", "-k", "after_start_up"),
        str(tank / "hidden" / "test_loop.py"),
    )
    assert "3 passed" in said, said
    runs = tmp_path / "desk" / ".embedbench" / "runs" / "latest"
    verdict = json.loads((runs / "tank_fill_drain/native/verdict.json").read_text())
    passed = [check for check in verdict["checks"] if check["outcome"] == "passed"]
    assert len(passed) == 3
    assert len(list(runs.rglob("plot.svg"))) == 3
    for host in hosts:
        assert list((host.folder / "cache").rglob("program"))


@pytest.mark.timeout(240)
def test_a_board_that_a_host_has_not_is_told(
    hosts: list[Host], run: Callable[..., str], tmp_path: Path
) -> None:
    suite = tmp_path / "desk" / "suite"
    suite.mkdir()
    (suite / "test_it.py").write_text("def test_it(board): pass\n")
    said = run(f"--rsyncdir={suite}", hosts[0].tx(), "--board=ship", str(suite))
    assert "1 error" in said, said
    assert "no board named 'ship'; known boards: any-serial" in said, said
