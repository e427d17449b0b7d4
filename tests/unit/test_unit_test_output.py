"""What Unity and doctest say, as cases; and what a run says of a case."""

from __future__ import annotations

import pytest

from pytest_embedbench.errors import BoardLost, FirmwareCrash, ToolMissing
from pytest_embedbench.unity.sources import SourceCase
from pytest_embedbench.unity.suite_run import SuiteRun, from_json, not_run
from pytest_embedbench.unity.verdicts import (
    FAILED,
    PASSED,
    SKIPPED,
    judge,
    judge_the_end,
)
from pytest_embedbench.wire.unit_tests import (
    DoctestReader,
    UnitTestCase,
    UnityReader,
    unity_case,
)

DOCTEST = """\
[doctest] doctest version is "2.4.9"
[doctest] run with "--help" for options
===============================================================================
test/test_main.cpp:12:
TEST SUITE: sums
TEST CASE:  adds
  small

test/test_main.cpp:15: SUCCESS: CHECK( 1 + 1 == 2 ) is correct!
  values: CHECK( 2 == 2 )

===============================================================================
test/test_main.cpp:30:
TEST CASE:  divides

test/test_main.cpp:31: ERROR: CHECK( 7 / 2 == 4 ) is NOT correct!
  values: CHECK( 3 == 4 )

===============================================================================
[doctest] test cases:  3 |  2 passed | 1 failed | 0 skipped
[doctest] assertions:  2 |  1 passed | 1 failed |
[doctest] Status: FAILURE!
"""


def read(reader: UnityReader | DoctestReader, text: str) -> list[tuple[str, str, str]]:
    for line in text.splitlines():
        reader.read(line)
    return [(case.name, case.result, case.message) for case in reader.cases]


def test_unity_reports_cases_messages_and_a_summary() -> None:
    reader = UnityReader()
    said = """\
boot: ok
test/test_a.c:10:test_adds:PASS
test/test_a.c:14:test_divides:FAIL: Expected 5 Was 4. as in: 20/4
test/test_a.c:16:test_later:IGNORE: not yet
test/test_a.c:18:test_talks:INFO: it says x:PASS
test/test_a.c:18:test_ignored:IGNORE

-----------------------
4 Tests 1 Failures 2 Ignored
FAIL
"""
    assert read(reader, said) == [
        ("test_adds", "PASS", ""),
        ("test_divides", "FAIL", "Expected 5 Was 4. as in: 20/4"),
        ("test_later", "IGNORE", "not yet"),
        ("test_ignored", "IGNORE", ""),
    ]
    assert reader.summary == "4 Tests 1 Failures 2 Ignored"
    assert (reader.cases[1].file, reader.cases[1].line) == ("test/test_a.c", 14)


@pytest.mark.parametrize(
    ("line", "name", "result"),
    [
        ("v=3 test/a.c:1:ns::test_a:PASS", "ns::test_a", "PASS"),
        ("test/a.c:1:test_a:FAIL", "test_a", "FAIL"),
        (
            "./a.c:100:a case with blanks:FAIL:Expected 2 was 1",
            "a case with blanks",
            "FAIL",
        ),
        ("TEST(group, works) PASS", "works", "PASS"),
        ("TEST(group, fails)a.c:12::FAIL: Expected 1 Was 2", "fails", "FAIL"),
    ],
)
def test_a_line_of_unity_is_a_case(line: str, name: str, result: str) -> None:
    case = unity_case(line)
    assert case is not None
    assert (case.name, case.result) == (name, result)


def test_colours_are_left_out() -> None:
    green = "test/a.c:1:test_a:\x1b[42mPASS\x1b[0m"
    assert read(UnityReader(), green) == [("test_a", "PASS", "")]


def test_doctest_reports_blocks() -> None:
    reader = DoctestReader()
    assert read(reader, DOCTEST) == [
        ("adds/small", "PASS", ""),
        ("divides", "FAIL", "CHECK( 7 / 2 == 4 ) is NOT correct!"),
    ]
    assert [case.line for case in reader.cases] == [12, 31]
    assert reader.summary == "[doctest] Status: FAILURE"
    assert reader.unseen_passed(3)
    assert not reader.unseen_passed(4)


def case(name: str, condition: str = "") -> SourceCase:
    return SourceCase(name=name, line=1, condition=condition)


def called(function: str) -> bool:
    raise AssertionError(f"nobody needs to know who calls {function}")


def said(name: str, result: str, message: str = "") -> UnitTestCase:
    return UnitTestCase(name=name, result=result, message=message, file="a.c", line=3)


