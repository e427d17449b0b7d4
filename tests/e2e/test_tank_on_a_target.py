"""The tank's suites, as they are, on a Linux target behind a real SSH server.

The target is this very machine, and nothing that talks to it knows. Depends on host
time, with the margins that the suites have.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support import ssh_server as ssh
from tests.support.linux_target import PASSWORD, USER, serial_target

if TYPE_CHECKING:
    from pytest_embedbench.builders.platformio.core_setup import CoreSetup

TANK = Path(__file__).parents[2] / "example_suites" / "tank_fill_drain"
IN_PYTHON = Path(__file__).parent / "programs" / "tank"
LAB = """\
[boards.pi-1]
board = "raspberry-pi"
port = "{port}"
labels = ["pi"]
login = {login}
program = {{ folder = "{folder}" }}
"""


@pytest.fixture
def over_ssh(tmp_path: Path) -> Path:
    """A lab with a target that this machine's own SSH server leads to."""
    if reason := ssh.missing():
        pytest.skip(reason)
    (tmp_path / "ssh").mkdir()
    server = ssh.ssh_server(tmp_path / "ssh")
    return lab(tmp_path, "ssh://bench", f'{{ ssh_config = "{server.config}" }}')


def lab(tmp_path: Path, port: str, login: str) -> Path:
    folder = tmp_path / "programs"
    folder.mkdir()
    file = tmp_path / "embedbench.toml"
    file.write_text(LAB.format(port=port, login=login, folder=folder))
    return file


def on_the_target(
    lab: Path, tmp_path: Path, firmware: str, *suites: str, core_dir: Path
) -> str:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-v"),
            *("--board=pi", f"--embedbench-lab={lab}"),
            f"--embedbench-firmware={firmware}",
            f"--embedbench-artifacts={tmp_path / 'artifacts'}",
            *(str(TANK / suite) for suite in suites),
        ],
        cwd=TANK,
        env={
            **os.environ,
            "PLATFORMIO_CORE_DIR": str(core_dir),
            "EMBEDBENCH_CACHE": str(tmp_path / "cache"),
            "EMBEDBENCH_LOCKS": str(tmp_path / "locks"),
        },
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.mark.host_time
@pytest.mark.timeout(300)
def test_the_tanks_suite_passes_on_a_program_in_c(
    over_ssh: Path, tmp_path: Path, seeded: CoreSetup
) -> None:
    told = on_the_target(
        over_ssh, tmp_path, "solution", "visible", core_dir=seeded.core_dir
    )
    assert "4 passed" in told


@pytest.mark.host_time
@pytest.mark.timeout(300)
def test_the_tanks_suite_passes_on_a_program_in_python(
    over_ssh: Path, tmp_path: Path
) -> None:
    told = on_the_target(
        over_ssh, tmp_path, str(IN_PYTHON), "visible", core_dir=tmp_path / "none"
    )
    assert "4 passed" in told


@pytest.mark.host_time
@pytest.mark.timeout(300)
def test_the_loop_closes_over_a_serial_console_too(tmp_path: Path) -> None:
    with serial_target(tmp_path) as line:
        login = f'{{ user = "{USER}", password = "{PASSWORD}" }}'
        told = on_the_target(
            lab(tmp_path, line.path, login),
            tmp_path,
            str(IN_PYTHON),
            "visible/test_tank.py::test_the_tank_fills_in_closed_loop",
            core_dir=tmp_path / "none",
        )
    assert "1 passed" in told
