"""Every way to a verdict, and to none: each claim has a control that fails."""

from __future__ import annotations

from itertools import permutations

import pytest

from pytest_embedbench.grading.verdict import (
    BENCH,
    CheckOutcome,
    Result,
    Stage,
    Verdict,
    decide,
)


def result(
    stage: Stage, outcome: CheckOutcome = CheckOutcome.PASSED, name: str = ""
) -> Result:
    return Result(
        check=name or stage.value, outcome=outcome, stage=stage, reason=f"{outcome}"
    )


HOST = result(Stage.HOST_TEST)
LOOP = result(Stage.INTEGRATION)


def test_all_checks_of_both_stages_make_a_pass() -> None:
    decision = decide([HOST, LOOP])
    assert (decision.verdict, decision.stage) == (Verdict.PASS, "INTEGRATION")
    assert decision.result is None


@pytest.mark.parametrize(
    ("stage", "verdict"),
    [
        (Stage.EDIT_SURFACE, Verdict.HOST),
        (Stage.HOST_BUILD, Verdict.HOST),
        (Stage.HOST_TEST, Verdict.HOST),
        (Stage.TARGET_BUILD, Verdict.INT),
        (Stage.BOOT, Verdict.INT),
        (Stage.INTEGRATION, Verdict.INT),
    ],
)
def test_one_failure_among_passes_decides(stage: Stage, verdict: Verdict) -> None:
    # X7: a failure at any stage is never a pass.
    failure = result(stage, CheckOutcome.FAILED, "the culprit")
    decision = decide([HOST, LOOP, failure, HOST, LOOP])
    assert (decision.verdict, decision.stage) == (verdict, stage.value)
    assert decision.result is failure


def test_nothing_submitted_is_none_and_has_no_stage() -> None:
    decision = decide([result(Stage.SUBMISSION, CheckOutcome.FAILED)])
    assert (decision.verdict, decision.stage) == (Verdict.NONE, None)


@pytest.mark.parametrize(("early", "late"), list(permutations(Stage, 2)))
def test_the_earliest_failure_decides_whatever_came_first(
    early: Stage, late: Stage
) -> None:
    order = list(Stage)
    first = early if order.index(early) < order.index(late) else late
    decision = decide(
        [result(early, CheckOutcome.FAILED), result(late, CheckOutcome.FAILED)]
    )
    assert decision.result is not None
    assert decision.result.stage is first


@pytest.mark.parametrize("outcome", [CheckOutcome.BROKEN, CheckOutcome.SKIPPED])
@pytest.mark.parametrize("stage", Stage)
def test_what_could_not_run_is_no_verdict(stage: Stage, outcome: CheckOutcome) -> None:
    decision = decide([HOST, LOOP, result(stage, outcome)])
    assert (decision.verdict, decision.stage) == (None, BENCH)


def test_our_fault_in_a_later_stage_does_not_save_a_submission() -> None:
    decision = decide(
        [
            result(Stage.HOST_TEST, CheckOutcome.FAILED),
            result(Stage.BOOT, CheckOutcome.BROKEN),
        ]
    )
    assert decision.verdict is Verdict.HOST


def test_our_fault_in_an_earlier_stage_hides_what_the_submission_did() -> None:
    decision = decide(
        [
            result(Stage.HOST_BUILD, CheckOutcome.SKIPPED),
            result(Stage.INTEGRATION, CheckOutcome.FAILED),
        ]
    )
    assert (decision.verdict, decision.stage) == (None, BENCH)


def test_within_a_stage_the_submission_answers_before_us() -> None:
    decision = decide(
        [
            result(Stage.BOOT, CheckOutcome.BROKEN),
            result(Stage.BOOT, CheckOutcome.FAILED),
        ]
    )
    assert decision.verdict is Verdict.INT


def test_a_run_that_goes_on_has_no_verdict_yet() -> None:
    decision = decide([HOST, LOOP, result(Stage.INTEGRATION, CheckOutcome.UNFINISHED)])
    assert (decision.verdict, decision.stage) == (None, None)
    assert decision.reason == "1 of 3 checks have not ended"


def test_a_failure_counts_before_the_run_is_over() -> None:
    decision = decide(
        [
            result(Stage.HOST_TEST, CheckOutcome.FAILED),
            result(Stage.INTEGRATION, CheckOutcome.UNFINISHED),
        ]
    )
    assert decision.verdict is Verdict.HOST


@pytest.mark.parametrize(
    ("results", "reason"),
    [
        ([], "no check of the host stage has run"),
        ([LOOP], "no check of the host stage has run"),
        ([HOST], "no check in closed loop has run"),
    ],
)
def test_half_an_evaluation_is_no_pass(results: list[Result], reason: str) -> None:
    decision = decide(results)
    assert (decision.verdict, decision.reason) == (None, reason)


def test_checks_that_the_user_left_out_are_no_pass() -> None:
    decision = decide([HOST, LOOP], deselected_count=3)
    assert decision.verdict is None
    assert decision.reason == "3 checks were left out by the user"


def test_a_sentence_that_nothing_has_checked_is_no_pass() -> None:
    decision = decide([HOST, LOOP], unchecked=["T3", "T4"])
    assert decision.verdict is None
    assert decision.reason == "nothing has checked T3, T4 of the brief"


def test_one_check_that_was_left_out_is_enough_for_no_verdict() -> None:
    decision = decide([HOST, LOOP], deselected_count=1)
    assert (decision.verdict, decision.stage) == (None, None)
    assert decision.reason == "1 checks were left out by the user"


def test_our_own_fault_names_the_check_in_which_it_came_up() -> None:
    ours = result(Stage.BOOT, CheckOutcome.BROKEN, "the culprit")
    decision = decide([HOST, LOOP, ours])
    assert (decision.stage, decision.result) == (BENCH, ours)


def test_a_task_without_a_host_stage_passes_without_one() -> None:
    assert decide([LOOP], has_host_stage=False).verdict is Verdict.PASS
