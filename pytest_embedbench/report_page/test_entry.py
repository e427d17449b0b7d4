"""One attempt at a test, as the list of a page needs it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

SUBMISSIONS = "submissions"
"""Below it each of many submissions has a folder, named by its label."""
_PARAMETERS = re.compile(r"\[(?P<words>.*)\]$", re.DOTALL)
REASON_CHARS = 400
_MOST = 1e15
"""Of what a record gives as a number; beyond it, none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TestEntry:
    """One attempt: how it ended, and where its evidence is.

    ``group`` is the test without the board and the submission it ran with: what of it
    is the same in all of them. ``folder`` is relative to the run's, or ``""``.
    """

    __test__ = False  # not a test class

    run: str
    test: str
    group: str
    outcome: str
    board: str = ""
    blame: str = ""
    reason: str = ""
    submission: str = ""
    started_at: str = ""
    duration_s: float = 0.0
    attempt: int = 1
    folder: str = ""
    brief: Mapping[str, str]
    trial: str = ""
    """Of a run of a check that is no test of its own, but one trial of a search: on
    what it was."""

    @property
    def failed(self) -> bool:
        """Whether somebody will want to see why it ended as it did."""
        return self.outcome not in ("passed", "skipped")


def entry_of_record(run: str, folder: str, record: Mapping[str, Any]) -> TestEntry:
    """Return a test by what its ``test.json`` says, whoever wrote that."""
    test = _text(record, "test") or folder
    board, label = _text(record, "board"), label_of(folder)
    phases = _table(record, "phases").values()
    durations = [_number(as_table(phase).get("duration_s")) for phase in phases]
    return TestEntry(
        run=run,
        test=test,
        group=group_of(test, board, label),
        outcome=_text(record, "outcome") or "unfinished",
        board=board,
        blame=_text(record, "blame"),
        reason=_text(record, "reason")[:REASON_CHARS],
        submission=label,
        started_at=_text(record, "started_at"),
        duration_s=sum(durations),
        attempt=int(_number(record.get("attempt"))) or 1,
        folder=folder,
        brief={str(k): str(v) for k, v in _table(record, "brief").items()},
        trial="trial" if record.get("trial_of") else "",
    )


def entry_of_check(
    run: str, file: str, verdict: Mapping[str, Any], check: Mapping[str, Any]
) -> TestEntry:
    """Return a check by what the ``verdict.json`` says that it counts in."""
    label, test = label_of(file), _text(check, "check")
    board, folder = _text(verdict, "board"), _text(check, "folder")
    own = f"{SUBMISSIONS}/{label}/{folder}" if label and folder else folder
    return TestEntry(
        run=run,
        test=test,
        group=group_of(test, board, label),
        outcome=_text(check, "outcome") or "unfinished",
        board=board if f"{board}" in _words(test) else "",
        reason=_text(check, "reason")[:REASON_CHARS],
        submission=label,
        duration_s=_number(check.get("duration_s")),
        folder=own,
        brief={str(k): str(v) for k, v in _table(check, "brief").items()},
    )


def group_of(test: str, board: str, submission: str) -> str:
    """Return a node id without the parameters that name a board and a submission.

    >>> group_of("test_it.py::test_level[s2-uno-50]", "uno", "s2")
    'test_it.py::test_level[50]'
    """
    found = _PARAMETERS.search(test)
    if found is None:
        return test
    words = found["words"]
    for name in filter(None, (submission, board)):
        words = re.sub(rf"(^|-){re.escape(name)}(?=-|$)", "", words, count=1)
    words = words.removeprefix("-")
    return test[: found.start()] + (f"[{words}]" if words else "")


def label_of(file: str) -> str:
    """Return which of many submissions a file of a run belongs to, ``""`` for none."""
    parts = PurePosixPath(file).parts
    return parts[1] if parts[0] == SUBMISSIONS and len(parts) > 1 else ""


def _words(test: str) -> list[str]:
    found = _PARAMETERS.search(test)
    return found["words"].split("-") if found else []


def _text(table: Mapping[str, Any], key: str) -> str:
    value: object = table.get(key)
    return "" if value is None else str(value)


def _number(value: object) -> float:
    if isinstance(value, (int, float)) and abs(value) < _MOST:
        return float(value)
    return 0.0


def _table(table: Mapping[str, Any], key: str) -> dict[str, Any]:
    return as_table(table.get(key))


def as_table(value: object) -> dict[str, Any]:
    """Return a value that is a table, an empty one in the place of any other."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def tables_in(table: Mapping[str, Any] | None, key: str) -> list[dict[str, Any]]:
    """Return the tables of a list in a table, whatever else may be in its place."""
    entries: object = (table or {}).get(key)
    if not isinstance(entries, list):
        return []
    return [
        cast("dict[str, Any]", each)
        for each in cast("list[object]", entries)
        if isinstance(each, dict)
    ]
