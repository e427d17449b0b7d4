"""How the verdict on one of many submissions reads as a line, as soon as it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

JUDGED = "embedbench verdict: "
"""What begins such a line among others that pytest prints."""
NO_BOARD = "no-board"
_VERDICT_WIDTH, _STAGE_WIDTH = 4, 12


def verdict_line(
    row: Mapping[str, Any], names: Collection[str], boards: Collection[str]
) -> str:
    """Return submission, board, verdict, stage and reason, below those of others.

    Args:
        row: What ``submissions.json`` has of it.
        names: Of all submissions.
        boards: All that they are judged on.
    """
    columns = (
        (row["submission"], max(map(len, names), default=0)),
        (row["board"] or NO_BOARD, max(map(len, boards), default=0)),
        (row["verdict"] or "no verdict", _VERDICT_WIDTH),
        (row["stage"] or "-", _STAGE_WIDTH),
        (row["reason"].partition("\n")[0], 0),
    )
    return "  ".join(text.ljust(width) for text, width in columns).rstrip()
