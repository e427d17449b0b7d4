"""The ``console`` fixture and ``embedbench lab check``, on a real SSH server."""

from __future__ import annotations

import json
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


def test_a_console_leaves_evidence(
    pytester: pytest.Pytester, lab: Path, tmp_path: Path
) -> None:
    (tmp_path / "settings.json").write_text("{}")
    pytester.makepyfile(f"""
        from pathlib import Path

        def test_it(console):
            pi = console("pi-1")
            pi.run("echo one; echo two; exit_with() {{ return $1; }}; exit_with 3")
            pi.copy(Path({str(tmp_path / "settings.json")!r}), "{tmp_path}/copied")
            assert pi.run("uname").text == "Plan 9"

        def test_it_hangs(console):
            console("pi-1").run("sleep 60", within_s=0.1)

        def test_it_checks(console):
            console("pi-1").run("false").check()
    """)
    result = pytester.runpytest_subprocess(f"--embedbench-lab={lab}")
    result.assert_outcomes(failed=3)
    (run,) = (
        path
        for path in (pytester.path / ".embedbench" / "runs").iterdir()
        if not path.is_symlink()
    )
    said = {
        path.parent.name: path.read_text() for path in run.rglob("console-pi-1.log")
    }
    words = [line.split(maxsplit=2)[1:] for line in said["test_it"].splitlines()]
    assert words[0] == ["--", "logged in to pi-1 on ssh://bench"]
    assert words[1][0] == "->fw"
    assert words[2:4] == [["fw->", "one"], ["fw->", "two"]]
    assert " ".join(words[4]).startswith("-- exit status 3 after ")
    assert words[5] == ["--", f"copy settings.json (2 bytes) to {tmp_path}/copied"]
    assert "-- ExpectTimeout: 'sleep 60' did not end within 0.1 s" in " ".join(
        said["test_it_hangs"].split()
    )
    blamed = {
        record["test"].rpartition("::")[2]: (record["board"], record["blame"])
        for record in map(json.loads, (p.read_text() for p in run.rglob("test.json")))
    }
    assert blamed == {
        "test_it": ("pi-1", "firmware"),
        "test_it_hangs": ("pi-1", "firmware"),
        "test_it_checks": ("pi-1", "bench"),
    }
    result.stdout.fnmatch_lines(["*console of pi-1*", "*exit status 3 after*"])


def test_the_console_beside_a_program_leaves_evidence_too(
    pytester: pytest.Pytester, lab: Path
) -> None:
    lab.write_text(lab.read_text() + 'program = { command = ["cat"] }\n')
    pytester.makepyfile("""
        def test_it(bench):
            shell = bench.board.console
            assert shell is bench.board.console
            shell.run("echo $((6 * 7)); exit_with() { return $1; }; exit_with 3")
            bench.send("HELLO")
            bench.expect("^HELLO$", within_ms=20_000)
            assert shell.run("uname").text == "Plan 9"
    """)
    result = pytester.runpytest_subprocess(f"--embedbench-lab={lab}", "--board=pi-1")
    result.assert_outcomes(failed=1)
    (said,) = pytester.path.rglob("console-pi-1.log")
    words = [line.split(maxsplit=2)[1:] for line in said.read_text().splitlines()]
    assert words[0] == ["--", "logged in to pi-1 on ssh://bench"]
    assert words[2] == ["fw->", "42"]
    assert words[3][1].startswith("exit status 3 after ")
    result.stdout.fnmatch_lines(["*console of pi-1 (firmware fault)*"])


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
