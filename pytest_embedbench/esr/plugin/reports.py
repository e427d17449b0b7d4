"""Sees every test report of a run, workers' included, and makes the table of cases."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.esr.plugin.options import PINS
from pytest_embedbench.esr.plugin.stash import ANSWERED, RECORD
from pytest_embedbench.esr.usual import FOLDER, STRICT
from pytest_embedbench.plugin.options import setting
from pytest_embedbench.plugin.stash import session_of

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from pytest_embedbench.esr.records import CaseRecord


class CaseReports:
    """A plugin of its own, because the hook for reports is not told the config."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._records: dict[str, CaseRecord] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take in what a case came to, once for both of its items."""
        brought = vars(report).get(RECORD)
        if brought is None:
            return
        record: CaseRecord = json.loads(brought)
        if record["test"] not in self._records:
            self._records[record["test"]] = record
            if ANSWERED in self._config.stash:
                self._tell(record)

    def _tell(self, record: CaseRecord) -> None:
        """Print what a case came to while others are judged."""
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is None or self._config.get_verbosity() < 0:
            return
        writer = self._config.get_terminal_writer()
        if writer.width_of_current_line:  # xdist's dots
            writer.line()
        more = ", ".join(record["corrections"])
        reporter.write_line(
            f"embedbench esr: {record['answer']}  {record['board']}  "
            f"{record['outcome']}{f': {more}' if more else ''} "
            f"({record['seconds']:.1f} s)"
        )
        reporter.flush()

    @property
    def _sorted(self) -> list[CaseRecord]:
        return [self._records[name] for name in sorted(self._records)]

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self) -> Generator[None]:
        """Write the table; the last line of all is what it comes to."""
        if self._records:
            self._write(session_of(self._config).run_dir)
        yield
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        if self._records and reporter is not None:
            from pytest_embedbench.esr import table  # noqa: PLC0415  # late

            is_strict = setting(self._config, PINS) == STRICT
            line = table.strict_line if is_strict else table.delta_line
            reporter.write_line(line(self._sorted))

    def _write(self, run_dir: Path) -> None:
        from pytest_embedbench.esr import table  # noqa: PLC0415  # late
        from pytest_embedbench.esr.picture import draw  # noqa: PLC0415  # late
        from pytest_embedbench.esr.plugin.kept import end  # noqa: PLC0415  # late

        end(run_dir / FOLDER)
        # A full disk is no reason to lose the table on the screen as well.
        with suppress(OSError):
            table.write(self._sorted, run_dir, self._not_run())
            (run_dir / "esr.svg").write_text(
                draw(table.by_model(self._sorted)), "utf-8"
            )

    def _not_run(self) -> list[str]:
        from pytest_embedbench.esr.plugin.cases import unanswered  # noqa: PLC0415  # late

        answers = self._config.stash.get(ANSWERED, None) or []
        records = self._records.values()
        judged = {record["answer"] for record in records}
        return unanswered(answers, judged, {record["case"] for record in records})

    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> None:
        """Print the table."""
        if not self._records and ANSWERED not in self._config.stash:
            return
        terminalreporter.section("embedbench esr")
        if self._records:
            from pytest_embedbench.esr import table  # noqa: PLC0415  # late

            for line in table.lines(self._sorted):
                terminalreporter.write_line(line)
        for line in self._not_run():
            terminalreporter.write_line(f"embedbench esr: {line}", yellow=True)
