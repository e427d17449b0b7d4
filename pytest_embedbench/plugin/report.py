"""Whose fault a failure is, and the conversation under it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.errors import BenchFault, EmbedbenchError
from pytest_embedbench.plugin import image_summary, lab_report, wait_summary
from pytest_embedbench.plugin.blame import BENCH, FIRMWARE, blame_for, reason_for
from pytest_embedbench.plugin.stash import SEED, TESTLOG, session_of
from pytest_embedbench.plugin.workers import is_away

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    import pytest

    from pytest_embedbench.model import Blame
    from pytest_embedbench.plugin.session import Session
    from pytest_embedbench.plugin.testlog import TestLog

BLAME = "embedbench_blame"
BLAMED = "embedbench_blamed"
"""An attribute of a test report, which xdist carries along: the blame in words."""
BOARD = "embedbench_board"
_PACKAGE = Path(__file__).parents[1]


def hide_our_frames(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Show where in the test one of our errors came up, not where inside of us."""
    if call.excinfo is None or not isinstance(call.excinfo.value, EmbedbenchError):
        return
    _hide_causes(call.excinfo.value)
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


def _hide_causes(error: BaseException) -> None:
    """Leave of the causes of our own error what they say, unless they are a suite's."""
    cause = error.__cause__ or error.__context__
    while cause is not None:
        entry, is_ours = cause.__traceback__, True
        while entry is not None and is_ours:
            is_ours = _PACKAGE in Path(entry.tb_frame.f_code.co_filename).parents
            entry = entry.tb_next
        if is_ours:
            cause.__traceback__ = None
        cause = cause.__cause__ or cause.__context__


def complete(
    item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport
) -> None:
    """Add blame and transcripts to ``report``; after teardown, write ``test.json``."""
    log = item.stash[TESTLOG]
    over = report.when == "teardown"
    lab_report.take_events(log)
    for name, value in (
        (BOARD, log.board),
        *wait_summary.properties(log.shared),
        *lab_report.properties(log, over=over),
    ):
        _add_property(item, report, name, value)
    who, reason = "", ""
    if report.failed and call.excinfo is not None:
        who, reason = _blamed(item, report, log, call.excinfo.value)
    elif report.skipped and call.excinfo is not None:
        reason = str(call.excinfo.value)
        who = "none"
    log.note_phase(report, who, reason)
    lab_report.put(report, log)
    if over:
        images = session_of(item.config).rig.images
        report.user_properties.extend(image_summary.properties(images))
        _finish(item, report, log)
    if is_away(item.config):
        from pytest_embedbench.plugin import shipping  # noqa: PLC0415  # late

        shipping.ship(report, log.run_dir, log.made_folder if over else None)


def _blamed(
    item: pytest.Item, report: pytest.TestReport, log: TestLog, error: BaseException
) -> tuple[str, str]:
    """Add to a failure whose it is and what shows that; return who, and why."""
    blame = blame_for(item, error, ran=log.ran)
    reason = reason_for(error)
    absences = log.absences() if blame == FIRMWARE else []
    if absences:
        # Whatever a firmware says without power is not its fault.
        blame = BENCH
        reason = f"{'; '.join(absences)}; then: {reason}"
    _add_property(item, report, BLAME, blame.who)
    setattr(report, BLAMED, blame.words)
    notes: list[str] = getattr(error, "__notes__", [])
    boards = lab_report.section(log, absences)
    _add_sections(report, log, blame, "\n".join([reason, *notes]), boards)
    return blame.who, reason


def summarise(reporter: pytest.TerminalReporter, session: Session) -> None:
    """Print where the files are and how many failures were whose."""
    blamed = Counter(
        str(getattr(report, BLAMED))
        for outcome in ("failed", "error")
        for report in reporter.getreports(outcome)
        if hasattr(report, BLAMED)
    )
    if blamed:
        shares = ", ".join(f"{count} x {words}" for words, count in blamed.items())
        reporter.write_line(f"embedbench: {shares}")
    for name, why in _never_ran(reporter, session):
        reporter.write_line(f"embedbench: nothing ran on {name}: {why}", yellow=True)
    lines = (
        *lab_report.summary(reporter, session.run_dir, session.run_name),
        *wait_summary.summary(reporter),
        *image_summary.summary(reporter),
    )
    for line in lines:
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
            names = {
                str(value) for key, value in report.user_properties if key == BOARD
            }
            for name in names | lab_report.wanted(report):
                reports.setdefault(name, {}).setdefault(outcome, report)
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


def _finish(item: pytest.Item, report: pytest.TestReport, log: TestLog) -> None:
    """Close this attempt's record; another one will have a new one."""
    log.seeds = [value for name, value in item.user_properties if name == SEED]
    try:
        _write(item, log)
    except (OSError, BenchFault) as error:
        report.outcome = "failed"
        report.longrepr = f"test.json cannot be written: {error}"
    del item.stash[TESTLOG]
    ours = (BOARD, BLAME, SEED, *wait_summary.NAMES, *lab_report.NAMES)
    item.user_properties[:] = [p for p in item.user_properties if p[0] not in ours]
    if had := lab_report.records(log):
        # For the next attempt, if there will be one: each keeps its board.
        known = log.record()
        places = ", ".join(map(lab_report.place, had))
        ended = f"{known['outcome']}, {known['blame']}"
        told = f"{log.attempt} on {places}: {ended}"
        item.user_properties.append((lab_report.ATTEMPT, told))


def _write(item: pytest.Item, log: TestLog) -> None:
    """Write ``test.json``, if the test had something to run, or has failed."""
    if log.is_kept:
        record = log.record()
        item.ihook.pytest_embedbench_test_record(item=item, record=record)
        log.write(record)


def _add_sections(
    report: pytest.TestReport, log: TestLog, blame: Blame, shown: str, boards: str
) -> None:
    if boards:
        report.sections.append((f"board ({blame.words})", boards))
    for bench in log.benches:
        if str(bench.transcript_path) in shown:
            continue  # the error shows it already
        title = f"UART ({blame.words})"
        text = f"{bench.transcript.tail()}\nwhole: {bench.transcript_path}"
        report.sections.append((title, text))
    for console in log.consoles:
        title = f"console of {console.name} ({blame.words})"
        text = f"{console.transcript.tail()}\nwhole: {console.path}"
        report.sections.append((title, text))
