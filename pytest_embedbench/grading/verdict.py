"""From the outcomes of checks to a verdict: pure, so that every path has a test."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Verdict(enum.Enum):
    """What a submission comes to, in the words of the published benchmark."""

    PASS = "PASS"  # noqa: S105  # no password
    HOST = "HOST"
    """It fails before it runs in closed loop."""
    INT = "INT"
    """It fails as a firmware."""
    NONE = "NONE"
    """Nothing was submitted."""


class Stage(enum.Enum):
    """How far a check has come, in the order in which a submission goes through."""

    SUBMISSION = "SUBMISSION"
    EDIT_SURFACE = "EDIT_SURFACE"
    HOST_BUILD = "HOST_BUILD"
    HOST_TEST = "HOST_TEST"
    TARGET_BUILD = "TARGET_BUILD"
    BOOT = "BOOT"
    TARGET_TEST = "TARGET_TEST"
    INTEGRATION = "INTEGRATION"


BENCH = "BENCH"
"""In place of a stage: our own fault, on which there is no verdict."""

_ORDER = {stage: number for number, stage in enumerate(Stage)}
_VERDICTS = {
    Stage.SUBMISSION: Verdict.NONE,
    Stage.EDIT_SURFACE: Verdict.HOST,
    Stage.HOST_BUILD: Verdict.HOST,
    Stage.HOST_TEST: Verdict.HOST,
    Stage.TARGET_BUILD: Verdict.INT,
    Stage.BOOT: Verdict.INT,
    Stage.TARGET_TEST: Verdict.INT,
    Stage.INTEGRATION: Verdict.INT,
}


class CheckOutcome(enum.Enum):
    """How a check ended."""

    PASSED = "passed"
    FAILED = "failed"
    """The submission is to blame."""
    BROKEN = "broken"
    """We are to blame: the bench, the check itself, a worker that died."""
    SKIPPED = "skipped"
    """It could not run here."""
    UNFINISHED = "unfinished"
    """It was to run, and has not come to an end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """How one check ended, and where: where it failed, or the stage it is about."""

    check: str
    outcome: CheckOutcome
    stage: Stage
    reason: str = ""
    brief: Mapping[str, str] = field(default_factory=dict[str, str])
    details: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What a report shows besides; a verdict does not depend on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A verdict, if there can be one, and what decided it.

    ``stage`` is where the submission failed, ``INTEGRATION`` if it passed, ``BENCH``
    if we failed, nothing if it was not submitted or is still being looked at.
    """

    verdict: Verdict | None
    stage: str | None
    reason: str
    result: Result | None = None


def decide(
    results: Sequence[Result],
    *,
    deselected_count: int = 0,
    unchecked: Sequence[str] = (),
    has_host_stage: bool = True,
) -> Decision:
    """Return what the results of all checks of a run come to.

    The earliest stage at which anything went wrong decides; within it, a failure of
    the submission before one of ours. Nothing but a whole run without any is a PASS.

    Args:
        results: One of each check, those included that have not ended.
        deselected_count: How many checks the user left out.
        unchecked: Sentences of the brief that no check has enforced.
        has_host_stage: Whether the task has checks without its boards: circuits have
            none.
    """
    wrong = [result for result in results if result.outcome is not CheckOutcome.PASSED]
    ended = [
        result for result in wrong if result.outcome is not CheckOutcome.UNFINISHED
    ]
    if ended:
        return _decided_by(min(ended, key=_urgency))
    stages = {result.stage for result in results}
    for lacking, reason in (
        (wrong, f"{len(wrong)} of {len(results)} checks have not ended"),
        (deselected_count, f"{deselected_count} checks were left out by the user"),
        (
            has_host_stage and Stage.HOST_TEST not in stages,
            "no check of the host stage has run",
        ),
        (Stage.INTEGRATION not in stages, "no check in closed loop has run"),
        (unchecked, f"nothing has checked {', '.join(unchecked)} of the brief"),
    ):
        if lacking:
            return Decision(verdict=None, stage=None, reason=reason)
    return Decision(
        verdict=Verdict.PASS,
        stage=Stage.INTEGRATION.value,
        reason=f"all {len(results)} checks passed",
    )


def _urgency(result: Result) -> tuple[int, bool]:
    return (_ORDER[result.stage], result.outcome is not CheckOutcome.FAILED)


def _decided_by(result: Result) -> Decision:
    if result.outcome is not CheckOutcome.FAILED:
        return Decision(verdict=None, stage=BENCH, reason=result.reason, result=result)
    verdict = _VERDICTS[result.stage]
    stage = None if verdict is Verdict.NONE else result.stage.value
    return Decision(verdict=verdict, stage=stage, reason=result.reason, result=result)
