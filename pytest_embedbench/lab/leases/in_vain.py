"""What a run has waited for once, in vain: no other test of it waits for that again.

All workers of a run share one record, in the lock folder; it is never deleted.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_embedbench.clock import Deadline, pause
from pytest_embedbench.lab.leases.lockfile import LockFile, read_record
from pytest_embedbench.lab.leases.records import this_run

if TYPE_CHECKING:
    from pathlib import Path

_FILE = "waited-in-vain"
_RUNS_KEPT = 20
_POLL_S = 0.005
_WRITES_WITHIN_S = 2.0


@dataclass(frozen=True, slots=True)
class WaitedInVain:
    """The record in one lock folder."""

    folder: Path

    def ending(self, names: str) -> str:
        """Return how the wait of this run for these ended; ``""`` if it never did."""
        return self._runs().get(this_run(), {}).get(names, "")

    def note(self, names: str, end: str) -> None:
        """Let the other tests of this run know.

        Where the record cannot be had, they find out by themselves.
        """
        lock = LockFile(self._file)
        deadline = Deadline(_WRITES_WITHIN_S)
        while not lock.try_acquire():
            if deadline.passed():
                return
            pause(_POLL_S)
        try:
            runs = self._runs()
            mine = runs.pop(this_run(), {}) | {names: end}
            kept = dict([*runs.items()][1 - _RUNS_KEPT :])
            lock.write(json.dumps({**kept, this_run(): mine}))
        finally:
            lock.release()

    def _runs(self) -> dict[str, dict[str, str]]:
        try:
            runs: dict[str, dict[str, str]] = json.loads(read_record(self._file))
        except ValueError:  # there is none, or it is cut short
            return {}
        return runs

    @property
    def _file(self) -> Path:
        return self.folder / _FILE
