"""The ``console`` fixture and ``embedbench lab check``, on a real SSH server."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.support import ssh_server as ssh

if TYPE_CHECKING:
    from pathlib import Path

LAB = """\
[boards.pi-1]
board = "raspberry-pi"
port = "ssh://bench"
login = {{ ssh_config = "{config}", within_s = 30 }}
"""


@pytest.fixture
def lab(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Path:
    if reason := ssh.missing():
        pytest.skip(reason)
    monkeypatch.setenv("EMBEDBENCH_LOCKS", str(pytester.path / "locks"))
    folder = pytester.mkdir("ssh")
    server = ssh.ssh_server(folder)
    file = pytester.path / "embedbench.toml"
    file.write_text(LAB.format(config=server.config))
    return file


def test_a_test_has_a_shell_on_a_target_of_the_lab(
    pytester: pytest.Pytester, lab: Path
) -> None:
    pytester.makepyfile("""
        def test_it_runs(console):
            assert console("pi-1").run("echo $((6 * 7))").text == "42\\n"

        def test_it_hangs(console):
            console("pi-1").run("sleep 60", within_s=0.1)
    """)
    result = pytester.runpytest_subprocess(f"--embedbench-lab={lab}")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        ["*'sleep 60' did not end within 0.1 s on ssh://bench*"]
    )


def test_what_has_no_console_is_named(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        def test_it(console):
            console("/dev/ttyUSB0", board="arduino-uno")
    """)
    result = pytester.runpytest_subprocess()
    result.stdout.fnmatch_lines(["*arduino-uno*runs on serial and has no console*"])


def test_a_lab_check_logs_in_to_targets(lab: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest_embedbench.cli", "lab", "check", f"--lab={lab}"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout.startswith("pi-1: ready: Linux "), done.stdout + done.stderr
    assert done.returncode == 0
