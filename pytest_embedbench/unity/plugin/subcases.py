"""Cases that no source names: each a report of its own, under the test that ran it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from pytest_embedbench.errors import FirmwareFault
from pytest_embedbench.plugin.blame import FIRMWARE
from pytest_embedbench.plugin.failures import told_plainly
from pytest_embedbench.plugin.report import BLAMED, BOARD
from pytest_embedbench.plugin.stash import TESTLOG
from pytest_embedbench.unity.plugin.stash import CASE_ID
from pytest_embedbench.unity.verdicts import FAILED, SKIPPED, CaseVerdict, verdict_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_embedbench.wire.unit_tests import UnitTestCase


def report_read_cases(item: pytest.Item) -> None:
    """Report what ``bench.dut`` has read of Unity's cases in a test."""
    log = item.stash[TESTLOG]
    cases = [
        case
        for bench in log.benches
        if (dut := bench.dut_if_used) is not None
        for case in dut.testsuite.testcases
    ]
    name, bracket, parameters = item.nodeid.partition("[")
    report_cases(item, cases, f"{name}::", f"{bracket}{parameters}")


def report_cases(
    item: pytest.Item, cases: Iterable[UnitTestCase], before: str, after: str
) -> None:
    """Report cases, each with a node id: its name between ``before`` and ``after``."""
    by_name: dict[str, list[UnitTestCase]] = {}
    for case in cases:
        by_name.setdefault(case.name, []).append(case)
    for name, reported in by_name.items():
        plain = name.replace("::", ".")
        report = _report_of(item, plain, verdict_of(reported))
        if hasattr(item.config, "workerinput"):
            # xdist insists on the item's own; the controller calls it by its name.
            setattr(report, CASE_ID, f"{before}{plain}{after}")
        else:
            report.nodeid = f"{before}{plain}{after}"
        item.ihook.pytest_runtest_logreport(report=report)


def act_on(verdict: CaseVerdict) -> None:
    """End a test as its case did.

    Raises:
        FirmwareFault: it has failed.
        pytest.skip.Exception: it was ignored, or is not in this build.
    """
    if verdict.outcome == SKIPPED:
        raise pytest.skip.Exception(verdict.reason, _use_item_location=True)
    if verdict.outcome == FAILED:
        raise FirmwareFault(verdict.reason)


def _report_of(item: pytest.Item, name: str, verdict: CaseVerdict) -> pytest.TestReport:
    def act() -> None:
        with told_plainly():
            act_on(verdict)

    call = cast("pytest.CallInfo[None]", pytest.CallInfo.from_call(act, when="call"))
    report = _as_subtest(pytest.TestReport.from_item_and_call(item, call), name)
    report.user_properties.append((BOARD, item.stash[TESTLOG].board))
    if verdict.outcome == FAILED:
        setattr(report, BLAMED, FIRMWARE.words)
    return report


def _as_subtest(report: pytest.TestReport, name: str) -> pytest.TestReport:
    """Return the report as one of a subtest, where pytest has those (from 9 on)."""
    if not hasattr(pytest, "SubtestReport"):
        return report
    from _pytest.subtests import SubtestContext  # noqa: PLC0415  # of pytest 9

    made = pytest.SubtestReport.__new__(pytest.SubtestReport)
    vars(made).update(vars(report))
    made.context = SubtestContext(msg=name, kwargs={})
    return made
