"""Robust tests run when asked for, and say what was tolerated."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Suite

SCENARIOS = """\
[minute]
initial = { level = 20 }
max_steps = 100
"""
ROBUST = """\
from functools import partial

import pytest

from pytest_embedbench.faults import Fault, Drop, InjectionPoint, StuckAt

pytestmark = pytest.mark.robust


@pytest.fixture
def run(bench, scenario, plant, fault_seed):
    def run(fault):
        bench.wait_for_boot()
        minute = scenario("minute").with_faults(fault, seed=fault_seed)
        seen = bench.run(
            minute,
            partial(plant, "tank_fill_drain"),
            invariants={"never full": lambda state: state.level < 100},
        )
        seen.check_recovered(
            {"never low": lambda state: state.level > 20}, within_ms=1000
        )

    return run


def test_losses(run):
    run(Fault(InjectionPoint.SENSORS, Drop(one_in=4), until_ms=5_000))


def test_a_sensor_that_is_stuck_low(run):
    run(Fault(InjectionPoint.SENSORS, StuckAt(value="10"), until_ms=5_000))


def test_a_sensor_that_is_stuck_to_the_end(run):
    run(Fault(InjectionPoint.SENSORS, StuckAt(value="90")))


def test_a_fault_on_nothing(run):
    run(Fault(InjectionPoint.SENSORS, Drop(), stream="SENSE TEMP"))
"""
ONLY = ["--embedbench-profile=robust", "-mrobust"]
OTHER = "def test_other(bench): bench.wait_for_boot()\n"


@pytest.fixture
def robust(suite: Suite) -> Suite:
    (suite.root / "scenarios.toml").write_text(SCENARIOS)
    suite.test(ROBUST)
    suite.test(OTHER, name="test_other.py")
    return suite


def trials(suite: Suite) -> dict[str, dict[str, Any]]:
    record = json.loads(suite.only("robustness.json").read_text())
    assert record["schema"] == 1
    return {trial["check"].rpartition("::")[2]: trial for trial in record["trials"]}


@pytest.mark.parametrize("profile", [[], ["--embedbench-profile=paper"]])
def test_robust_tests_are_left_out(robust: Suite, profile: list[str]) -> None:
    result = robust.run(*profile)
    result.assert_outcomes(passed=1, deselected=4)
    result.stdout.no_fnmatch_line("*robustness*")


@pytest.mark.parametrize(
    ("asked", "others"), [(["--embedbench-profile=robust"], 1), (ONLY, 0)]
)
def test_robust_tests_run_when_asked_for(
    robust: Suite, asked: list[str], others: int
) -> None:
    robust.run(*asked, "-k", "losses or other").assert_outcomes(
        passed=1 + others, deselected=4 - others
    )


@pytest.mark.parametrize("workers", [[], ["-n1"]])
def test_a_mark_alone_asks_for_them_for_one_more_release(
    robust: Suite, workers: list[str]
) -> None:
    result = robust.run("-mrobust", "-klosses", *workers)
    result.assert_outcomes(passed=1, deselected=0 if workers else 4, warnings=1)
    result.stdout.fnmatch_lines(["*DeprecationWarning: -m robust *profile=robust, *"])


def test_leaving_them_out_by_their_mark_is_nothing_new(robust: Suite) -> None:
    robust.run("-mnot robust").assert_outcomes(passed=1, deselected=4)


def test_the_report_says_what_was_tolerated(robust: Suite) -> None:
    result = robust.run(*ONLY)
    result.assert_outcomes(passed=1, failed=3)
    result.stdout.fnmatch_lines(
        [
            "*embedbench robustness*",
            "lab: 1 tolerated, 1 not tolerated, 2 invalid",
            "  tolerated      test_losses?lab]",
            "  not tolerated  test_a_sensor_that_is_stuck_low?lab]  never full: *=100*",
            "  invalid        test_a_sensor_that_is_stuck_to_the_end?lab]  *10900 ms*",
            "  invalid        test_a_fault_on_nothing?lab]  the run says nothing*",
            "more in *robustness.json",
            "embedbench: 1 x firmware fault, 2 x bench fault",
        ]
    )


def test_each_trial_is_written_down(robust: Suite) -> None:
    robust.run(*ONLY, "--embedbench-seed=7")
    written = trials(robust)
    stuck_low = written["test_a_sensor_that_is_stuck_low[lab]"]
    assert stuck_low.pop("reason").startswith("never full: does not hold at 1600 ms")
    assert stuck_low == {
        "check": "test_it.py::test_a_sensor_that_is_stuck_low[lab]",
        "board": "lab",
        "tolerance": "not tolerated",
        "violated": "never full",
        "scenario": "minute",
        "seed": 7,
        "faults": [
            {
                "fault": "StuckAt(value='10') at sensors, from 0 ms to 5000 ms",
                "ticks": 16,
            }
        ],
    }
    assert written["test_losses[lab]"]["violated"] is None
    assert written["test_losses[lab]"]["faults"][0]["ticks"] > 0
    assert written["test_a_fault_on_nothing[lab]"]["faults"][0]["ticks"] == 0


def test_workers_report_to_one_file(robust: Suite) -> None:
    robust.run(*ONLY, "-n2").assert_outcomes(passed=1, failed=3)
    assert len(trials(robust)) == 4


def test_a_seed_is_in_the_records(robust: Suite) -> None:
    report = robust.root / "junit.xml"
    robust.run(*ONLY, "-klosses", "--embedbench-seed=7", f"--junitxml={report}")
    assert json.loads(robust.only("test.json").read_text())["seeds"] == [7]
    assert '<property name="embedbench_seed" value="7" />' in report.read_text()


def test_a_seed_is_a_whole_number(robust: Suite) -> None:
    result = robust.run(*ONLY, "-klosses", "--embedbench-seed=x")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--embedbench-seed: 'x' is not a whole number*"])


def test_a_crash_is_not_tolerated(robust: Suite) -> None:
    robust.firmware(
        "from pytest_embedbench.errors import FirmwareCrash\n"
        "def firmware(uart):\n"
        "    uart.write(b'DBG BOOTED\\n')\n"
        "    yield 300\n"
        "    raise FirmwareCrash('segmentation fault at 0x0')\n"
    )
    robust.run(*ONLY, "-kstuck_low").assert_outcomes(failed=1)
    (trial,) = trials(robust).values()
    assert (trial["tolerance"], trial["violated"]) == ("not tolerated", None)
    assert trial["reason"].startswith("segmentation fault")


def test_what_does_not_build_says_nothing_of_faults(robust: Suite) -> None:
    robust.firmware("syntax error")
    robust.run(*ONLY, "-kstuck_low").assert_outcomes(errors=1)
    (trial,) = trials(robust).values()
    assert (trial["tolerance"], trial["faults"]) == ("invalid", [])


TASK = """\
[task]
name = "tank"
plant = "tank_fill_drain"
brief = "BRIEF.md"
boot_line = "DBG BOOTED"
edit_surface = ["src/controller.c"]
"""
TOLERANT = """\
import pytest
from pytest_embedbench.faults import Drop, Fault, InjectionPoint

