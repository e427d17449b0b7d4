"""What a process that runs checks tells the one that keeps the verdicts.

It travels on the test reports, as plain tables: xdist carries those to the controller.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.bench.run import metrics_of
from pytest_embedbench.errors import (
    BuildError,
    DoesNotFit,
    FirmwareSpin,
    FirmwareStuck,
    NothingSubmitted,
    OutsideEditSurface,
)
from pytest_embedbench.grading.host.builder import ENVIRONMENT as HOST_DRIVER
from pytest_embedbench.grading.ledger import SPUN
from pytest_embedbench.grading.plugin.plan import check_plans, suite_name
from pytest_embedbench.grading.plugin.profile import NOT_TRIED, note_spin
from pytest_embedbench.grading.plugin.remembered import PASSED
from pytest_embedbench.grading.plugin.stash import (
    CHECK,
    CHECK_PLANS,
    CONTROLLER,
    DONE,
    HOST_IMAGE,
    NOTE,
    SAMPLES,
    SET,
    TARGET_PROGRAM,
)
from pytest_embedbench.grading.plugin.submissions import label_of, own_id
from pytest_embedbench.grading.verdict import CheckOutcome, Stage
from pytest_embedbench.plugin.blame import blame_for, causes, reason_for
from pytest_embedbench.plugin.stash import PLACE, SEED, TESTLOG, session_of

if TYPE_CHECKING:
    from pytest_embedbench.bench.bench import Bench
    from pytest_embedbench.grading.check_records import CheckRecord
    from pytest_embedbench.grading.plugin.check import Check
    from pytest_embedbench.model import FirmwareImage
    from pytest_embedbench.plugin.testlog import TestLog

_HOST_ADDRESS = re.compile(r"\b0x[0-9a-f]{9,16}\b")
_RANDOM_NAME = re.compile(r"((?:\.draft|embedbench[a-z-]*)-|/tmp/tmp)[a-z0-9_]{8}\b")
_PLANNED: pytest.StashKey[bool] = pytest.StashKey()
_SUBMISSION_FAULTS = ("firmware", "build", "submission")
_STAGES = {
    NothingSubmitted: Stage.SUBMISSION,
    OutsideEditSurface: Stage.EDIT_SURFACE,
    DoesNotFit: Stage.TARGET_BUILD,
}
"""What says by itself where it was raised."""


def attach(
    item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport
) -> None:
    """Put how this phase went on its report; on the first, what is going to run."""
    if _PLANNED not in item.config.stash:
        item.config.stash[_PLANNED] = True
        setattr(report, CHECK_PLANS, json.dumps(check_plans(item.session)))
    check = item.stash[CHECK]
    log = item.stash.get(TESTLOG, None)
    outcome, reason = _outcome(item, call, report)
    spun = call.excinfo is not None and _spun(call.excinfo.value)
    # Of a check that is known to pass, the end tells all: nothing comes between.
    is_known = PASSED in item.stash and report.when != "teardown"
    details = {} if is_known else _details(item, log, report)
    note: CheckRecord = {
        "suite": suite_name(check.suite, item.config),
        "label": label_of(item),
        "check": own_id(item.nodeid, label_of(item)),
        "outcome": outcome.value,
        "stage": _stage(item, log, call.excinfo).value,
        "reason": reason,
        "duration_s": report.duration,
        "last": report.when == "teardown",
        "details": details | ({SPUN: True} if spun else {}),
    }
    if DONE in item.stash:
        from pytest_embedbench.grading.plugin.resume import as_before  # noqa: PLC0415

        note = as_before(note, item.stash[DONE], report.when)
        spun = SPUN in note.get("details", {})
    # As JSON, which has a way to write names that are no UTF-8.
    setattr(report, NOTE, json.dumps(note))
    if spun:
        note_spin(item)
    if report.failed:
        for name, sentence in check.brief.items():
            report.sections.append((f"brief {name}", sentence))


def _outcome(
    item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport
) -> tuple[CheckOutcome, str]:
    if call.excinfo is None or report.passed:
        return CheckOutcome.PASSED, ""
    error = call.excinfo.value
    if report.skipped:
        return CheckOutcome.SKIPPED, str(error)
    log = item.stash.get(TESTLOG, None)
    blame = blame_for(item, error, ran=log is not None and log.ran)
    theirs = blame.who in _SUBMISSION_FAULTS
    outcome = CheckOutcome.FAILED if theirs else CheckOutcome.BROKEN
    parameters = log.stash.get(SET, "") if log is not None else ""
    reason = _steady(reason_for(error), item)
    return outcome, f"[{parameters}] {reason}" if parameters else reason


def _steady(reason: str, item: pytest.Item) -> str:
    """Return a reason without what is different in each run: equal runs say the same.

    Paths into the run's folder begin there; addresses of this computer, which are
    longer than any chip's, and names of scratch folders are left out.
    """
    run_dir = session_of(item.config).run_dir
    below, _ = item.stash.get(PLACE, ("", ""))
    for folder in (run_dir / below, run_dir):
        reason = reason.replace(f"{folder}/", "")
    return _RANDOM_NAME.sub(r"\1...", _HOST_ADDRESS.sub("0x...", reason))


def _stage(
    item: pytest.Item,
    log: TestLog | None,
    excinfo: pytest.ExceptionInfo[BaseException] | None,
) -> Stage:
    """Return the stage that a check was in when it failed, else the one it is about."""
    check = item.stash[CHECK]
    if excinfo is None or NOT_TRIED in item.stash:
        return check.goal
    for cause in causes(excinfo.value):
        if isinstance(cause, BuildError) and cause.environment == HOST_DRIVER:
            return Stage.HOST_BUILD
        for kind, stage in _STAGES.items():
            if isinstance(cause, kind):
                return stage
    return _stage_by_goal(check, log)


def _stage_by_goal(check: Check, log: TestLog | None) -> Stage:
    if check.goal is Stage.HOST_TEST:
        return Stage.HOST_TEST
    if check.goal is Stage.TARGET_TEST:
        return _stage_on_target(log)
    return _stage_on_board(log)


def _stage_on_target(log: TestLog | None) -> Stage:
    program = log.stash.get(TARGET_PROGRAM, None) if log is not None else None
    if program is None:
        return Stage.TARGET_BUILD
    return Stage.TARGET_TEST if program.was_up else Stage.BOOT


def _stage_on_board(log: TestLog | None) -> Stage:
    if log is None or (log.image is None and not log.ran):
        return Stage.TARGET_BUILD
    # Of a board without a bench nobody but the test knows what it says.
    booted = any(map(_booted, log.benches)) if log.benches else log.ran
    return Stage.INTEGRATION if booted else Stage.BOOT


def _booted(bench: Bench) -> bool:
    boot_line = bench.boot_line.encode()
    said = bench.transcript.since(0)
    return not boot_line or any(line.payload == boot_line for _, line in said)


def _spun(error: BaseException) -> bool:
    kinds = (FirmwareSpin, FirmwareStuck)
    return any(isinstance(cause, kinds) for cause in causes(error))


def _details(
    item: pytest.Item, log: TestLog | None, report: pytest.TestReport
) -> dict[str, Any]:
    if log is None:
        return {}
    details: dict[str, Any] = {}
    if log.image is not None:
        tools = {**log.image.metadata, "engine": _engine(item, log.board)}
        details |= {"image": _identity(log.image), "tools": tools}
    image = log.stash.get(HOST_IMAGE, None)
    if image is not None:
        details["host_driver"] = {**_identity(image), **image.metadata}
    program = log.stash.get(TARGET_PROGRAM, None)
    if program is not None:
        details["target_driver"] = _identity(program.image)
        done = log.stash[CONTROLLER].samples if CONTROLLER in log.stash else []
        details["samples"] = log.stash.get(SAMPLES, done)
    scenarios = [
        {"name": loop.scenario.name, "metrics": dict(metrics_of(loop))}
        for bench in log.benches
        for loop in bench.loops
        if loop.scenario.name
    ]
    if scenarios:
        details["scenarios"] = scenarios
    if report.when == "teardown" and (log.is_kept or report.failed):
        own_dir = session_of(item.config).run_dir / log.below
        details["folder"] = log.folder().relative_to(own_dir).as_posix()
    seeds = [value for name, value in item.user_properties if name == SEED]
    if seeds:
        details["seeds"] = seeds
    return details


def _identity(image: FirmwareImage) -> dict[str, str]:
    return {
        "environment": image.environment,
        "sha256": image.sha256,
        "key": image.key,
    }


def _engine(item: pytest.Item, board: str) -> str:
    return session_of(item.config).engine_version(board)
