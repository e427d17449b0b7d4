"""Sees every test report of a run, workers' included, and passes on those of checks."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.grading.plugin.stash import NOTE, RECALLED, SUBMITTED, TRIAL
from pytest_embedbench.grading.verdict_lines import JUDGED, verdict_line
from pytest_embedbench.plugin.stash import session_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.grading.plugin.overview import Row
    from pytest_embedbench.grading.plugin.robust import Robustness, RobustTrial
    from pytest_embedbench.grading.plugin.verdicts import Verdicts


_OF_HYPOTHESIS = frozenset({"_hypothesis_stats", "_hypothesis_failing_examples"})
"""Attributes of reports that its plugin tells of in the summary."""


class Reports:
    """A plugin of its own, because the hook for reports is not told the config."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._verdicts: Verdicts | None = None
        self._early: list[pytest.TestReport] = []
        """Of workers that died before anybody said what is going to run."""
        self._robustness: Robustness | None = None
        self._recalled_count = 0
        self._is_for_hypothesis = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take in how a phase of a test went."""
        brought = vars(report)
        self._recalled_count += RECALLED in brought
        self._is_for_hypothesis |= not brought.keys().isdisjoint(_OF_HYPOTHESIS)
        if TRIAL in brought:
            self._take_trial(brought[TRIAL])
        if self._verdicts is not None:
            self._verdicts.take(report)
            self._tell_judged(self._verdicts.take_judged())
        elif NOTE in brought:
            from pytest_embedbench.grading.plugin.verdicts import Verdicts  # noqa: PLC0415

            self._verdicts = Verdicts(session_of(self._config).run_dir)
            for each in (report, *self._early):
                self._verdicts.take(each)
        elif report.when not in ("setup", "call", "teardown"):
            self._early.append(report)

    def _tell_judged(self, rows: Sequence[Row]) -> None:
        """Print the verdict on one of many submissions while others are judged."""
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        if not rows or reporter is None:
            return
        writer = self._config.get_terminal_writer()
        if writer.width_of_current_line:  # xdist's dots
            writer.line()
        names = [each.name for each in self._config.stash[SUBMITTED]]
        boards = session_of(self._config).board_names()
        for row in rows:
            reporter.write_line(f"{JUDGED}{verdict_line(row, names, boards)}")
        reporter.flush()

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Close the books, however the run has ended."""
        if self._verdicts is not None:
            self._verdicts.finish()
            self._spare_hypothesis()

    def _spare_hypothesis(self) -> None:
        """Keep a plugin that has nothing to say from loading all of Hypothesis for it.

        It does so at the end of each run, which takes longer than pytest's own start.
        """
        if "hypothesis" in sys.modules or self._is_for_hypothesis:
            return
        manager = self._config.pluginmanager
        if (plugin := manager.get_plugin("hypothesispytest")) is not None:
            manager.unregister(plugin)

    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> None:
        """Print the verdicts, and what was tolerated beyond them."""
        if self._robustness is not None:
            terminalreporter.section("embedbench robustness")
            for line in self._robustness.table():
                terminalreporter.write_line(line)
        if self._verdicts is not None:
            from pytest_embedbench.grading.plugin import overview  # noqa: PLC0415

            terminalreporter.section("embedbench verdicts")
            table = overview.lines(self._verdicts.rows())
            for line in (*table, *self._verdicts.ignored()):
                terminalreporter.write_line(line)
            for line in self._verdicts.resumed():
                terminalreporter.write_line(f"embedbench resume: {line}")
            if self._recalled_count:
                terminalreporter.write_line(
                    f"embedbench: known answers passed {self._recalled_count} checks"
                )

    def _take_trial(self, trial: RobustTrial) -> None:
        if self._robustness is None:
            from pytest_embedbench.grading.plugin.robust import Robustness  # noqa: PLC0415

            self._robustness = Robustness(session_of(self._config).run_dir)
        self._robustness.take(trial)
