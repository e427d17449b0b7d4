"""Whose fault a failure is, and the conversation under it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.errors import (
    BenchFault,
    BuildError,
    ConfigError,
    EmbedbenchError,
    FirmwareFault,
    SubmissionRefused,
)
from pytest_embedbench.plugin import wait_summary
from pytest_embedbench.plugin.failures import cause_of
from pytest_embedbench.plugin.stash import SEED, TESTLOG
from pytest_embedbench.plugin.workers import is_away

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    import pytest

    from pytest_embedbench.plugin.session import Session
    from pytest_embedbench.plugin.testlog import TestLog

BLAME = "embedbench_blame"
BOARD = "embedbench_board"
_PACKAGE = Path(__file__).parents[1]
_BLAMES = (
    (SubmissionRefused, "submission"),
    (BuildError, "build"),
    (FirmwareFault, "firmware"),
    ((BenchFault, ConfigError), "bench"),
)
_WORDS = {
    "firmware": "firmware fault",
    "build": "the submission does not build",
    "submission": "the submission is not taken",
    "bench": "bench fault",
    "test": "test error",
}


def blame_for(error: BaseException | None, *, ran: bool) -> str:
    """Return whose fault ``error`` is: firmware, build, submission, bench or test.

    A plain ``assert`` in a test that ran a board is a verdict on the firmware.

    Args:
        error: What ended the test; its causes are looked through.
        ran: Whether the firmware had been running.
    """
    for cause in causes(error):
        for kinds, blame in _BLAMES:
            if isinstance(cause, kinds):
                return blame
        if ran and isinstance(cause, AssertionError):
            return "firmware"
    return "test"


def hide_our_frames(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Show where in the test one of our errors came up, not where inside of us."""
    if call.excinfo is None or not isinstance(call.excinfo.value, EmbedbenchError):
        return
    in_test: TracebackType | None = None
    entry = call.excinfo.value.__traceback__
    while entry is not None:
        path = Path(entry.tb_frame.f_code.co_filename)
        if path == item.path:
            in_test = entry
        elif in_test is not None and _PACKAGE in path.parents:
            in_test.tb_next = None
            return
        entry = entry.tb_next


def complete(
    item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport
) -> None:
    """Add blame and transcripts to ``report``; after teardown, write ``test.json``."""
    log = item.stash[TESTLOG]
    _add_property(item, report, BOARD, log.board)
    for name, value in wait_summary.properties(log.shared):
        _add_property(item, report, name, value)
    blame, reason = "", ""
    if report.failed and call.excinfo is not None:
        error = call.excinfo.value
        blame = blame_for(error, ran=log.ran)
        reason = reason_for(error)
        _add_property(item, report, BLAME, blame)
        notes: list[str] = getattr(error, "__notes__", [])
        _add_sections(report, log, blame, "\n".join([reason, *notes]))
    elif report.skipped and call.excinfo is not None:
        reason = str(call.excinfo.value)
        blame = "none"
    log.note_phase(report, blame, reason)
    if report.when == "teardown":
        log.seeds = [value for name, value in item.user_properties if name == SEED]
        try:
            log.write()
        except (OSError, BenchFault) as error:
            report.outcome = "failed"
            report.longrepr = f"test.json cannot be written: {error}"
        del item.stash[TESTLOG]
        ours = (BOARD, BLAME, SEED, *wait_summary.NAMES)
        item.user_properties[:] = [p for p in item.user_properties if p[0] not in ours]
    if is_away(item.config):
        from pytest_embedbench.plugin import shipping  # noqa: PLC0415  # late

        over = report.when == "teardown"
        shipping.ship(report, log.run_dir, log.made_folder if over else None)


def summarise(reporter: pytest.TerminalReporter, session: Session) -> None:
    """Print where the files are and how many failures were whose."""
    blamed = Counter(
        str(value)
        for outcome in ("failed", "error")
        for report in _of_tests(reporter, outcome)
        for name, value in report.user_properties
        if name == BLAME
    )
    if blamed:
        shares = ", ".join(f"{count} x {_WORDS[who]}" for who, count in blamed.items())
        reporter.write_line(f"embedbench: {shares}")
    for name, why in _never_ran(reporter, session):
        reporter.write_line(f"embedbench: nothing ran on {name}: {why}", yellow=True)
    for line in wait_summary.summary(reporter):
        reporter.write_line(f"embedbench: {line}")
    if session.run_dir.exists():
        reporter.write_line(f"embedbench: artifacts in {session.run_dir}")


def _of_tests(
    reporter: pytest.TerminalReporter, outcome: str
) -> list[pytest.TestReport]:
    """Return the reports of tests; files that cannot be collected have some, too."""
    reports = reporter.getreports(outcome)
    return [report for report in reports if hasattr(report, "user_properties")]


def _never_ran(
    reporter: pytest.TerminalReporter, session: Session
) -> Iterator[tuple[str, str]]:
    """Yield the boards whose every test was skipped, and why: green, yet no result."""
    reports: dict[str, dict[str, pytest.TestReport]] = {}
    for outcome in ("passed", "failed", "error", "skipped"):
        for report in _of_tests(reporter, outcome):
            for name, value in report.user_properties:
                if name == BOARD:
                    reports.setdefault(str(value), {}).setdefault(outcome, report)
    for name in session.board_names():
        seen = reports.get(name, {})
        if list(seen) == ["skipped"]:
            yield name, _why_skipped(seen["skipped"])


def _why_skipped(report: pytest.TestReport) -> str:
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
    return reason.removeprefix("Skipped: ")


def _add_property(
    item: pytest.Item, report: pytest.TestReport, name: str, value: str
) -> None:
    """Add a property to this report and to those of the phases to come.

    JUnit XML takes them from the last one.
    """
    if (name, value) not in report.user_properties:
        report.user_properties.append((name, value))
        item.user_properties.append((name, value))


def _add_sections(
    report: pytest.TestReport, log: TestLog, blame: str, shown: str
) -> None:
    if log.controller is not None:
        report.sections.append(("controller steps", log.controller.history()))
    for bench in log.benches:
        if str(bench.transcript_path) in shown:
            continue  # the error shows it already
        title = f"UART ({_WORDS[blame]})"
        text = f"{bench.transcript.tail()}\nwhole: {bench.transcript_path}"
        report.sections.append((title, text))


def reason_for(error: BaseException) -> str:
    """Return what our own error among the causes says, or else the error itself."""
    for cause in causes(error):
        if isinstance(cause, EmbedbenchError):
            return str(cause)
    kind = type(error).__name__
    if isinstance(error, AssertionError) and str(error):
        return str(error)
    return f"{kind}: {error}" if str(error) else kind


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error, what it came from, and so on."""
    while error is not None:
        yield error
        error = cause_of(error)
