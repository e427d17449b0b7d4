"""The scores of several tasks in one table, from what their campaigns have written."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    Record = dict[str, Any]

_NOT_RUN = "-"
_BOARD = "native"
_SEEN = ("killed", "survived")


def overview(folder: Path) -> str:
    """Return two tables of all tasks in ``folder`` that were tried in ``full``.

    One has a row for each task, one a row for each kind of fault.

    Raises:
        ConfigError: there is none.
    """
    tasks = [file.parent for file in sorted(folder.glob("*/full.json"))]
    if not tasks:
        raise ConfigError(
            f"{folder}: no <task>/full.json there: run `embedbench mutate` on a task"
        )
    boards = sorted(
        {file.stem.removeprefix("full-") for file in folder.glob("*/full-*.json")}
    )
    lines = [*_by_task(tasks, boards), "", *_by_kind(tasks, boards)]
    return "\n".join(lines) + "\n"


def _by_task(tasks: Sequence[Path], boards: Sequence[str]) -> Iterator[str]:
    scores = [f"`full` on {board} | score" for board in (_BOARD, *boards)]
    yield (
        f"| task | mutants | equivalent | {' | '.join(scores)} "
        "| `paper` | score | CPU time |"
    )
    yield _rule(6 + 2 * len(scores))
    for task in tasks:
        full, paper = _read(task / "full.json"), _read(task / "paper.json")
        others = [_read(task / f"full-{board}.json") for board in boards]
        counts = full["counts"] if full else Counter[str]()
        share = counts["equivalent"] / counts["mutants"] if counts["mutants"] else 0.0
        cpu_s = sum(record["cpu_s"] for record in (full, *others, paper) if record)
        cells = (
            task.name,
            str(counts["mutants"]),
            f"{counts['equivalent']} ({share:.1%})",
            *(cell for record in (full, *others, paper) for cell in _killed(record)),
            f"{cpu_s / 60:.0f} min",
        )
        yield f"| {' | '.join(cells)} |"


def _killed(record: Record | None) -> Iterator[str]:
    if record is None:
        yield from (_NOT_RUN, _NOT_RUN)
        return
    counts = record["counts"]
    yield f"{counts['killed']} of {counts['killed'] + counts['survived']}"
    yield f"{record['score']:.1%}"


def _by_kind(tasks: Sequence[Path], boards: Sequence[str]) -> Iterator[str]:
    """Yield a row for each kind of fault: how many of the faults each board shows."""
    columns = [_kinds(tasks, "full.json")]
    columns += [_kinds(tasks, f"full-{board}.json") for board in boards]
    names = " | ".join(f"killed on {board}" for board in (_BOARD, *boards))
    yield f"| kind of fault | mutants | equivalent | {names} |"
    yield _rule(3 + len(columns))
    for kind in sorted(columns[0]):
        row = columns[0][kind]
        cells = [kind, str(row.total()), str(row["equivalent"])]
        for column in columns:
            seen = column.get(kind, Counter[str]())
            cells.append(f"{seen['killed']} of {sum(seen[fate] for fate in _SEEN)}")
        yield f"| {' | '.join(cells)} |"


def _kinds(tasks: Sequence[Path], name: str) -> dict[str, Counter[str]]:
    kinds: dict[str, Counter[str]] = {}
    for record in filter(None, (_read(task / name) for task in tasks)):
        for row in record["mutants"]:
            if row["fate"] != "stillborn":
                fate = "equivalent" if row["equivalent"] else row["fate"]
                kinds.setdefault(row["kind"], Counter())[fate] += 1
    return kinds


def _rule(columns: int) -> str:
    return "|---|" + "--:|" * (columns - 1)


def _read(file: Path) -> Record | None:
    if not file.is_file():
        return None
    record: Record = json.loads(file.read_text(encoding="utf-8"))
    return record
