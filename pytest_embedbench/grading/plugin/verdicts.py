"""Keep the verdicts, in the one process that sees all reports: files and a table."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from pytest_embedbench.bench.artifacts import replace_json
from pytest_embedbench.clock import Deadline, host_now_s, host_stamp
from pytest_embedbench.grading.ledger import Ledger
from pytest_embedbench.grading.plugin.stash import CHECK_PLANS, NOTE

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from pytest_embedbench.grading.ledger import CheckRecord

FILE = "verdict.json"
_WRITTEN_EVERY_S = 0.25
_WRITING_SHARE = 0.04
"""Of a run, at most; the files of a large suite are written less often."""
_NO_BOARD = "no-board"
_RERUN: str = "rerun"
"""What pytest-rerunfailures calls an attempt that will be made again."""


@dataclass(slots=True)
class Verdicts:
    """One ledger for each suite, written down while checks come to their ends.

    A run that is killed loses the last second of them or so, and no file.
    """

    run_dir: Path
    ledgers: dict[str, Ledger] = field(default_factory=dict[str, Ledger])
    ended_at: str | None = None
    _unwritten: dict[str, Ledger] = field(default_factory=dict[str, Ledger])
    _written: Deadline = field(default_factory=lambda: Deadline(0.0))

    def take(self, report: pytest.TestReport) -> None:
        """Take in what a report brings, and write what has changed."""
        for plan in getattr(report, CHECK_PLANS, ()):
            name = plan["suite"]
            if name in self.ledgers:
                self.ledgers[name].add_plan(plan)
            else:
                self.ledgers[name] = Ledger(plan, started_at=host_stamp())
        note: CheckRecord | None = getattr(report, NOTE, None)
        if note is None:
            self._take_lost(report)
            return
        ledger = self.ledgers[note["suite"]]
        # A subtest takes a part of its test's time; both have such a report.
        if hasattr(report, "context"):
            note = {**note, "duration_s": 0.0}
        ledger.note(note)
        if report.outcome == _RERUN:
            ledger.retry(note["check"])
        if note["last"]:
            self._note(ledger)

    def finish(self) -> None:
        """Write all files for the last time."""
        self.ended_at = host_stamp()
        self._unwritten = dict(self.ledgers)
        self._write()

    def table(self) -> list[str]:
        """Return one line for each suite and board."""
        rows = [
            (
                ledger.plan["task"],
                board or _NO_BOARD,
                ledger.plan["profile"],
                decision.verdict.value if decision.verdict else "no verdict",
                decision.stage or "-",
                decision.reason.partition("\n")[0],
            )
            for ledger in self.ledgers.values()
            for board in ledger.boards()
            for decision in (ledger.decision(board),)
        ]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]

    def _take_lost(self, report: pytest.TestReport) -> None:
        """A report without a note is none of ours, or of a worker that has died."""
        for ledger in self.ledgers.values():
            if report.failed and ledger.knows(report.nodeid):
                ledger.lose(report.nodeid, str(report.longrepr).strip())
                self._note(ledger)

    def _note(self, ledger: Ledger) -> None:
        self._unwritten[ledger.plan["suite"]] = ledger
        if self._written.passed():
            began_s = host_now_s()
            self._write()
            took_s = host_now_s() - began_s
            self._written = Deadline(max(_WRITTEN_EVERY_S, took_s / _WRITING_SHARE))

    def _write(self) -> None:
        for name, ledger in self._unwritten.items():
            suite = PurePosixPath(name)
            inside = suite.name if suite.is_absolute() else suite
            for board in ledger.boards():
                record = ledger.record(board, ended_at=self.ended_at)
                replace_json(
                    self.run_dir / inside / (board or _NO_BOARD) / FILE, record
                )
        self._unwritten.clear()