RUN = SuiteRun(
    cases=(
        said("a", "PASS"),
        said("b", "FAIL", "Expected 1 Was 2"),
        said("c", "IGNORE"),
        said("twice", "PASS"),
        said("twice", "FAIL"),
        said("sub/one", "PASS"),
        said("sub/two", "FAIL", "no"),
    ),
    summary="7 Tests 3 Failures 1 Ignored",
    log="out.log",
)


@pytest.mark.parametrize(
    ("name", "outcome", "reason"),
    [
        ("a", PASSED, ""),
        ("b", FAILED, "a.c:3: Expected 1 Was 2"),
        ("c", SKIPPED, "a.c:3: ignored"),
        ("twice", FAILED, "a.c:3: failed"),
        ("sub", FAILED, "a.c:3: no"),
    ],
)
def test_a_case_comes_to_the_worst_it_reported(
    name: str, outcome: str, reason: str
) -> None:
    verdict = judge(case(name), RUN, called)
    assert (verdict.outcome, verdict.reason) == (outcome, reason)


def test_a_case_that_never_reported_has_failed_and_says_how_far_the_run_came() -> None:
    verdict = judge(case("lost"), RUN, called)
    assert verdict.outcome == FAILED
    assert "lost never reported: the last of 7 cases was sub/two" in verdict.reason
    cut = SuiteRun(cases=(), log="out.log", ended="the program was ended by SIGSEGV")
    verdict = judge(case("lost", "#ifdef X"), cut, called)
    assert verdict.outcome == FAILED
    assert "no case was reported; the program was ended by SIGSEGV" in verdict.reason


def test_a_case_that_a_condition_left_out_of_a_whole_run_is_skipped() -> None:
    verdict = judge(case("there", "#ifdef ARDUINO"), RUN, called)
    assert verdict.outcome == SKIPPED
    assert verdict.reason == "not in this build: under #ifdef ARDUINO"


@pytest.mark.parametrize(
    ("summary", "run_by", "calls", "outcome"),
    [
        ("7 Tests 3 Failures 1 Ignored", ("some",), (), SKIPPED),
        ("7 Tests 3 Failures 1 Ignored", ("some",), ("some",), FAILED),
        ("7 Tests 3 Failures 1 Ignored", ("some", "more"), ("more",), FAILED),
        ("7 Tests 3 Failures 1 Ignored", (), (), FAILED),
        ("8 Tests 3 Failures 1 Ignored", ("some",), (), FAILED),
        ("", ("some",), (), FAILED),
    ],
)
def test_a_case_is_skipped_if_nothing_calls_what_runs_it_and_none_is_missing(
    summary: str, run_by: tuple[str, ...], calls: tuple[str, ...], outcome: str
) -> None:
    lost = SourceCase(name="lost", line=1, run_by=run_by)
    run = SuiteRun(cases=RUN.cases, log="out.log", summary=summary)
    verdict = judge(lost, run, lambda function: function in calls)
    assert verdict.outcome == outcome
    if outcome == SKIPPED:
        assert verdict.reason == "never run: nothing calls some()"


def test_a_run_survives_being_written_down() -> None:
    assert from_json(RUN.as_json().encode()) == RUN
    assert [one.name for one in RUN.others(["a", "b", "c", "sub"])] == ["twice"] * 2


@pytest.mark.parametrize(
    ("run", "known", "said_of_it"),
    [
        (RUN, ["a"], ""),
        (SuiteRun(cases=RUN.cases, log="", ended="reset"), ["a"], "reset"),
        (SuiteRun(cases=RUN.cases, log="", ended="reset"), ["a", "lost"], ""),
        (SuiteRun(cases=(), log="", ended="reset"), [], "no case was reported; reset"),
        (SuiteRun(cases=(), log="", summary="OK", fault="SIGSEGV"), ["a"], "SIGSEGV"),
    ],
)
def test_a_run_that_ended_badly_is_told_once(
    run: SuiteRun, known: list[str], said_of_it: str
) -> None:
    verdict = judge_the_end(run, known)
    assert (verdict.outcome == FAILED) == bool(said_of_it)
    assert said_of_it in verdict.reason


def test_what_kept_a_board_from_running_is_kept_for_all_cases() -> None:
    crashed = not_run(FirmwareCrash("it died at boot"))
    assert crashed is not None
    assert "lost never reported: no case was reported; it died at boot" in (
        judge(case("lost"), crashed, called).reason
    )
    lost = not_run(BoardLost("unplugged"))
    assert lost is not None
    assert from_json(lost.as_json().encode()).bench_fault == "unplugged"
    assert not_run(ToolMissing("uno", "libsimavr", "apt-get it")) is None
    assert not_run(ValueError("a slip")) is None
