"""The tank suite, as it is, on a board behind a port: an Uno that avrdude flashes.

The board is a simulated one in another process, behind a pty and in real time; nothing
that talks to it knows. Depends on host time, with the margins that the suite has.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.pty_uno import missing, pty_uno

if TYPE_CHECKING:
    from pytest_embedbench.builders.platformio.seed import Seeded

TANK = Path(__file__).parents[2] / "example_suites" / "tank_fill_drain"
LAB = """\
[boards.desk]
board = "arduino-uno"
port = "{port}"

[boards.desk.flash]
method = "avrdude"
programmer = "arduino"
answer_within_s = 5.0
reset = ["touch", "{button}"]

[boards.desk.reset]
command = ["touch", "{button}"]
"""


@pytest.mark.host_time
@pytest.mark.timeout(300)
def test_the_tank_suite_passes_on_a_real_board(tmp_path: Path, seeded: Seeded) -> None:
    if reason := missing():
        pytest.skip(reason)
    if shutil.which("avrdude") is None:
        pytest.skip("no avrdude: apt-get install avrdude")
    lab = tmp_path / "embedbench.toml"
    with pty_uno(tmp_path) as uno:
        lab.write_text(LAB.format(port=uno.port, button=uno.button))
        done = subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "-p", "no:cacheprovider"),
                *("--board=desk", f"--embedbench-lab={lab}"),
                "--embedbench-firmware=solution",
                f"--embedbench-artifacts={tmp_path / 'artifacts'}",
                str(TANK / "visible"),
            ],
            cwd=TANK,
            env={
                **os.environ,
                "PLATFORMIO_CORE_DIR": str(seeded.core_dir),
                "EMBEDBENCH_CACHE": str(tmp_path / "cache"),
                "EMBEDBENCH_LOCKS": str(tmp_path / "locks"),
            },
            capture_output=True,
            text=True,
            timeout=280,
            check=False,
        )
    assert done.returncode == 0, done.stdout
    assert "4 passed" in done.stdout
