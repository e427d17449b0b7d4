"""How far a campaign is, in a line after each run."""

from __future__ import annotations

from pytest_embedbench.clock import host_now_s
from pytest_embedbench.support.progress import time_left


class Progress:
    """Counts runs, and tells about how long the rest takes.

    Runs that were there already cost nothing, and are in no estimate.
    """

    def __init__(self, total: int) -> None:
        self._total, self._done, self._carried_out = total, 0, 0
        self._begun_s = host_now_s()

    def line(self, name: str, verdict: str, *, kept: bool) -> str:
        """Count one run, and return the line that says so."""
        self._done += 1
        self._carried_out += not kept
        words = f"{self._done} of {self._total}: {name}: {verdict}"
        passed_s = host_now_s() - self._begun_s
        left = self._total - self._done
        rest = time_left(self._carried_out, self._carried_out + left, passed_s)
        return f"{words}; {rest}" if rest else words
