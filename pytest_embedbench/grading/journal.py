"""What has come of each check so far, line by line: a run that goes on begins there."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.grading.check_records import Digests, Done

FILE = "checks.jsonl"
"""In a run's folder. A line that a killed process has left half is none."""


def digest_for(digests: Digests, board: str) -> str:
    """Return the one digest that a check on a board, or on none, depends on."""
    parts = (digests[name] for name in ("submission", "suite", "options"))
    text = "\n".join((*parts, digests["tools"].get(board, "")))
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(slots=True)
class Journal:
    """What an earlier run has written."""

    _digests: dict[tuple[str, str], Digests] = field(
        default_factory=dict[tuple[str, str], "Digests"]
    )
    _done: dict[tuple[str, str, str], Done] = field(
        default_factory=dict[tuple[str, str, str], "Done"]
    )

    def done(self, suite: str, label: str, check: str, digest: str) -> Done | None:
        """Return how a check has ended, if nothing that it depends on has changed."""
        found = self._done.get((suite, label, check))
        return found if found is not None and found["digest"] == digest else None

    def changed(self, suite: str, label: str, now: Digests) -> list[str]:
        """Return what has changed about a submission that was judged before."""
        before = self._digests.get((suite, label))
        if before is None:
            return []
        boards = before["tools"].keys() & now["tools"].keys()
        same = {
            "submission": before["submission"] == now["submission"],
            "suite": before["suite"] == now["suite"],
            "options": before["options"] == now["options"],
            "tools": all(before["tools"][b] == now["tools"][b] for b in boards),
        }
        return [name for name, is_same in same.items() if not is_same]


def read_journal(file: Path, size_bytes: int) -> Journal:
    """Read the first bytes of a journal, whatever has been added to it since."""
    digests: dict[tuple[str, str], Digests] = {}
    done: dict[tuple[str, str, str], Done] = {}
    with file.open("rb") as lines:
        for line in lines.read(size_bytes).splitlines():
            try:
                table = json.loads(line)
            except ValueError:
                continue
            if "check" in table:
                done[table["suite"], table["label"], table["check"]] = table
            else:
                digests[table["suite"], table["label"]] = table["digests"]
    return Journal(digests, done)


def append(file: Path, table: Done | dict[str, Any]) -> None:
    """Add a line, in one piece, to what may end in half of one."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a+b", buffering=0) as lines:
        at_end = lines.seek(0, 2)
        half = False
        if at_end:
            lines.seek(at_end - 1)
            half = lines.read(1) != b"\n"
        lines.write(b"\n" * half + json.dumps(table).encode() + b"\n")
