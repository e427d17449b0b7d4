"""Keep the verdicts, in the one process that sees all reports: files and a table."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from pytest_embedbench.clock import host_stamp
from pytest_embedbench.evaluation.ledger import Ledger
from pytest_embedbench.plugin.note import ANNOUNCEMENTS, NOTE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pytest

FILE = "verdict.json"
_NO_BOARD = "no-board"
_RERUN: str = "rerun"
"""What pytest-rerunfailures calls an attempt that will be made again."""


@dataclass(slots=True)
class Verdicts:
    """One ledger for each suite, written down whenever a check has ended."""

    run_dir: Path
    ledgers: dict[str, Ledger] = field(default_factory=dict[str, Ledger])
    ended_at: str | None = None

    def take(self, report: pytest.TestReport) -> None:
        """Take in what a report brings, and write what has changed."""
        for announcement in getattr(report, ANNOUNCEMENTS, ()):
            name = announcement["suite"]
            if name in self.ledgers:
                self.ledgers[name].announce(announcement)
            else:
                self.ledgers[name] = Ledger(announcement, started_at=host_stamp())
        note = getattr(report, NOTE, None)
        if note is None:
            self._take_lost(report)
            return
        ledger = self.ledgers[note["suite"]]
        ledger.note(note)
        if report.outcome == _RERUN:
            ledger.retry(note["check"])
        if note["last"]:
            self._write(ledger)

    def finish(self) -> None:
        """Write all files for the last time."""
        self.ended_at = host_stamp()
        for ledger in self.ledgers.values():
            self._write(ledger)

    def table(self) -> Iterator[str]:
        """Yield one line for each suite and board."""
        for name, ledger in self.ledgers.items():
            for board in ledger.boards():
                decision = ledger.decision(board)
                verdict = decision.verdict.value if decision.verdict else "no verdict"
                reason = decision.reason.partition("\n")[0]
                columns = (name, board or _NO_BOARD, verdict, decision.stage or "-")
                yield f"{'  '.join(columns)}  {reason}"

    def _take_lost(self, report: pytest.TestReport) -> None:
        """A report without a note is none of ours, or of a worker that has died."""
        for ledger in self.ledgers.values():
            if report.failed and ledger.knows(report.nodeid):
                ledger.lose(report.nodeid, str(report.longrepr).strip())
                self._write(ledger)

    def _write(self, ledger: Ledger) -> None:
        for board in ledger.boards():
            record = ledger.record(board, ended_at=self.ended_at)
            _replace(self.folder(ledger, board) / FILE, record)

    def folder(self, ledger: Ledger, board: str) -> Path:
        """Return where the verdict on a suite goes for one board."""
        suite = PurePosixPath(ledger.announcement["suite"])
        inside = suite.name if suite.is_absolute() else suite
        return self.run_dir / inside / (board or _NO_BOARD)


def _replace(file: Path, record: dict[str, Any]) -> None:
    """Write a file so that whoever reads it sees the old one or the new one, whole."""
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    draft.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    draft.replace(file)
