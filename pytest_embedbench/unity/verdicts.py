"""What a run of a suite says of one case that its source names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from pytest_embedbench.unity.sources import SourceCase
    from pytest_embedbench.unity.suite_run import SuiteRun
    from pytest_embedbench.wire.unit_tests import UnitTestCase

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"


@dataclass(frozen=True, slots=True)
class CaseVerdict:
    """What a case came to, and why."""

    outcome: str
    reason: str = ""


_FINE = CaseVerdict(PASSED)


def judge(
    case: SourceCase, run: SuiteRun, is_called: Callable[[str], bool]
) -> CaseVerdict:
    """Return what a run says of a case.

    One that never reported has failed, unless the run came to its end without it and
    an ``#if`` may have left it out of this build, or all that ran was reported and
    nothing calls the functions that run it.
    """
    reported = run.of(case.name)
    if reported:
        return verdict_of(reported)
    if run.unseen_passed_of >= 0:
        return _FINE
    if case.condition and run.summary:
        return CaseVerdict(SKIPPED, f"not in this build: under {case.condition}")
    if run.is_whole and case.run_by and not any(map(is_called, case.run_by)):
        by = "(), ".join(case.run_by)
        return CaseVerdict(SKIPPED, f"never run: nothing calls {by}()")
    return CaseVerdict(
        FAILED, f"{case.name} never reported: {run.how_far()}\nall output: {run.log}"
    )


def judge_the_end(run: SuiteRun, known: Collection[str]) -> CaseVerdict:
    """Return what is to be said of a run beyond its cases.

    That it did not come to its end is told by the cases that are missing, if any are.
    """
    why = run.fault
    if not run.summary and all(run.of(name) for name in known):
        why = run.how_far()
    return CaseVerdict(FAILED, f"{why}\nall output: {run.log}") if why else _FINE


def worst(*verdicts: CaseVerdict) -> CaseVerdict:
    """Return the first that has failed, else the first that was skipped."""
    for outcome in (FAILED, SKIPPED):
        for each in verdicts:
            if each.outcome == outcome:
                return each
    return _FINE


def verdict_of(reported: list[UnitTestCase]) -> CaseVerdict:
    """Return the worst of what was reported of a case."""
    for result, outcome in (("FAIL", FAILED), ("IGNORE", SKIPPED)):
        for each in reported:
            if each.result == result:
                return CaseVerdict(outcome, _said(each))
    return _FINE


def _said(case: UnitTestCase) -> str:
    said = case.message or ("failed" if case.result == "FAIL" else "ignored")
    return f"{case.file}:{case.line}: {said}" if case.file else said
