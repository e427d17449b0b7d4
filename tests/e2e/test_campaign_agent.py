"""An agent in its sandbox can work and submit, and finds nothing of the evaluator."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.processes import sandbox
from tests.e2e.native_firmware import SUITES
from tests.support.marks import marks_of_the_evaluator

if TYPE_CHECKING:
    from collections.abc import Sequence

TANK = SUITES / "tank_fill_drain"
_HIDDEN = [
    mark for mark in marks_of_the_evaluator("tank_fill_drain") if "LEVEL" in mark
]
MARKS = (
    *_HIDDEN[:25],
    "planted-in-the-home", "planted-in-the-records", "planted-in-the-environment",
    "planted-in-a-process", "planted-beside-the-workspace",
)  # fmt: skip
HUNTER = f"""
import os, pathlib, sys
marks = [mark.encode() for mark in {MARKS!r}]
found = set()
places = ["/"]
while places:
    place = places.pop()
    try:
        names = os.listdir(place)
    except OSError:
        continue
    for name in names:
        path = os.path.join(place, name)
        if os.path.islink(path):
            continue
        if "/site-packages/" in path and "embedbench" not in path:
            continue
        if os.path.isdir(path):
            # The kernel's: what is said of other processes is looked at below.
            if path not in ("/proc", "/dev", "/usr", "/lib", "/lib64"):
                places.append(path)
            continue
        try:
            if os.path.isfile(path) and os.path.getsize(path) < 3_000_000:
                data = pathlib.Path(path).read_bytes()
                found |= {{(mark, path) for mark in marks if mark in data}}
        except OSError:
            pass
        found |= {{(mark, path) for mark in marks if mark in os.fsencode(path)}}
for process in pathlib.Path("/proc").glob("[0-9]*"):
    for name in ("environ", "cmdline", "maps"):
        try:
            data = (process / name).read_bytes()
        except OSError:
            continue
        found |= {{(mark, str(process)) for mark in marks if mark in data}}
own = pathlib.Path(sys.argv[0]).read_bytes()
for mark, path in sorted(found):
    if path != sys.argv[0] and "/proc/" not in path:
        print("FOUND", mark, path)
    elif "/proc/" in path and b"planted-in-a-process" in mark:
        print("FOUND", mark, path)
print("searched")
"""


def workspace_run(
    tmp_path: Path, mode: str, command: Sequence[str], *more: str
) -> subprocess.CompletedProcess[str]:
    if sandbox.missing() is not None:
        pytest.skip("no bubblewrap here: apt-get install bubblewrap")
    words = (sys.executable, "-m", "pytest_embedbench.cli", "workspace", "run")
    places = (TANK, tmp_path / "workspace", f"--records={tmp_path / 'records'}")
    return subprocess.run(
        [*words, *places, f"--mode={mode}", "--board=native", "--sandbox=require",
         *more, "--", *command],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "MARK": "planted-in-the-environment"},
    )  # fmt: skip


def test_an_agent_works_submits_and_is_told(tmp_path: Path) -> None:
    solution = (TANK / "solution/src/controller.c").read_text()
    header = (TANK / "solution/src/controller.h").read_text()
    script = tmp_path / "agent.py"
    script.write_text(
        "import pathlib, subprocess\n"
        "def run(*words):\n"
        "    done = subprocess.run(words, capture_output=True, text=True)\n"
        "    print(words[0], done.returncode, done.stdout[-300:], done.stderr[-300:])\n"
        "run('pytest', '-q', '--board=native', '-k', 'boots', 'visible')\n"
        "run('embedbench', 'submit')\n"
        f"pathlib.Path('src/controller.c').write_text({solution!r})\n"
        f"pathlib.Path('src/controller.h').write_text({header!r})\n"
        "run('embedbench', 'submit')\n"
    )
    readable = f"--readable={script}"
    command = ("python3", str(script))
    done = workspace_run(tmp_path, "ci_red_green", command, readable, "--profile=paper")
    assert done.returncode == 0, done.stderr
    log = (tmp_path / "records/agent.log").read_text()
    assert "pytest 0 " in log, log
    assert "embedbench 0 FAIL" in log
    assert "embedbench 0 PASS" in log
    first, second, last = done.stdout.splitlines()
    assert first.startswith("1  HOST  HOST_TEST")
    assert second.startswith("2  PASS  INTEGRATION")
    assert last.startswith("record: 7 lines, sealed ")
    kinds = [
        json.loads(line)["kind"]
        for line in (tmp_path / "records/record.jsonl").read_text().splitlines()
    ]
    assert kinds == [
        "opened", "noted", "taken", "judged", "taken", "judged", "closed",
    ]  # fmt: skip


def test_a_hunter_finds_nothing_of_the_evaluator(tmp_path: Path) -> None:
    home = Path.home() / ".embedbench-test-mark"
    home.write_text("planted-in-the-home")
    (tmp_path / "records").mkdir()
    (tmp_path / "records/notes").write_text("planted-in-the-records")
    (tmp_path / "other-workspace").mkdir()
    (tmp_path / "other-workspace/x").write_text("planted-beside-the-workspace")
    hunter = tmp_path / "hunter.py"
    hunter.write_text(HUNTER)
    beside = subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdin.read()", "planted-in-a-process"],
        stdin=subprocess.PIPE,
    )
    try:
        done = workspace_run(
            tmp_path,
            "oneshot_blind",
            ("python3", str(hunter)),
            f"--readable={hunter}",
        )
    finally:
        home.unlink()
        beside.communicate()
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "records/agent.log").read_text() == "searched\n"


def test_an_agent_that_does_not_end_is_ended_with_all_that_it_started(
    tmp_path: Path,
) -> None:
    command = ("sh", "-c", "setsid sleep 1000 & echo started; sleep 1000")
    done = workspace_run(tmp_path, "oneshot_blind", command, "--time-limit-s=1")
    assert done.returncode == 124, done.stderr
    assert done.stdout.endswith("the agent was ended after 1 s\n")
    assert (tmp_path / "records/agent.log").read_text() == "started\n"


def test_a_record_in_the_workspace_is_refused(tmp_path: Path) -> None:
    words = (sys.executable, "-m", "pytest_embedbench.cli", "workspace", "run")
    records = f"--records={tmp_path / 'workspace' / 'records'}"
    done = subprocess.run(
        [*words, TANK, tmp_path / "workspace", records, "--mode=oracle_full",
         "--board=native", "--", "true"],
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.endswith("is in the workspace: an agent could change it\n")
    assert not (tmp_path / "workspace").exists()
