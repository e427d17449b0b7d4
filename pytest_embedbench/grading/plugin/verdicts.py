"""Keep the verdicts, in the one process that sees all reports: files and a table."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from pytest_embedbench.bench.artifacts import replace_json
from pytest_embedbench.clock import Deadline, host_now_s, host_stamp
from pytest_embedbench.grading.journal import FILE as JOURNAL, append
from pytest_embedbench.grading.ledger import Ledger
from pytest_embedbench.grading.plugin import overview
from pytest_embedbench.grading.plugin.stash import CHECK_PLANS, NOTE
from pytest_embedbench.grading.plugin.submissions import FOLDER, own_id
from pytest_embedbench.grading.verdict_lines import NO_BOARD

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pytest

    from pytest_embedbench.grading.check_records import CheckPlan, CheckRecord, Digests
    from pytest_embedbench.grading.plugin.overview import Row

FILE = "verdict.json"
_WRITTEN_EVERY_S = 0.25
_WRITING_SHARE = 0.02
"""Of a run, at most; the files of a large suite are written less often."""
_WORKER = re.compile(r"worker '[^']*'")
_RERUN: str = "rerun"
"""What pytest-rerunfailures calls an attempt that will be made again."""


_Key = tuple[str, str]
"""A suite, and the label of one of many submissions to it, or ``""``."""


@dataclass(slots=True)
class Verdicts:
    """One ledger for each suite and submission, written down while checks end.

    A run that is killed loses what has ended since they were last written, and no file.
    That is a quarter of a second, or 50 times what writing takes: seconds, for a large
    suite on a busy computer. One of many submissions is written as soon as it is over.
    """

    run_dir: Path
    ledgers: dict[_Key, Ledger] = field(default_factory=dict["_Key", Ledger])
    _ended_at: dict[_Key, str] = field(default_factory=dict["_Key", str])
    _unwritten: set[_Key] = field(default_factory=set["_Key"])
    _told_count: int = 0
    _written: Deadline = field(default_factory=lambda: Deadline(0.0))

    def take(self, report: pytest.TestReport) -> None:
        """Take in what a report brings, and write what has changed."""
        plans: list[CheckPlan] = json.loads(getattr(report, CHECK_PLANS, "[]"))
        for plan in plans:
            key = plan["suite"], plan["label"]
            if key in self.ledgers:
                self.ledgers[key].add_plan(plan)
            else:
                self.ledgers[key] = Ledger(plan, started_at=host_stamp())
                told = {"suite": plan["suite"], "label": plan["label"]}
                self._journal({**told, "digests": plan["digests"]}, plan["digests"])
        note: CheckRecord | None = json.loads(getattr(report, NOTE, "null"))
        if note is None:
            self._take_lost(report)
            return
        key = note["suite"], note["label"]
        ledger = self.ledgers[key]
        # A subtest takes a part of its test's time; both have such a report.
        if hasattr(report, "context"):
            note = {**note, "duration_s": 0.0}
        ledger.note(note)
        if report.outcome == _RERUN:
            ledger.retry(note["check"])
        if note["last"]:
            if "kept" not in note and (done := ledger.done(note["check"])):
                self._journal({**done}, ledger.plan["digests"])
            self._note(key)

    def _journal(self, table: dict[str, Any], digests: Digests | None) -> None:
        """Write down, of one of many submissions, what a run that goes on can keep."""
        if digests is not None:
            append(self.run_dir / JOURNAL, table)

    def finish(self) -> None:
        """Write all files for the last time."""
        for key in self.ledgers.keys() - self._ended_at.keys():
            self._ended_at[key] = host_stamp()
            self._unwritten.add(key)
        self._write()
        if any(label for _, label in self.ledgers):
            overview.write(self.rows(), self.run_dir)

    def resumed(self) -> Iterator[str]:
        """Yield what a run that went on has kept, and what it has judged anew."""
        plans = [ledger.plan for ledger in self.ledgers.values()]
        if kept_count := sum(plan["kept_count"] for plan in plans):
            count = sum(len(plan["checks"]) for plan in plans)
            yield f"{kept_count} of {count} checks had ended before, and were kept"
        for plan in plans:
            if plan["changed"]:
                what = ", ".join(plan["changed"])
                yield f"{plan['name']}: judged anew: changed: {what}"

    def take_judged(self) -> list[Row]:
        """Return what of many has come to its end, in order, since this was called."""
        judged: list[Row] = []
        for key in list(self.ledgers)[self._told_count :]:
            if not key[1] or key not in self._ended_at:
                break
            judged += self._rows_of(key)
            self._told_count += 1
        return judged

    def rows(self) -> list[Row]:
        """Return one row for each submission, suite and board."""
        return [row for key in self.ledgers for row in self._rows_of(key)]

    def _rows_of(self, key: _Key) -> list[Row]:
        ledger = self.ledgers[key]
        return [
            {
                "submission": ledger.plan["name"],
                "task": ledger.plan["task"],
                "suite": ledger.plan["suite"],
                "board": board or None,
                "profile": ledger.plan["profile"],
                "verdict": decision.verdict.value if decision.verdict else None,
                "stage": decision.stage,
                "reason": decision.reason,
                "complete": ledger.complete,
                "file": self._file(key, board).relative_to(self.run_dir).as_posix(),
            }
            for board in ledger.boards()
            for decision in (ledger.decision(board),)
        ]

    def ignored(self) -> list[str]:
        """Return one line for each task and set of files that it ignores."""
        found = [
            f"{ledger.plan['task']} ignores {', '.join(ledger.plan['ignored'])}"
            for ledger in self.ledgers.values()
            if ledger.plan["ignored"]
        ]
        return list(dict.fromkeys(found))

    def _take_lost(self, report: pytest.TestReport) -> None:
        """A report without a note is none of ours, or of a worker that has died."""
        for key, ledger in self.ledgers.items():
            check = own_id(report.nodeid, key[1])
            if report.failed and ledger.knows(check):
                told = str(report.longrepr).strip().replace(report.nodeid, check)
                ledger.lose(check, _WORKER.sub("a worker", told))
                self._note(key)

    def _note(self, key: _Key) -> None:
        self._unwritten.add(key)
        # One of many is over long before the run is.
        over = bool(key[1]) and self.ledgers[key].complete
        if over:
            self._ended_at[key] = host_stamp()
        if over or self._written.passed():
            began_s = host_now_s()
            self._write()
            took_s = host_now_s() - began_s
            self._written = Deadline(max(_WRITTEN_EVERY_S, took_s / _WRITING_SHARE))

    def _write(self) -> None:
        for key in self._unwritten:
            ledger = self.ledgers[key]
            for board in ledger.boards():
                record = ledger.record(board, ended_at=self._ended_at.get(key))
                replace_json(self._file(key, board), record)
        self._unwritten.clear()

    def _file(self, key: _Key, board: str) -> Path:
        name, label = key
        suite = PurePosixPath(name)
        inside = suite.name if suite.is_absolute() else suite
        own_dir = self.run_dir / FOLDER / label if label else self.run_dir
        return own_dir / inside / (board or NO_BOARD) / FILE
