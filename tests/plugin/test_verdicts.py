"""From checks to ``verdict.json``: what ends up in it, however a run goes."""

from __future__ import annotations

import gc
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Suite

TASK = """
[task]
name = "tank"
plant = "tank_fill_drain"
brief = "BRIEF.md"
boot_line = "DBG BOOTED"
edit_surface = ["src/controller.c"]
"""
BRIEF = """
- **T1** The pump is off at first.
- **T2** A level below 30 switches the pump on.
"""
# The host stage needs a compiler; here a stand-in takes its place.
CONFTEST = """
import pytest

@pytest.fixture
def controller():
    return object()
"""
HOST = """
import pytest
from pytest_embedbench.errors import FirmwareCrash

@pytest.mark.brief("T1")
def test_host(controller):
    pass
"""
LOOP = """
import pytest

@pytest.mark.brief("T2")
def test_loop(bench, plant):
    bench.wait_for_boot()
    loop = bench.connect(plant("tank_fill_drain", level=20))
    bench.run_for(100)
    assert loop.state.pump_on
"""
LAZY = """
from pytest_embedbench.testing.shell import line_shell

firmware = line_shell(("DBG BOOTED",), lambda: lambda line, now_ms: None)
"""
SILENT = """
def firmware(uart):
    while True:
        yield 100
"""
TOO_BIG = """
from pytest_embedbench.errors import DoesNotFit

def firmware(uart):
    raise DoesNotFit("needs 40000 bytes of flash, the chip has 32768")
    yield
"""
CRASHES_AT_BOOT = """
from pytest_embedbench.errors import FirmwareCrash

def firmware(uart):
    yield 10
    raise FirmwareCrash("hard fault")
"""


@pytest.fixture
def task(suite: Suite) -> Suite:
    """A task whose two checks its firmware passes."""
    (suite.root / "task.toml").write_text(TASK)
    (suite.root / "BRIEF.md").write_text(BRIEF)
    (suite.root / "conftest.py").write_text(CONFTEST)
    suite.test(HOST, "test_host.py")
    suite.test(LOOP, "test_loop.py")
    return suite


def verdict(suite: Suite) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(suite.only("verdict.json").read_text())
    return record


def decided(suite: Suite) -> tuple[str | None, str | None]:
    record = verdict(suite)
    return record["verdict"], record["stage"]


def without_host_times(record: dict[str, Any]) -> str:
    text = json.dumps(record, sort_keys=True)
    for check in record["checks"]:
        text = text.replace(f'"duration_s": {check["duration_s"]}', "")
    for name in ("started_at", "ended_at", "duration_s"):
        text = text.replace(json.dumps(record[name]), "")
    return text


def test_a_submission_that_passes_every_check_passes(task: Suite) -> None:
    result = task.run()
    result.assert_outcomes(passed=2)
    record = verdict(task)
    assert (record["verdict"], record["stage"]) == ("PASS", "INTEGRATION")
    assert record["complete"] is True
    assert record["board"] == "lab"
    assert len(record["image"]["sha256"]) == 64
    assert record["tools"]["engine"] == "lab engine 1"
    assert record["schema"] == 2
    assert record["sandbox"]["kind"] in ("bubblewrap", "limits")
    result.stdout.fnmatch_lines(
        ["tank  lab  full  PASS  INTEGRATION  all 2 checks passed"]
    )


def test_what_a_graded_run_has_loaded_is_no_garbage_until_its_end(
    task: Suite,
) -> None:
    task.test(f"{LOOP}    import gc; assert gc.get_freeze_count() > 0", "test_loop.py")
    task.run().assert_outcomes(passed=2)
    assert gc.get_freeze_count() == 0


def test_a_failed_check_shows_the_sentence_it_enforces(task: Suite) -> None:
    task.firmware(LAZY)
    result = task.run()
    result.stdout.fnmatch_lines(
        ["*- brief T2 -*", "A level below 30 switches the pump on."]
    )
    record = verdict(task)
    assert (record["verdict"], record["stage"]) == ("INT", "INTEGRATION")
    assert record["brief"] == {"T2": "A level below 30 switches the pump on."}
    test = json.loads(task.only("test.json").read_text())
    assert test["brief"] == record["brief"]


def test_a_check_that_names_no_sentence_of_the_brief_is_not_collected(
    task: Suite,
) -> None:
    task.test(LOOP.replace("T2", "T7"), "test_loop.py")
    result = task.run()
    result.stdout.fnmatch_lines(
        ["*test_loop: brief('T7'): no such sentence; known: T1, T2*"]
    )
    result.assert_outcomes(errors=1)


