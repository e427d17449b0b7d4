"""What is read of a run when it is over: usage, tests, changes, and the verdict."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from pytest_embedbench.campaign.agent_run import Agent, AgentEnd
from pytest_embedbench.campaign.campaign_file import AgentEntry, Campaign, Cell
from pytest_embedbench.campaign.desk import Desk, Submitted, TestRun
from pytest_embedbench.campaign.judging import Judgement
from pytest_embedbench.campaign.modes import MODES
from pytest_embedbench.campaign.record import Seal
from pytest_embedbench.campaign.result import _tests_in, deciding, result_of
from pytest_embedbench.campaign.usage import FILE_NAME, Usage, usage_so_far
from pytest_embedbench.campaign.workspace import create_workspace
from pytest_embedbench.grading.task import Suite, load_task
from tests.e2e.native_firmware import SUITES

if TYPE_CHECKING:
    from pathlib import Path

TANK = SUITES / "tank_fill_drain"
PASS = Judgement(verdict="PASS", stage="INTEGRATION", reason="all 9 checks passed")
FAIL = Judgement(verdict="HOST", stage="HOST_TEST", reason="level=29 gives off\nmore")


def submitted(*judgements: Judgement) -> tuple[Submitted, ...]:
    return tuple(
        Submitted(number=number, at_s=10.0 * number, judgement=each)
        for number, each in enumerate(judgements, start=1)
    )


@pytest.mark.parametrize(
    ("rule", "judgements", "number"),
    [
        ("last", (PASS, FAIL), 2),
        ("best", (PASS, FAIL), 1),
        ("best", (FAIL, FAIL), 2),
        ("best", (FAIL, PASS, PASS), 3),
    ],
)
def test_the_last_or_the_best_submission_decides(
    rule: str, judgements: tuple[Judgement, ...], number: int
) -> None:
    decided = deciding(submitted(*judgements), rule)
    assert decided is not None
    assert decided.number == number


def test_without_a_submission_nothing_decides() -> None:
    assert deciding((), "last") is None


@pytest.mark.parametrize(
    ("lines", "usage"),
    [
        (
            b'{"tool_calls": 2, "input_tokens": 5}\n{"tool_calls": 1, "more": []}\n',
            Usage(tool_calls=3, input_tokens=5),
        ),
        (b'{"input_tokens": ' + b"9" * 4300 + b"}", Usage()),
        (b'rubbish\n\xff\n[1]\n{"tool_calls": -1}\n{"output_tokens": true}\n', Usage()),
        (b"", Usage()),
    ],
)
def test_usage_is_what_an_agent_says_in_whole_numbers(
    tmp_path: Path, lines: bytes, usage: Usage
) -> None:
    (tmp_path / FILE_NAME).write_bytes(lines)
    assert usage_so_far(tmp_path) == usage


def test_an_agent_that_says_nothing_has_no_usage(tmp_path: Path) -> None:
    assert usage_so_far(tmp_path) is None
    (tmp_path / FILE_NAME).symlink_to("/etc/passwd")
    assert usage_so_far(tmp_path) is None
    (tmp_path / FILE_NAME).unlink()
    os.mkfifo(tmp_path / FILE_NAME)
    assert usage_so_far(tmp_path) is None


def test_a_result_has_it_all(tmp_path: Path) -> None:
    suite = Suite(root=TANK, task=load_task(TANK / "task.toml"))
    mode = MODES["realistic_self_verify"]
    create_workspace(suite, tmp_path / "ws", mode)
    source = tmp_path / "ws/src/controller.c"
    source.write_text(source.read_text() + "int one;\nint two;\n")
    (tmp_path / "ws/agent_tests/test_more.py").write_text(
        "def test_more(): pass\ndef helper(): pass\n"
    )
    (tmp_path / "ws/agent_tests/test_broken.py").write_text("def test_(:")
    entry = AgentEntry(label="scripted", agent=Agent(command=("true",)))
    cell = Cell(entry=entry, suite=suite, mode=mode, repetition=1)
    campaign = Campaign(
        file=tmp_path / "c.toml", digest="d", name="c", entries=(entry,),
        suites=(suite,), modes=(mode,), boards=("native",), repetitions=1,
        profile="full", verdict_rule="last", sandbox="auto",
    )  # fmt: skip
    desk = SimpleNamespace(
        submissions=submitted(FAIL, PASS),
        test_runs=(
            TestRun(at_s=1, passed=3, boots=3, builds=1),
            TestRun(at_s=12, passed=2, failed=1),
            TestRun(at_s=13, boots=2, builds=1),
        ),
        seal=Seal(7, "seal"),
    )
    end = AgentEnd(returncode=0, timed_out=False, wall_s=30.0)
    result = result_of(
        campaign, cell, cast("Desk", desk), end, tmp_path / "ws", {"total": None}
    )
    assert result["verdict"] == "PASS"
    assert result["first_submission_s"] == 10.0
    assert [each["reason"] for each in result["submissions"]] == [
        "level=29 gives off",
        "all 9 checks passed",
    ]
    counted = {key: result[key] for key in (
        "self_test_runs", "build_attempts", "runtime_probes", "false_greens",
        "files_touched", "lines_changed", "self_tests_written",
    )}  # fmt: skip
    assert counted == {
        "self_test_runs": 2,
        "build_attempts": 2,
        "runtime_probes": 5,
        "false_greens": 1,
        "files_touched": 1,
        "lines_changed": 2,
        "self_tests_written": 1,
    }
    assert result["record"] == {"count": 7, "digest": "seal"}


def test_own_tests_are_counted_without_following_or_waiting(tmp_path: Path) -> None:
    own = tmp_path / "agent_tests"
    (own / "more").mkdir(parents=True)
    (own / "more/test_it.py").write_text("def test_one(): pass\ndef helper(): pass\n")
    (own / "test_link.py").symlink_to(__file__)
    (own / "up").symlink_to("/")
    os.mkfifo(own / "test_pipe.py")
    assert _tests_in(tmp_path) == {"test_one"}
    own.rename(tmp_path / "elsewhere")
    own.symlink_to(tmp_path / "elsewhere")
    assert _tests_in(tmp_path) == set()
