"""The tank suite, as it is, on a board behind a port: an Uno that avrdude flashes.

The board is a simulated one in another process, behind a pty and in real time; nothing
that talks to it knows. Depends on host time, with the margins that the suite has.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.pty_uno import missing, pty_uno

if TYPE_CHECKING:
    from pytest_embedbench.builders.platformio.core_setup import CoreSetup

TANK = Path(__file__).parents[2] / "example_suites" / "tank_fill_drain"
LAB = """\
[boards.desk]
board = "arduino-uno"
port = "{port}"
options = {{ silent_after_reset_ms = 1000 }}  # its bootloader listens for longer

[boards.desk.flash]
method = "{method}"
programmer = "arduino"
answer_within_s = 5.0
reset = ["touch", "{button}"]

[boards.desk.reset]
command = ["touch", "{button}"]
"""
ONE_OF_EACH = (
    "not test_the_pump_switches_at_the_edges_of_the_band_only "
    "and not (malformed and not banana) and not after_start_up"
)
"""One takes a minute, on a desk too; of the others a few show what all would."""


@pytest.mark.host_time
@pytest.mark.timeout(600)
def test_the_tank_suite_passes_on_a_real_board(
    tmp_path: Path, seeded: CoreSetup
) -> None:
    if reason := missing():
        pytest.skip(reason)
    if shutil.which("avrdude") is None:
        pytest.skip("no avrdude: apt-get install avrdude")

    def run(*words: str, method: str) -> str:
        lab = tmp_path / "embedbench.toml"
        lab.write_text(LAB.format(port=uno.port, button=uno.button, method=method))
        done = subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "-p", "no:cacheprovider"),
                *("--board=desk", f"--embedbench-lab={lab}"),
                "--embedbench-firmware=solution",
                f"--embedbench-artifacts={tmp_path / 'artifacts'}",
                *words,
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
            timeout=500,
            check=False,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout

    with pty_uno(tmp_path) as uno:
        assert "4 passed" in run("visible", method="avrdude")
        # What is on it now stays on it, so that a test costs no more than its reset.
        said = run("hidden/test_loop.py", "-k", ONE_OF_EACH, method="none")
        assert re.search(r"= 9 passed, \d skipped, \d+ deselected", said), said
