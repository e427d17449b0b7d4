"""The cells of a campaign: which there are to be, and how far each has come."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from pytest_embedbench.bench.artifacts import safe_name
from pytest_embedbench.report_page.test_entry import as_table
from pytest_embedbench.watch.following import news_of

if TYPE_CHECKING:
    from pathlib import Path

CELLS = "cells"
"""In a run's folder: one folder per run of an agent."""
_CAMPAIGN, _RESULT = "campaign.json", "result.json"
_MOST_BYTES = 4_000_000
_SHOWN = ("agent", "task", "mode", "repetition")


def cells_of(run_dir: Path, *, is_going: bool) -> list[dict[str, Any]]:
    """Return the cells of a run in the order of its campaign; none of another run.

    ``state`` is ``waiting``, ``running``, ``interrupted`` or the verdict.
    """
    listed: object = _table(run_dir / _CAMPAIGN).get("cells")
    cells = cast("list[object]", listed) if isinstance(listed, list) else []
    return [_cell(run_dir, as_table(cell), is_going=is_going) for cell in cells]


def _cell(run_dir: Path, cell: dict[str, Any], *, is_going: bool) -> dict[str, Any]:
    name = safe_name(str(cell.get("id")))  # as it has been, unless somebody is at it
    folder = run_dir / CELLS / name
    result = _table(folder / _RESULT)
    if result:
        state = str(result.get("verdict") or "no verdict")
    elif folder.is_dir():
        state = "running" if is_going else "interrupted"
    else:
        state = "waiting" if is_going else "not run"
    return {
        "key": f"{CELLS}/{name}",
        "test": name,
        "state": state,
        "reason": str(result.get("reason") or ""),
        "submitted": _submitted(folder),
        **{key: str(cell.get(key, "")) for key in _SHOWN},
    }


def _submitted(folder: Path) -> int:
    """Return how often the agent has handed something in."""
    try:
        return sum(1 for _ in (folder / "records" / "submissions").iterdir())
    except OSError:
        return 0


def _table(file: Path) -> dict[str, Any]:
    try:
        text = news_of(file, 0, most_bytes=_MOST_BYTES).text
        content: object = json.loads(text)
    except (OSError, ValueError, RecursionError):
        return {}
    return as_table(content)