@pytest.mark.parametrize(
    ("firmware", "stage"),
    [
        ("syntax error", "TARGET_BUILD"),
        (TOO_BIG, "TARGET_BUILD"),
        (SILENT, "BOOT"),
        (CRASHES_AT_BOOT, "BOOT"),
        (LAZY, "INTEGRATION"),
    ],
    ids=["broken", "too big", "silent", "crashing", "lazy"],
)
def test_a_firmware_fails_in_the_stage_it_reaches(
    task: Suite, firmware: str, stage: str
) -> None:
    # X7: every stage has its negative control.
    task.firmware(firmware)
    task.run()
    assert decided(task) == ("INT", stage)


def test_a_failure_on_the_host_comes_before_one_on_the_board(task: Suite) -> None:
    task.firmware(LAZY)
    task.test(HOST.replace("pass", "raise FirmwareCrash('overflow')"), "test_host.py")
    task.run()
    assert decided(task) == ("HOST", "HOST_TEST")


def test_a_check_without_a_board_leaves_a_record_if_it_fails(task: Suite) -> None:
    other = f"{HOST}\n@pytest.mark.brief('T1')\ndef test_more(): assert 1 == 2\n"
    task.test(other, "test_host.py")
    task.run("test_host.py").assert_outcomes(passed=1, failed=1)
    check = next(c for c in verdict(task)["checks"] if "more" in c["check"])
    assert check["folder"] == "test_host.py/test_more"
    record = json.loads(task.only("test.json").read_bytes())
    assert "assert 1 == 2" in record["phases"]["call"]["traceback"]
    assert record["brief"] == {"T1": "The pump is off at first."}


def test_a_fault_of_the_test_is_no_verdict(task: Suite) -> None:
    task.test(LOOP.replace("loop.state.pump_on", "loop.state.color"), "test_loop.py")
    task.run()
    assert decided(task) == (None, "BENCH")


def test_a_board_that_cannot_run_is_no_verdict(task: Suite) -> None:
    # B15: could not run is never green.
    task.board("absent")
    result = task.run(board="absent")
    result.assert_outcomes(passed=1, skipped=1)
    record = verdict(task)
    assert (record["verdict"], record["stage"]) == (None, "BENCH")
    assert "the crane" in record["reason"]


def test_checks_left_out_by_the_user_are_no_pass(task: Suite) -> None:
    task.run("-k", "test_host or test_loop", "--deselect=test_loop.py::test_loop[lab]")
    record = verdict(task)
    assert record["verdict"] is None
    assert record["reason"] == "1 checks were left out by the user"


def test_the_host_stage_alone_is_no_pass(task: Suite) -> None:
    task.run("test_host.py", board="")
    record = verdict(task)
    assert (record["board"], record["verdict"]) == (None, None)


def test_each_board_has_a_verdict_of_its_own(task: Suite) -> None:
    task.board("absent")
    task.run("--board=lab", board="absent")
    (run,) = task.runs()
    found = {path.parent.name for path in run.rglob("verdict.json")}
    assert found == {"lab", "absent"}


def test_tests_that_are_no_checks_have_no_verdict(task: Suite) -> None:
    task.test("def test_visible(bench):\n    bench.wait_for_boot()\n", "test_v.py")
    task.run("test_v.py")
    (run,) = task.runs()
    assert not list(run.rglob("verdict.json"))


def test_workers_come_to_the_same_verdict(task: Suite) -> None:
    task.test(LOOP.replace("level=20", "level=40"), "test_more.py")
    task.run()
    task.run("-n2")
    alone, shared = (
        json.loads(next(run.rglob("verdict.json")).read_text()) for run in task.runs()
    )
    assert alone["verdict"] == "INT"
    assert without_host_times(alone) == without_host_times(shared)


@pytest.mark.parametrize("first", ["test_host.py", "test_l.py"])
def test_a_worker_that_dies_is_our_fault(task: Suite, first: str) -> None:
    task.test(
        "import os\n" + LOOP.replace("assert", "os._exit(1); assert"), "test_l.py"
    )
    task.run("-n1", first, "test_l.py", "test_loop.py")
    record = verdict(task)
    assert (record["verdict"], record["stage"]) == (None, "BENCH")
    assert "crashed" in record["reason"]


def test_a_run_that_dies_leaves_a_record_that_claims_nothing(task: Suite) -> None:
    # The first check has ended: its file is there, whole, and open.
    task.test(
        "import os\n" + LOOP.replace("assert", "os._exit(1); assert"), "test_l.py"
    )
    (task.root / "test_loop.py").unlink()
    task.pytester.runpytest_subprocess("--board=lab", "--embedbench-builder=lab")
    record = verdict(task)
    assert record["complete"] is False
    assert record["verdict"] is None
    assert [c["outcome"] for c in record["checks"]] == ["passed", "unfinished"]


