"""How far a campaign is, in a line after each run."""

from __future__ import annotations

from pytest_embedbench.clock import host_now_s

_MINUTE_S, _HOUR_S = 60, 3600


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
        left = self._total - self._done
        if not left or not self._carried_out:
            return words
        each_s = (host_now_s() - self._begun_s) / self._carried_out
        return f"{words}; about {_span(each_s * left)} to go"


def _span(duration_s: float) -> str:
    if duration_s < _MINUTE_S:
        return f"{duration_s:.0f} s"
    if duration_s < _HOUR_S:
        return f"{duration_s / _MINUTE_S:.0f} min"
    return f"{duration_s / _HOUR_S:.1f} h"