pytestmark = pytest.mark.robust
LOSSES = Fault(InjectionPoint.SENSORS, Drop(one_in=4), until_ms=5_000)
NOT_FULL = {"never full": lambda state: state.level < 100}
NOT_LOW = {"never low": lambda state: state.level > 20}
OVER_FULL = {"over full": lambda state: state.level > 100}


def test_it(check_tolerates):
    check_tolerates(LOSSES, invariants=NOT_FULL, recovered=NOT_LOW, within_ms=1_000)


def test_what_never_is_well(check_tolerates):
    check_tolerates(LOSSES, invariants=NOT_FULL, recovered=OVER_FULL, within_ms=1_000)


def test_old_names(stands):
    stands(LOSSES, safe=NOT_FULL, well=NOT_LOW, within_ms=1_000)
"""


@pytest.fixture
def tolerant(suite: Suite) -> Suite:
    """A task package with a scenario ``disturbed``."""
    (suite.root / "task.toml").write_text(TASK)
    (suite.root / "scenarios.toml").write_text(SCENARIOS.replace("minute", "disturbed"))
    suite.test(TOLERANT)
    return suite


def test_a_task_checks_what_a_submission_tolerates(tolerant: Suite) -> None:
    result = tolerant.run("--embedbench-profile=robust", "-knot old_names")
    result.assert_outcomes(passed=1, failed=1, deselected=1)
    assert trials(tolerant)["test_what_never_is_well[lab]"]["violated"] == (
        "over full again, 1000 ms after the faults"
    )


def test_the_old_name_of_that_check_works_for_one_more_release(
    tolerant: Suite,
) -> None:
    result = tolerant.run("--embedbench-profile=robust", "-kold_names")
    result.assert_outcomes(passed=1, deselected=2, warnings=1)
    result.stdout.fnmatch_lines(["*DeprecationWarning: *'stands'*'check_tolerates'*"])