@pytest.mark.parametrize("how", ["KeyboardInterrupt", "pytest.exit.Exception('stop')"])
def test_an_interrupted_run_says_what_it_knows(task: Suite, how: str) -> None:
    task.test(LOOP.replace("assert", f"raise {how}\n    assert"), "test_loop.py")
    task.pytester.runpytest_subprocess("--board=lab", "--embedbench-builder=lab")
    record = verdict(task)
    assert (record["complete"], record["verdict"]) == (False, None)
    assert record["ended_at"] is not None
    assert [c["outcome"] for c in record["checks"]] == ["passed", "unfinished"]


def test_stopping_at_the_first_failure_is_not_complete(task: Suite) -> None:
    task.test(HOST.replace("pass", "raise FirmwareCrash('overflow')"), "test_host.py")
    task.run("-x")
    record = verdict(task)
    assert (record["verdict"], record["complete"]) == ("HOST", False)


def test_a_check_that_passes_when_repeated_is_flaky_not_passed(task: Suite) -> None:
    # X10: the number of attempts shows, and flaky is not passed.
    flaky = LOOP.replace("assert", "tries.append(1)\n    assert len(tries) > 1 and")
    task.test(
        flaky.replace("import pytest", "import pytest\ntries = []"), "test_loop.py"
    )
    task.run("--reruns=2")
    record = verdict(task)
    assert (record["verdict"], record["stage"]) == (None, "BENCH")
    (loop,) = (c for c in record["checks"] if "test_loop" in c["check"])
    assert (loop["outcome"], loop["attempts"]) == ("broken", 2)


def test_a_submission_that_spins_is_not_tried_again_and_again(task: Suite) -> None:
    spins = "raise FirmwareSpin('round and round')"
    text = HOST.replace("pass", spins).replace("FirmwareCrash", "FirmwareSpin")
    again = text.replace(
        "def test_host", "@pytest.mark.parametrize('n', range(9))\ndef test_host"
    )
    task.test(again.replace("(controller)", "(controller, n)"), "test_host.py")
    task.run().assert_outcomes(failed=2, skipped=7, passed=1)
    record = verdict(task)
    assert (record["verdict"], record["stage"]) == ("HOST", "HOST_TEST")
    assert record["counts"]["skipped"] == 7


@pytest.mark.parametrize("fault", ["FirmwareSpin", "FirmwareStuck"])
def test_a_firmware_that_hangs_at_boot_is_not_tried_again_and_again(
    task: Suite, fault: str
) -> None:
    task.firmware(CRASHES_AT_BOOT.replace("FirmwareCrash", fault))
    many = LOOP.replace(
        "def test_loop", "@pytest.mark.parametrize('n', range(9))\ndef test_loop"
    )
    task.test(many.replace("plant)", "plant, n)"), "test_loop.py")
    task.run().assert_outcomes(failed=2, skipped=7, passed=1)
    assert decided(task) == ("INT", "BOOT")


def test_an_empty_submission_is_none(task: Suite) -> None:
    (task.root / "empty").mkdir()
    task.run("--embedbench-firmware=empty")
    assert decided(task) == ("NONE", None)


def test_a_submission_folder_that_is_not_there_is_no_verdict(task: Suite) -> None:
    task.run("--embedbench-firmware=typo")
    assert decided(task) == (None, "BENCH")


def test_a_submission_that_brings_its_own_shell_is_refused(task: Suite) -> None:
    for name in ("controller.c", "uart_transport.c"):
        path = task.root / "theirs" / "main" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("int x;\n")
    result = task.run("--embedbench-firmware=theirs")
    record = verdict(task)
    assert (record["verdict"], record["stage"]) == ("HOST", "EDIT_SURFACE")
    assert "main/uart_transport.c: not a submission's" in record["reason"]
    result.stdout.fnmatch_lines(["embedbench: * x the submission is not taken"])


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["alone", "xdist"])
def test_a_name_that_is_no_text_is_told_as_text(
    task: Suite, workers: tuple[str, ...]
) -> None:
    theirs = task.root / "theirs"
    theirs.mkdir()
    (theirs / "controller.c").write_text("int x;\n")
    Path(os.fsdecode(os.fsencode(theirs) + b"/x\xff.c")).write_text("int x;\n")
    result = task.run("--embedbench-firmware=theirs", *workers)
    assert decided(task) == ("HOST", "EDIT_SURFACE"), result.stdout.str()
    assert "x\\xff.c: not a submission's to bring" in verdict(task)["reason"]


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["alone", "xdist"])
def test_a_folder_whose_name_is_no_text_is_told_as_text(
    task: Suite, workers: tuple[str, ...]
) -> None:
    theirs = Path(os.fsdecode(os.fsencode(task.root) + b"/theirs\xff"))
    theirs.mkdir()
    (theirs / "controller.c").write_text("int x;\n")
    (theirs / "shell.c").write_text("int x;\n")
    (task.root / "latest").symlink_to(theirs)
    result = task.run("--embedbench-firmware=latest", *workers)
    assert decided(task) == ("HOST", "EDIT_SURFACE"), result.stdout.str()
    assert verdict(task)["submission"] == f"{task.root}/theirs\\xff"


