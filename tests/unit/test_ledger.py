"""What is known of an evaluation while it goes on."""

from __future__ import annotations

import pytest

from pytest_embedbench.grading.check_records import (
    CheckPlan,
    CheckRecord,
    PlannedCheck,
    SandboxRecord,
)
from pytest_embedbench.grading.ledger import GIVEN_UP, Ledger
from pytest_embedbench.grading.verdict import CheckOutcome

SANDBOX: SandboxRecord = {"kind": "bubblewrap", "warning": None}
HOST, LOOP = "test_host.py::test_off", "test_loop.py::test_fill[native]"


def plan(*checks: PlannedCheck, profile: str = "full") -> CheckPlan:
    return {
        "suite": "suites/tank",
        "label": "",
        "name": "",
        "task": "tank",
        "profile": profile,
        "submission": None,
        "sources": {"src/controller.c": "00ff"},
        "ignored": [],
        "boards": ["native"],
        "has_host_stage": True,
        "sentences": {"T1": "Off at first.", "T2": "On below 30."},
        "tools": {},
        "sandbox": SANDBOX,
        "deselected_count": 0,
        "checks": list(checks),
        "digests": None,
        "kept_count": 0,
        "changed": [],
    }


def check(name: str, board: str, *brief: str) -> PlannedCheck:
    stage = "INTEGRATION" if board else "HOST_TEST"
    return {"check": name, "board": board, "stage": stage, "brief": list(brief)}


def note(
    name: str,
    outcome: str = "passed",
    *,
    last: bool = False,
    stage: str = "INTEGRATION",
    **details: object,
) -> CheckRecord:
    return {
        "suite": "suites/tank",
        "label": "",
        "check": name,
        "outcome": outcome,
        "stage": stage,
        "reason": "" if outcome == "passed" else f"{name} {outcome}",
        "duration_s": 0.5,
        "last": last,
        "details": details,
    }


def test_a_long_reason_is_told_whole_once() -> None:
    names = [f"test_loop.py::test_{n}[uno]" for n in range(4)]
    ledger = Ledger(plan(*(check(name, "uno", "T2") for name in names)), "now")
    for name, reason in zip(names, ("a\nb", "c\nd", "c\nd", "a\nb"), strict=True):
        ledger.note(note(name, "failed") | {"reason": reason})
    record = ledger.record("uno", ended_at="later")
    assert [row["reason"] for row in record["checks"]] == [
        "a (whole: the reason of the verdict)",
        "c\nd",
        f"c (whole: the reason of {names[1]})",
        "a (whole: the reason of the verdict)",
    ]
    assert record["reason"] == "a\nb"


def test_who_built_it_first_makes_no_difference() -> None:
    # Only who builds is told every error; the others its first one.
    names = [f"test_loop.py::test_{n}[uno]" for n in range(3)]
    records = []
    for whole in range(3):
        ledger = Ledger(plan(*(check(name, "uno", "T2") for name in names)), "now")
        for number, name in enumerate(names):
            reason = "it fails: a\na\nb\nlog" if number == whole else "it fails: a\nlog"
            failed = note(name, "failed", stage="TARGET_BUILD", last=True)
            ledger.note({**failed, "reason": reason})
        records.append(ledger.record("uno", ended_at="later"))
    assert records[0] == records[1] == records[2]
    assert records[0]["reason"] == "it fails: a\na\nb\nlog"


def test_workers_try_no_more_than_one_process_would() -> None:
    # Each has let it spin twice, in turns.
    names = [f"test_loop.py::test_{n}[uno]" for n in range(6)]
    ledger = Ledger(plan(*(check(name, "uno", "T2") for name in names)), "now")
    for name in (names[1], names[3], names[0], names[2]):
        ledger.note(note(name, "failed", last=True, spun=True))
    for name in names[4:]:
        ledger.note(note(name, "skipped", last=True))
    shown = ledger.record("uno", ended_at="later")["checks"]
    assert [row["outcome"] for row in shown] == ["failed"] * 2 + ["skipped"] * 4
    assert {row["reason"] for row in shown[2:]} == {GIVEN_UP}


def test_boards_stand_as_they_were_chosen() -> None:
    told = plan(check("test_a", "uno", "T1"), check("test_b", "native", "T2"))
    assert Ledger(told, "now").boards() == ("native", "uno")


@pytest.fixture
def ledger() -> Ledger:
    told = plan(check(HOST, "", "T1"), check(LOOP, "native", "T2"))
    return Ledger(told, started_at="2026-01-01T00:00:00Z")


