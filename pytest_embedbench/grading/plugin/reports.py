"""Sees every test report of a run, workers' included, and passes on those of checks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.grading.plugin.stash import NOTE, TRIAL
from pytest_embedbench.plugin.stash import session_of

if TYPE_CHECKING:
    from pytest_embedbench.grading.plugin.robust import Robustness, RobustTrial
    from pytest_embedbench.grading.plugin.verdicts import Verdicts


class Reports:
    """A plugin of its own, because the hook for reports is not told the config."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._verdicts: Verdicts | None = None
        self._early: list[pytest.TestReport] = []
        """Of workers that died before anybody said what is going to run."""
        self._robustness: Robustness | None = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take in how a phase of a test went."""
        brought = vars(report)
        if TRIAL in brought:
            self._take_trial(brought[TRIAL])
        if self._verdicts is not None:
            self._verdicts.take(report)
        elif NOTE in brought:
            from pytest_embedbench.grading.plugin.verdicts import Verdicts  # noqa: PLC0415

            self._verdicts = Verdicts(session_of(self._config).run_dir)
            for each in (report, *self._early):
                self._verdicts.take(each)
        elif report.when not in ("setup", "call", "teardown"):
            self._early.append(report)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Close the books, however the run has ended."""
        if self._verdicts is not None:
            self._verdicts.finish()

    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> None:
        """Print the verdicts, and what was tolerated beyond them."""
        if self._robustness is not None:
            terminalreporter.section("embedbench robustness")
            for line in self._robustness.table():
                terminalreporter.write_line(line)
        if self._verdicts is not None:
            terminalreporter.section("embedbench verdicts")
            for line in self._verdicts.table():
                terminalreporter.write_line(line)

    def _take_trial(self, trial: RobustTrial) -> None:
        if self._robustness is None:
            from pytest_embedbench.grading.plugin.robust import Robustness  # noqa: PLC0415

            self._robustness = Robustness(session_of(self._config).run_dir)
        self._robustness.take(trial)
