"""What a process that runs checks tells the one that keeps the verdicts.

It travels on the test reports, as plain tables: xdist carries those to the controller.
"""

from __future__ import annotations

import hashlib
import platform
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.bench.run import measured
from pytest_embedbench.errors import (
    BuildError,
    ConfigError,
    FirmwareSpin,
    NothingSubmitted,
    OutsideEditSurface,
)
from pytest_embedbench.evaluation.host.builder import ENVIRONMENT as HOST_DRIVER
from pytest_embedbench.evaluation.verdict import Outcome, Stage
from pytest_embedbench.plugin.options import setting
from pytest_embedbench.plugin.profile import DESELECTED, note_spin
from pytest_embedbench.plugin.report import blame_for, causes, reason_for
from pytest_embedbench.plugin.stash import (
    ANNOUNCEMENTS,
    CHECK,
    NOTE,
    TESTLOG,
    session_of,
)
from pytest_embedbench.task import submitted

if TYPE_CHECKING:
    from pytest_embedbench.bench.bench import Bench
    from pytest_embedbench.evaluation.ledger import Announced, Announcement, Note
    from pytest_embedbench.model import FirmwareImage
    from pytest_embedbench.plugin.profile import Check
    from pytest_embedbench.plugin.testlog import TestLog
    from pytest_embedbench.task import Suite

SEED = "embedbench_seed"
"""A user property of this name is a seed of its test."""
_ANNOUNCED: pytest.StashKey[bool] = pytest.StashKey()
_SUBMISSION_FAULTS = ("firmware", "build", "submission")


def attach(
    item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport
) -> None:
    """Put how this phase went on its report; on the first, what is going to run."""
    if _ANNOUNCED not in item.config.stash:
        item.config.stash[_ANNOUNCED] = True
        setattr(report, ANNOUNCEMENTS, _announcements(item.session))
    check = item.stash[CHECK]
    log = item.stash.get(TESTLOG, None)
    outcome, stage, reason = _outcome(check, log, call, report)
    note: Note = {
        "suite": _name(check.suite, item.config),
        "check": item.nodeid,
        "outcome": outcome.value,
        "stage": stage.value,
        "reason": reason,
        "duration_s": report.duration,
        "last": report.when == "teardown",
        "details": _details(item, log, report),
    }
    setattr(report, NOTE, note)
    if call.excinfo is not None and _spun(call.excinfo.value):
        note_spin(item)
    if log is not None:
        log.brief = check.brief
    if report.failed:
        for name, sentence in check.brief.items():
            report.sections.append((f"brief {name}", sentence))


def _outcome(
    check: Check,
    log: TestLog | None,
    call: pytest.CallInfo[None],
    report: pytest.TestReport,
) -> tuple[Outcome, Stage, str]:
    if call.excinfo is None or report.passed:
        return Outcome.PASSED, _goal(check), ""
    error = call.excinfo.value
    stage = _stage(check, log, error)
    if report.skipped:
        return Outcome.SKIPPED, stage, str(error)
    theirs = blame_for(error, ran=log is not None and log.ran) in _SUBMISSION_FAULTS
    return Outcome.FAILED if theirs else Outcome.BROKEN, stage, reason_for(error)


def _stage(check: Check, log: TestLog | None, error: BaseException) -> Stage:
    """Return the stage that a check was in when it failed."""
    for cause in causes(error):
        if isinstance(cause, NothingSubmitted):
            return Stage.SUBMISSION
        if isinstance(cause, OutsideEditSurface):
            return Stage.EDIT_SURFACE
        if isinstance(cause, BuildError) and cause.environment == HOST_DRIVER:
            return Stage.HOST_BUILD
    if check.on_host:
        return Stage.HOST_TEST
    return _stage_on_board(log)


def _stage_on_board(log: TestLog | None) -> Stage:
    if log is None or log.image is None:
        return Stage.TARGET_BUILD
    return Stage.INTEGRATION if any(map(_booted, log.benches)) else Stage.BOOT


def _booted(bench: Bench) -> bool:
    boot_line = bench.boot_line.encode()
    return any(line.payload == boot_line for _, line in bench.transcript.since(0))


def _goal(check: Check) -> Stage:
    return Stage.HOST_TEST if check.on_host else Stage.INTEGRATION


def _spun(error: BaseException) -> bool:
    return any(isinstance(cause, FirmwareSpin) for cause in causes(error))


def _details(
    item: pytest.Item, log: TestLog | None, report: pytest.TestReport
) -> dict[str, Any]:
    if log is None:
        return {}
    details: dict[str, Any] = {}
    if log.image is not None:
        tools = {**log.image.metadata, "engine": _engine(item, log.board)}
        details |= {"image": _identity(log.image), "tools": tools}
    if log.host_image is not None:
        image = log.host_image
        details["host_driver"] = {**_identity(image), **image.metadata}
    scenarios = [
        {"name": loop.scenario.name, "metrics": dict(measured(loop))}
        for bench in log.benches
        for loop in bench.loops
        if loop.scenario.name
    ]
    if scenarios:
        details["scenarios"] = scenarios
    if report.when == "teardown":
        run_dir = session_of(item.config).run_dir
        details["folder"] = log.folder().relative_to(run_dir).as_posix()
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


def _announcements(session: pytest.Session) -> list[Announcement]:
    """Return what is going to run of each suite, in the order of the tests."""
    made: dict[str, Announcement] = {}
    for item in session.items:
        check = item.stash.get(CHECK, None)
        if check is None:
            continue
        name = _name(check.suite, item.config)
        if name not in made:
            made[name] = _announcement(item, check.suite)
        announced: Announced = {
            "check": item.nodeid,
            "board": check.board,
            "stage": _goal(check).value,
            "brief": list(check.brief),
        }
        made[name]["checks"].append(announced)
    return list(made.values())


def _announcement(item: pytest.Item, suite: Suite) -> Announcement:
    config = item.config
    submission, sources = _submitted(config, suite)
    return {
        "suite": _name(suite, config),
        "task": suite.task.name if suite.task else "",
        "profile": setting(config, "profile"),
        "submission": submission,
        "sources": sources,
        "sentences": dict(session_of(config).brief(item.path)),
        "tools": {
            "pytest-embedbench": version("pytest-embedbench"),
            "pytest": pytest.__version__,
            "python": platform.python_version(),
            "host": platform.platform(),
        },
        "deselected_count": config.stash.get(DESELECTED, 0),
        "checks": [],
    }


def _submitted(
    config: pytest.Config, suite: Suite
) -> tuple[str | None, dict[str, str]]:
    """Return where the submission is, if there is one, and the digests of its files."""
    try:
        folder = session_of(config).submission(suite)
    except ConfigError:
        return setting(config, "firmware"), {}
    surface = suite.task.edit_surface if suite.task else ()
    files = {
        name: submitted(folder or suite.root, name) or suite.root / name
        for name in surface
    }
    digests = {
        name: hashlib.sha256(file.read_bytes()).hexdigest()
        for name, file in files.items()
        if file.is_file()
    }
    return str(folder) if folder else None, digests


def _name(suite: Suite, config: pytest.Config) -> str:
    """Return a suite's folder as people see it: from the rootdir, if it is in there."""
    root = config.rootpath.resolve()
    if suite.root.is_relative_to(root):
        return suite.root.relative_to(root).as_posix()
    return suite.root.as_posix()


def _engine(item: pytest.Item, board: str) -> str:
    return session_of(item.config).engine_version(board)
