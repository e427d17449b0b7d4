"""The results of a campaign's runs: reading them back, and a line for each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_embedbench.errors import BenchFault

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

_COLUMNS = ("agent", "task", "mode", "repetition", "verdict", "stage", "submitted",
            "wall_s", "reason")  # fmt: skip


def read_result(file: Path) -> dict[str, Any]:
    """Return one result.

    Raises:
        BenchFault: it cannot be read.
    """
    try:
        result: dict[str, Any] = json.loads(file.read_bytes())
    except (OSError, ValueError) as error:
        raise BenchFault(f"{file}: is no result of a run: {error}") from error
    return result


def result_lines(results: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return a table for a terminal: one line per run, below names of columns."""
    rows: list[Sequence[str]] = [_COLUMNS]
    rows += [_row(each) for each in results]
    widths = [max(len(row[i]) for row in rows) for i in range(len(_COLUMNS))]
    return [
        "  ".join(
            text.ljust(width) for text, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in rows
    ]


def _row(result: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        result["agent"],
        result["task"],
        result["mode"],
        str(result["repetition"]),
        result["verdict"] or "no verdict",
        result["stage"] or "-",
        str(len(result["submissions"])),
        f"{result['wall_s']:.1f}",
        result["reason"].partition("\n")[0],
    )
