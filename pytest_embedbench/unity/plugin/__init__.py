"""The pytest plugin of unit tests: hooks by name, nothing else."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.plugin.options import Setting, add_settings, settings
from pytest_embedbench.plugin.stash import TESTLOG
from pytest_embedbench.unity.plugin.stash import CASE_ID, STAND_IN

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    Report = pytest.CollectReport | pytest.TestReport | None

UNIT_TEST_LIMIT = Setting(
    name="unit_test_limit_s",
    flag="--embedbench-unit-test-limit-s",
    metavar="N",
    help="How long a suite of unit tests may run, in seconds of its board's time",
    default="60",
    whole=True,
    least=1,
)
SOURCES = frozenset({".c", ".cc", ".cpp", ".cxx", ".c++"})
"""What PlatformIO compiles of a suite, and may have cases."""
HEADERS = frozenset({".h", ".hh", ".hpp", ".hxx", ".inc"})


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of unit tests, their ini keys and environment."""
    add_settings(parser, (UNIT_TEST_LIMIT,))


def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> pytest.Collector | None:
    """Collect what a project's unit tests run, if there is a board to run them on."""
    suffix = os.path.splitext(file_path.name)[1]  # noqa: PTH122  # for every file
    if suffix not in SOURCES or not settings(parent.config, "board"):
        return None
    from pytest_embedbench.unity.plugin import collect  # noqa: PLC0415  # late

    return collect.collector_for(file_path, parent)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """Report the cases that ``bench.dut.expect_unity_test_output`` has read."""
    try:
        yield
    finally:
        if TESTLOG in item.stash and item.stash[TESTLOG].benches:
            from pytest_embedbench.unity.plugin import subcases  # noqa: PLC0415  # late

            subcases.report_read_cases(item)


@pytest.hookimpl(wrapper=True)
def pytest_report_from_serializable(
    data: dict[str, Any],
) -> Generator[None, Report, Report]:
    """Call a case that a worker has read by its own name."""
    report = yield
    if report is not None and CASE_ID in data:
        report.nodeid = data[CASE_ID]
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what stood in for a test framework that PlatformIO would have fetched."""
    reports: list[pytest.TestReport] = [
        report
        for outcome in ("passed", "failed", "skipped")
        for report in terminalreporter.getreports(outcome)
    ]
    properties = [getattr(report, "user_properties", ()) for report in reports]
    used = {value for some in properties for name, value in some if name == STAND_IN}
    for words in sorted(used):
        terminalreporter.write_line(f"embedbench: unit tests are linked with {words}")