def test_a_pipe_in_place_of_a_source_file_is_refused_unread(task: Suite) -> None:
    (task.root / "theirs").mkdir()
    os.mkfifo(task.root / "theirs" / "controller.c")
    task.run("--embedbench-firmware=theirs")
    assert decided(task) == ("HOST", "EDIT_SURFACE")
    assert "controller.c: is a pipe, not a file" in verdict(task)["reason"]


def test_what_a_task_ignores_of_a_submission_is_told(task: Suite) -> None:
    (task.root / "task.toml").write_text(f"{TASK}ignored = ['main/uart_*.c']\n")
    for name in ("controller.c", "uart_transport.c"):
        path = task.root / "theirs" / "main" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("int x;\n")
    result = task.run("--embedbench-firmware=theirs")
    assert decided(task) == ("PASS", "INTEGRATION")
    assert verdict(task)["ignored"] == ["main/uart_transport.c"]
    result.stdout.fnmatch_lines(["tank ignores main/uart_transport.c"])


def test_the_digests_of_what_was_submitted_are_recorded(task: Suite) -> None:
    path = task.root / "theirs" / "controller.c"
    path.parent.mkdir()
    path.write_text("")
    task.run("--embedbench-firmware=theirs")
    record = verdict(task)
    assert record["submission"] == str(path.parent)
    assert record["sources"]["src/controller.c"].startswith("e3b0c44298fc1c14")


def test_a_profile_runs_its_own_checks_and_those_of_none(task: Suite) -> None:
    test = "@pytest.mark.profile('{0}')\ndef test_{0}(): pass\n"
    names = [test.format(name) for name in ("full", "paper")]
    task.test(
        "import pytest\n" + "".join(names) + "def test_any(): pass\n", "test_p.py"
    )
    task.run("test_p.py").assert_outcomes(passed=2, deselected=1)
    result = task.run("test_p.py", "--embedbench-profile=paper", "-v")
    result.assert_outcomes(passed=2, deselected=1)
    result.stdout.no_fnmatch_line("*test_full*")


def test_a_profile_that_is_none_lists_those_there_are(task: Suite) -> None:
    result = task.run("--embedbench-profile=strict")
    result.stderr.fnmatch_lines(["*'strict' is not one of: full, paper, *"])


def test_a_profile_that_no_run_can_have_is_not_collected(task: Suite) -> None:
    test = "import pytest\n@pytest.mark.profile('strict')\ndef test_it(): pass\n"
    task.test(test, "test_p.py")
    result = task.run("test_p.py")
    result.stdout.fnmatch_lines(
        ["no profile named 'strict'; known profiles: full, paper, *"]
    )


def test_seeds_are_recorded(task: Suite) -> None:
    seeded = LOOP.replace("(bench, plant)", "(bench, plant, record_property)")
    text = "record_property('embedbench_seed', 7)\n    bench.wait_for_boot()"
    task.test(seeded.replace("bench.wait_for_boot()", text), "test_loop.py")
    task.run()
    (loop,) = (c for c in verdict(task)["checks"] if "test_loop" in c["check"])
    assert loop["seeds"] == [7]


LOADED = """
import sys

def pytest_unconfigure(config):
    print("hypothesis is loaded:", "hypothesis" in sys.modules)
"""


@pytest.mark.parametrize(
    ("more", "is_loaded"),
    [("", False), ("import hypothesis", True)],
    ids=["unused", "used"],
)
def test_a_plugin_with_nothing_to_say_is_not_loaded_to_say_it(
    task: Suite, *, more: str, is_loaded: bool
) -> None:
    """Loading all of Hypothesis takes longer than pytest's own start."""
    (task.root / "conftest.py").write_text(CONFTEST + LOADED)
    task.test(f"{more}\n{HOST}", "test_host.py")
    result = task.pytester.runpytest_subprocess("test_host.py", "-s")
    result.stdout.fnmatch_lines([f"hypothesis is loaded: {is_loaded}"])
