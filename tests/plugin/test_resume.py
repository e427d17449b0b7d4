"""A run on many submissions that was killed goes on where it was."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.plugin.conftest import TANK, WITHOUT
from tests.plugin.many import STAGES, make_task
from tests.plugin.test_submissions import endings, timeless, verdicts
from tests.plugin.test_verdicts import BRIEF, LAZY, LOOP

if TYPE_CHECKING:
    from tests.plugin.conftest import Suite

RESUME = ("--embedbench-submissions=all", "--embedbench-resume")
# Kills whoever its environment says, in the midst of the tests.
KILLS = """
    import os, signal
    victim = os.environ.get("VICTIM", "")
    if victim and request.node.name.startswith("test_loop[good"):
        pid = os.getppid() if victim == "parent" else os.getpid()
        os.kill(pid, signal.SIGKILL)
        signal.pause()
    with open(os.environ["RAN"], "a") as ran:
        ran.write(request.node.name + "\\n")
    bench.wait_for_boot()
"""


@pytest.fixture
def task(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> Suite:
    """A task whose checks on a board say that they ran, and can kill."""
    make_task(suite)
    kills = LOOP.replace("    bench.wait_for_boot()\n", KILLS.lstrip("\n"))
    suite.test(kills.replace("(bench,", "(request, bench,"), "test_loop.py")
    # Where pytester writes nothing: to change a suite is to change any file of it.
    (suite.root / "tank").mkdir()
    for name in ("BRIEF.md", "conftest.py", "firmware.py", "platformio.ini"):
        (suite.root / name).rename(suite.root / "tank" / name)
    for name in ("task.toml", "test_host.py", "test_loop.py"):
        (suite.root / name).rename(suite.root / "tank" / name)
    monkeypatch.setenv("RAN", str(suite.root / "cache" / "ran"))
    (suite.root / "cache").mkdir()
    return suite


def ran(suite: Suite) -> list[str]:
    """Return the tests that have run on a board since this was asked last."""
    file = suite.root / "cache" / "ran"
    names = sorted(file.read_text().split()) if file.is_file() else []
    file.unlink(missing_ok=True)
    return names


def killed(suite: Suite, *words: str, victim: str) -> None:
    """Run the suite in a process of its own until somebody in it is killed."""
    subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "--board=lab", *WITHOUT, *words),
            *("--embedbench-builder=lab", "--embedbench-submissions=all"),
            f"--embedbench-cache={suite.root / 'cache'}",
        ],
        cwd=suite.root,
        env=os.environ | {"VICTIM": victim},
        capture_output=True,
        timeout=120,
        check=False,
    )


def test_a_run_that_was_killed_goes_on(task: Suite) -> None:
    killed(task, "-n0", victim="self")
    assert ran(task) == ["test_loop[crashes-lab]"]
    task.run(*RESUME, "-n0").stdout.fnmatch_lines(
        ["embedbench resume: 7 of 10 checks had ended before, and were kept"]
    )
    assert ran(task) == ["test_loop[good-lab]", "test_loop[lazy-lab]"]
    assert endings(task) == STAGES
    assert len(task.runs()) == 1


@pytest.mark.parametrize("victim", ["self", "parent"])
def test_with_workers_only_the_rest_runs(task: Suite, victim: str) -> None:
    killed(task, "-n2", victim=victim)
    ran(task)
    (run,) = task.runs()
    lines = (run / "checks.jsonl").read_text().splitlines()
    before = [
        f"test_loop[{json.loads(line)['label']}-lab]"
        for line in lines
        if "test_loop" in line
    ]
    result = task.run(*RESUME, "-n2")
    result.stdout.fnmatch_lines(["embedbench resume: * checks had ended before*"])
    after = ran(task)
    assert "test_loop[good-lab]" in after
    assert not {*before} & {*after}
    assert endings(task) == STAGES


def test_what_goes_on_comes_to_the_same(task: Suite) -> None:
    task.run("--embedbench-submissions=all", "-n0")
    whole = {name: timeless(record) for name, record in verdicts(task).items()}
    killed(task, "-n0", victim="self")
    task.run(*RESUME, "-n2")
    assert {n: timeless(record) for n, record in verdicts(task).items()} == whole
    assert len(task.runs()) == 2


def test_a_run_that_has_ended_is_told_again(task: Suite) -> None:
    first = task.run("--embedbench-submissions=all")
    ran(task)
    again = task.run(*RESUME)
    assert ran(task) == []
    assert again.ret == first.ret == pytest.ExitCode.TESTS_FAILED
    again.stdout.fnmatch_lines(["*10 of 10 checks had ended before, and were kept"])
    assert endings(task) == STAGES


def test_what_has_changed_is_judged_anew_and_said(task: Suite) -> None:
    task.run("--embedbench-submissions=all", "-n0")
    ran(task)
    (task.root / "all" / "lazy" / "firmware.py").write_text(TANK)
    (task.root / "all" / "new").mkdir()
    (task.root / "all" / "new" / "firmware.py").write_text(LAZY)
    result = task.run(*RESUME, "-n2")
    result.stdout.fnmatch_lines(
        [
            "embedbench resume: 8 of 12 checks had ended before, and were kept",
            "embedbench resume: lazy: judged anew: changed: submission",
        ]
    )
    assert ran(task) == ["test_loop[lazy-lab]", "test_loop[new-lab]"]
    assert endings(task) == STAGES | {
        "lazy": STAGES["good"],
        "new": STAGES["lazy"],
    }
    folders = [check["folder"] for check in verdicts(task)["lazy"]["checks"]]
    assert "tank/test_loop.py/test_loop[lab]" in folders


@pytest.mark.parametrize("what", ["suite", "options", "tools"])
def test_a_change_that_concerns_all_has_all_judged_anew(
    task: Suite, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    task.run("--embedbench-submissions=all")
    ran(task)
    words: list[str] = []
    if what == "suite":
        (task.root / "tank" / "BRIEF.md").write_text(BRIEF.replace("off", "not on"))
    elif what == "options":
        words.append("--embedbench-seed=7")
    else:
        lab = task.root / "thirdparty" / "lab.py"
        # Of another length: Python tells bytecode of the same second by that alone.
        lab.write_text(lab.read_text().replace("lab engine 1", "lab engine 10"))
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
    result = task.run(*RESUME, *words)
    result.stdout.fnmatch_lines([f"embedbench resume: good: judged anew: *{what}*"])
    assert len(ran(task)) == 3


def test_what_was_broken_is_tried_again(task: Suite) -> None:
    killed(task, "-n1", victim="self")
    ran(task)
    assert verdicts(task)["good"]["stage"] == "BENCH"
    task.run(*RESUME, "-n0")
    assert "test_loop[good-lab]" in ran(task)
    assert endings(task) == STAGES


def test_a_line_that_was_cut_short_is_none(task: Suite) -> None:
    task.run("--embedbench-submissions=all")
    ran(task)
    journal = task.runs()[-1] / "checks.jsonl"
    journal.write_bytes(journal.read_bytes()[:-20])
    task.run(*RESUME)
    assert ran(task) == ["test_loop[lazy-lab]"]
    lines: list[Any] = journal.read_bytes().splitlines()
    assert json.loads(lines[-1])["check"] == "tank/test_loop.py::test_loop[lab]"
    ran(task)
    task.run(*RESUME)
    assert ran(task) == []


def test_a_run_can_be_named(task: Suite) -> None:
    task.run("--embedbench-submissions=all")
    (first,) = task.runs()
    killed(task, "-n0", victim="self")
    ran(task)
    one = f"--embedbench-resume={first.name}"
    task.run("--embedbench-submissions=all", one)
    assert ran(task) == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ["--embedbench-resume"],
            "*goes on with a run on many submissions*: say which*",
        ),
        (
            ["--embedbench-submissions=all", "--embedbench-resume=typo"],
            "*'typo' is no run on many submissions in *; the latest are: none",
        ),
        ([*RESUME], "*'latest' is no run on many submissions in *"),
    ],
)
def test_what_is_no_run_is_told(task: Suite, words: list[str], told: str) -> None:
    result = task.run(*words)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {told}"])


def test_two_do_not_go_on_with_one_run(task: Suite) -> None:
    task.run("--embedbench-submissions=all")
    # Stops while it holds the run's folder.
    waits = "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)\n"
    (task.root / "test_stop.py").write_text(waits)
    holder = subprocess.Popen(
        [
            *(sys.executable, "-m", "pytest", "--board=lab", *WITHOUT, *RESUME),
            "--embedbench-builder=lab",
        ],
        cwd=task.root,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        os.waitpid(holder.pid, os.WUNTRACED)
        (task.root / "test_stop.py").unlink()
        result = task.run(*RESUME)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines(["*another pytest is at work in *"])
    finally:
        os.kill(holder.pid, signal.SIGKILL)
        holder.wait()
