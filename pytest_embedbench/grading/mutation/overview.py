"""The scores of several tasks in one table, from what their campaigns have written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_HEAD = (
    "| task | mutants | equivalent | killed by `full` | score | killed by `paper` "
    "| score | CPU time |\n"
    "|---|--:|--:|--:|--:|--:|--:|--:|"
)
_NOT_RUN = "-"


def overview(folder: Path) -> str:
    """Return a row for each task in ``folder`` that was tried in ``full``.

    Raises:
        ConfigError: there is none.
    """
    files = sorted(folder.glob("*/full.json"))
    if not files:
        raise ConfigError(
            f"{folder}: no <task>/full.json there: run `embedbench mutate` on a task"
        )
    return "\n".join([_HEAD, *(_row(file) for file in files)]) + "\n"


def _row(file: Path) -> str:
    full = json.loads(file.read_text(encoding="utf-8"))
    other = file.with_name("paper.json")
    paper = json.loads(other.read_text(encoding="utf-8")) if other.is_file() else None
    counts = full["counts"]
    share = counts["equivalent"] / counts["mutants"] if counts["mutants"] else 0.0
    cpu_s = full["cpu_s"] + (paper["cpu_s"] if paper else 0.0)
    cells = (
        full["task"],
        str(counts["mutants"]),
        f"{counts['equivalent']} ({share:.1%})",
        *_killed(full),
        *_killed(paper),
        f"{cpu_s / 60:.0f} min",
    )
    return f"| {' | '.join(cells)} |"


def _killed(record: dict[str, Any] | None) -> Iterator[str]:
    if record is None:
        yield from (_NOT_RUN, _NOT_RUN)
        return
    counts = record["counts"]
    yield f"{counts['killed']} of {counts['killed'] + counts['survived']}"
    yield f"{record['score']:.1%}"
