"""What an agent says of itself: lines of JSON in a file that it is given.

``EMBEDBENCH_AGENT_REPORT`` names the file. A line has any of ``tool_calls``,
``input_tokens``, ``output_tokens`` and ``cached_tokens``, each what was added since
the line before; anything else in it is left alone.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, cast

from pytest_embedbench.campaign.unfollowed import content_below

if TYPE_CHECKING:
    from pathlib import Path

REPORT = "EMBEDBENCH_AGENT_REPORT"
FILE_NAME = ".agent_report.jsonl"
_MOST_BYTES = 32_000_000
_MOST_AT_ONCE = 10**12
"""What no line can be right about; sums stay numbers that any reader takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What was used up, as far as an agent says: all 0 if it says nothing."""

    tool_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0

    @property
    def total_tokens(self) -> int:
        """Tokens in and out."""
        return self.input_tokens + self.output_tokens

    def table(self) -> dict[str, int]:
        """Return it as it stands in results."""
        return asdict(self) | {"total_tokens": self.total_tokens}


def usage_so_far(workspace: Path) -> Usage | None:
    """Return the sum of what an agent has reported; ``None`` if it has nothing."""
    said = content_below(workspace, FILE_NAME, _MOST_BYTES)
    if said is None:
        return None
    sums = dict.fromkeys(asdict(Usage()), 0)
    for line in said.splitlines():
        try:
            table: object = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(table, dict):
            _add(sums, cast("dict[str, Any]", table))
    return Usage(**sums)


def _add(sums: dict[str, int], table: dict[str, Any]) -> None:
    for key in sums:
        amount = table.get(key, 0)
        if type(amount) is int and 0 <= amount <= _MOST_AT_ONCE:
            sums[key] += amount