def go_well(ledger: Ledger, *names: str) -> None:
    for name in names:
        ledger.note(note(name))
        ledger.note(note(name))
        ledger.note(note(name, last=True))


def test_the_record_of_a_pass_is_complete(ledger: Ledger) -> None:
    go_well(ledger, HOST, LOOP)
    record = ledger.record("native", ended_at="2026-01-01T00:00:09Z")
    assert record["complete"] is True
    assert (record["verdict"], record["stage"]) == ("PASS", "INTEGRATION")
    assert record["sandbox"] == SANDBOX
    assert record["counts"]["passed"] == record["counts"]["checks"] == 2
    assert record["duration_s"] == 3.0


def test_the_weakest_sandbox_of_several_processes_is_told(ledger: Ledger) -> None:
    limits: SandboxRecord = {"kind": "limits", "warning": "no sandbox: why"}
    for sandbox in (SANDBOX, limits, SANDBOX):
        ledger.add_plan({**plan(), "sandbox": sandbox})
    assert ledger.record("native", ended_at=None)["sandbox"] == limits


def test_a_record_before_the_end_says_so(ledger: Ledger) -> None:
    go_well(ledger, HOST)
    record = ledger.record("native", ended_at=None)
    assert record["complete"] is False
    assert record["verdict"] is None
    assert [c["outcome"] for c in record["checks"]] == ["passed", "unfinished"]


def test_a_run_that_goes_on_is_not_complete(ledger: Ledger) -> None:
    go_well(ledger, HOST, LOOP)
    assert ledger.record("native", ended_at=None)["complete"] is False


def test_a_run_that_was_cut_short_is_not_complete(ledger: Ledger) -> None:
    go_well(ledger, HOST)
    assert ledger.record("native", ended_at="2026-01-01T00:00:09Z")["complete"] is False


def test_a_failure_quotes_the_brief(ledger: Ledger) -> None:
    go_well(ledger, HOST)
    ledger.note(note(LOOP, "failed"))
    ledger.note(note(LOOP, last=True))
    record = ledger.record("native", ended_at="later")
    assert (record["verdict"], record["decided_by"]) == ("INT", LOOP)
    assert record["brief"] == {"T2": "On below 30."}
    assert record["reason"] == f"{LOOP} failed"


@pytest.mark.parametrize("phase", range(3))
@pytest.mark.parametrize("outcome", ["failed", "broken", "skipped"])
def test_one_bad_phase_spoils_a_check(ledger: Ledger, phase: int, outcome: str) -> None:
    go_well(ledger, HOST)
    for number in range(3):
        how = outcome if number == phase else "passed"
        ledger.note(note(LOOP, how, last=number == 2))
    assert ledger.record("native", ended_at="later")["counts"][outcome] == 1


def test_the_first_bad_phase_is_the_one_that_is_told(ledger: Ledger) -> None:
    ledger.note(note(LOOP, "failed", stage="BOOT"))
    ledger.note(note(LOOP, "broken", stage="INTEGRATION", last=True))
    shown = ledger.record("native", ended_at=None)["checks"][1]
    assert (shown["outcome"], shown["stage"]) == ("failed", "BOOT")


def test_a_check_that_passes_only_when_repeated_is_not_passed(ledger: Ledger) -> None:
    # X10: retries show, and flaky is not passed.
    go_well(ledger, HOST)
    ledger.note(note(LOOP, "failed"))
    ledger.retry(LOOP)
    go_well(ledger, LOOP)
    record = ledger.record("native", ended_at="later")
    shown = record["checks"][1]
    assert (shown["outcome"], shown["attempts"]) == ("broken", 2)
    assert "passed in attempt 2 only; before: " in shown["reason"]
    assert (record["verdict"], record["stage"]) == (None, "BENCH")


def test_a_check_that_has_only_been_set_up_has_not_passed(ledger: Ledger) -> None:
    ledger.note(note(HOST))
    shown = ledger.record("native", ended_at=None)["checks"][0]
    assert shown["outcome"] == "unfinished"


def test_a_flaky_check_says_what_it_failed_for_at_first(ledger: Ledger) -> None:
    for stage, outcome in (("BOOT", "failed"), ("INTEGRATION", "broken")):
        ledger.note(note(LOOP, outcome, stage=stage))
        ledger.retry(LOOP)
    go_well(ledger, LOOP)
    (_, shown) = ledger.record("native", ended_at=None)["checks"]
    assert shown["reason"] == f"passed in attempt 3 only; before: {LOOP} failed"


