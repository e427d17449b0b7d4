"""Which boards a test had, what they did to it, and what came of them in all."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, cast

from pytest_embedbench.contracts import HasLabRecord

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    import pytest

    from pytest_embedbench.plugin.testlog import TestLog

LAB = "embedbench_lab"
"""An attribute of a test report, which xdist carries along: an attempt's boards."""
_MEMBER = "embedbench_member"
_USE = "embedbench_board_use"
_EVENT = "embedbench_board_event"
ATTEMPT = "embedbench_attempt"
"""A user property of this name says what an earlier attempt ran on, and its end."""
NAMES = (_MEMBER, _USE, _EVENT)
FILE = "lab.json"


def records(log: TestLog) -> list[dict[str, Any]]:
    """Return what is known of each board of the lab that a test has had."""
    return [
        dict(board.lab_record())
        for board in log.shared
        if isinstance(board, HasLabRecord)
    ]


def take_events(log: TestLog) -> None:
    """Take down what has happened to boards since the last phase."""
    journal = sys.modules.get("pytest_embedbench.lab.leases.journal")
    if journal is not None:  # else no board of a lab was ever asked for
        log.board_events += [
            {"event": each.event.value, "board": each.board, "cause": each.cause}
            for each in journal.take()
        ]


def properties(log: TestLog, *, over: bool) -> Iterator[tuple[str, str]]:
    """Yield what JUnit XML is to say of a test's boards, as user properties."""
    for record in records(log):
        yield _MEMBER, place(record)
        if over:
            yield _USE, f"{record['board']}: {_use(record)}"
    for event in log.board_events:
        yield _EVENT, f"{event['event']}: {event['cause']}"


def place(record: dict[str, Any]) -> str:
    """Say which board it was: its name, that of its label, port and serial number."""
    name, wanted = record["board"], record["wanted"]
    asked = f" (one of {wanted})" if wanted != name else ""
    serial = f", serial {record['usb_serial']}" if record["usb_serial"] else ""
    return f"{name}{asked} on {record['port']}{serial}"


def _use(record: dict[str, Any]) -> str:
    waited = f", waited {record['waited_s']:.1f} s" if record["waited_for"] else ""
    return (
        f"{record['retries']} retries, {record['resets']} resets, "
        f"{record['power_cycles']} power cycles, used {record['used_s']:.1f} s{waited}"
    )


def section(log: TestLog, absences: Iterable[str] = ()) -> str:
    """Return what a failure says of its boards; ``""`` if it had none of a lab.

    ``absences`` are why it is the bench's, if it would else be the firmware's.
    """
    had = [f"{place(each)}: {_use(each)}" for each in records(log)]
    had += [f"bench's, for {absence}" for absence in absences]
    had += [f"{event['event']}: {event['cause']}" for event in log.board_events]
    return "\n".join(had)


def put(report: pytest.TestReport, log: TestLog) -> None:
    """Have a report carry an attempt's boards, as far as they are known by now."""
    had = records(log)
    if had or log.board_events:
        whole = log.record()
        entry = {
            "test": log.nodeid,
            "attempt": log.attempt,
            "at": log.started_at,
            "outcome": whole["outcome"],
            "blame": whole["blame"],
            "boards": had,
            "events": log.board_events,
        }
        setattr(report, LAB, entry)


def wanted(report: pytest.TestReport) -> set[str]:
    """Return what was asked for where a board of the lab was had: it, or its label."""
    entry: dict[str, Any] = getattr(report, LAB, {"boards": []})
    return {board["wanted"] for board in entry["boards"]}


def attempts(reporter: pytest.TerminalReporter) -> list[dict[str, Any]]:
    """Return the attempts at tests of this run that had to do with a lab's boards."""
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for reports in reporter.stats.values():
        for report in cast("Iterable[object]", reports):
            entry: dict[str, Any] | None = getattr(report, LAB, None)
            if entry is None:
                continue
            key = (entry["test"], entry["attempt"])
            known = found.get(key)
            # The last phase knows most; which one is seen last here nobody knows.
            if known is None or _weight(entry) >= _weight(known):
                found[key] = entry
    return sorted(found.values(), key=lambda entry: (entry["at"], entry["test"]))


def _weight(entry: dict[str, Any]) -> tuple[int, float]:
    used_s = sum(board["used_s"] for board in entry["boards"])
    return len(entry["events"]), used_s


def summary(
    reporter: pytest.TerminalReporter, run_dir: Path, name: str
) -> Iterator[str]:
    """Write ``lab.json``, and yield a line for each board that was no good."""
    entries = attempts(reporter)
    if not entries:
        return
    from pytest_embedbench.bench.artifacts import replace_json  # noqa: PLC0415  # late
    from pytest_embedbench.lab.inventory.stats import lab_record  # noqa: PLC0415

    record = lab_record(name, entries)
    replace_json(run_dir / FILE, record)
    for board, its in record["boards"].items():
        if its["out"]:
            count = _faults(its["fault_count"])
            yield f"{board} is out for this run after {count}: {its['out']}"
        elif its["events"]:
            told = its["events"][-1]
            count = _faults(len(its["events"]))
            yield f"{board} had {count}, and is still in: {told}"
    for board, why in record["missing"].items():
        yield f"{board} is missing: {why}"


def _faults(count: int) -> str:
    return f"{count} fault" if count == 1 else f"{count} faults"
