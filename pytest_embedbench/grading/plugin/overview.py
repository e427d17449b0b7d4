"""What a run on many submissions comes to: a table, and the same as CSV and JSON."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, TypedDict

from pytest_embedbench.bench.artifacts import replace_file, replace_json
from pytest_embedbench.grading.verdict_lines import NO_BOARD

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

FILE = "submissions"
SCHEMA = 1
_COLUMNS = ("submission", "task", "board", "profile", "verdict", "stage", "reason")


class Row(TypedDict):
    """A verdict, or why there is none; ``file`` is its own, from the run's folder."""

    submission: str
    task: str
    suite: str
    board: str | None
    profile: str
    verdict: str | None
    stage: str | None
    reason: str
    complete: bool
    file: str


def lines(rows: Sequence[Row]) -> list[str]:
    """Return a line for each row: in a run on one submission, without its name."""
    told = [
        (
            *([row["submission"]] if row["submission"] else []),
            row["task"],
            row["board"] or NO_BOARD,
            row["profile"],
            row["verdict"] or "no verdict",
            row["stage"] or "-",
            row["reason"].partition("\n")[0],
        )
        for row in rows
    ]
    widths = [max(map(len, column)) for column in zip(*told, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in told]


def csv_text(rows: Sequence[Row]) -> str:
    """Return the rows as CSV: a head line, then one line each."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for row in rows:
        table = {**row, "reason": row["reason"].partition("\n")[0]}
        writer.writerow([table[name] or "" for name in _COLUMNS])
    return text.getvalue()


def write(rows: Sequence[Row], run_dir: Path) -> None:
    """Write ``submissions.csv`` and ``submissions.json`` into a run's folder."""
    replace_json(run_dir / f"{FILE}.json", {"schema": SCHEMA, "rows": [*rows]})
    replace_file(run_dir / f"{FILE}.csv", csv_text(rows))