def test_a_check_that_fails_again_is_failed(ledger: Ledger) -> None:
    go_well(ledger, HOST)
    ledger.note(note(LOOP, "failed"))
    ledger.retry(LOOP)
    ledger.note(note(LOOP, "failed"))
    ledger.note(note(LOOP, last=True))
    assert ledger.record("native", ended_at="later")["verdict"] == "INT"


def test_a_lost_worker_is_our_fault(ledger: Ledger) -> None:
    go_well(ledger, HOST)
    ledger.lose(LOOP, "worker 'gw0' crashed")
    record = ledger.record("native", ended_at="later")
    assert (record["verdict"], record["stage"]) == (None, "BENCH")
    assert record["reason"] == "worker 'gw0' crashed"


def test_a_loss_after_the_end_changes_nothing(ledger: Ledger) -> None:
    go_well(ledger, HOST, LOOP)
    ledger.lose(LOOP, "worker 'gw0' crashed")
    assert ledger.record("native", ended_at="later")["verdict"] == "PASS"


def test_host_checks_count_for_every_board() -> None:
    checks = [check(HOST, "", "T1", "T2"), check("a", "native"), check("b", "uno")]
    ledger = Ledger(plan(*checks), started_at="")
    assert ledger.boards() == ("native", "uno")
    go_well(ledger, HOST, "a")
    ledger.note(note("b", "failed", last=True))
    assert ledger.decision("native").verdict is not None
    assert ledger.record("native", ended_at="later")["verdict"] == "PASS"
    assert ledger.record("uno", ended_at="later")["verdict"] == "INT"


def test_host_checks_alone_have_a_record_without_a_board() -> None:
    ledger = Ledger(plan(check(HOST, "", "T1")), started_at="")
    go_well(ledger, HOST)
    assert ledger.boards() == ("",)
    record = ledger.record("", ended_at="later")
    assert (record["board"], record["verdict"]) == (None, None)


def test_workers_plan_the_same_checks_once(ledger: Ledger) -> None:
    go_well(ledger, HOST)
    ledger.add_plan(ledger.plan)
    assert ledger.record("native", ended_at=None)["counts"]["passed"] == 1


@pytest.mark.parametrize(("profile", "verdict"), [("full", None), ("paper", "PASS")])
def test_only_the_full_profile_has_to_check_the_whole_brief(
    profile: str, verdict: str | None
) -> None:
    checks = [check(HOST, "", "T1"), check(LOOP, "native", "T1")]
    ledger = Ledger(plan(*checks, profile=profile), started_at="")
    go_well(ledger, HOST, LOOP)
    assert ledger.record("native", ended_at="later")["verdict"] == verdict


def test_scenarios_are_summed_up_as_published(ledger: Ledger) -> None:
    good = {"name": "fill", "metrics": {"overshoot": 5, "hard_limit_margin_c": 3}}
    bad = {"name": "silence", "metrics": {"overshoot": 1, "hard_limit_margin_c": 1}}
    ledger.note(note(HOST, last=True, scenarios=[good]))
    ledger.note(note(LOOP, "failed", last=True, scenarios=[bad]))
    assert ledger.record("native", ended_at=None)["aggregate"] == {
        "scenarios": 2,
        "passed": 1,
        "failure_category": "silence",
        "max_overshoot": 5,
        "min_hard_limit_margin": 1,
    }


def test_the_first_scenario_that_failed_and_a_margin_of_nothing_count(
    ledger: Ledger,
) -> None:
    runs = [
        {"name": name, "metrics": {"hard_limit_margin_c": margin}}
        for name, margin in (("fill", 3), ("drain", 0), ("hold", None))
    ]
    ledger.note(note(LOOP, "failed", last=True, scenarios=runs))
    aggregate = ledger.record("native", ended_at=None)["aggregate"]
    assert aggregate["failure_category"] == "fill"
    assert aggregate["min_hard_limit_margin"] == 0


def test_what_was_built_is_told_once(ledger: Ledger) -> None:
    image = {"sha256": "aa"}
    ledger.note(note(LOOP, image=image, tools={"pio": "6"}))
    ledger.note(note(HOST, host_driver={"sha256": "bb"}, tools={"cc": "12"}))
    record = ledger.record("native", ended_at=None)
    assert (record["image"], record["host_driver"]) == (image, {"sha256": "bb"})
    assert record["tools"] == {"pio": "6", "cc": "12"}


def test_outcomes_are_all_counted(ledger: Ledger) -> None:
    counts = ledger.record("native", ended_at=None)["counts"]
    assert set(counts) == {"checks", "deselected", *(o.value for o in CheckOutcome)}
