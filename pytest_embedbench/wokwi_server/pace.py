"""How fast time passes in a simulation that runs freely: as fast as the host's."""

from __future__ import annotations


class HostPace:
    """Keeps a simulation from running ahead of the host; it may lag behind."""

    def __init__(self) -> None:
        self._begun_ns = 0
        self._begun_s = 0.0

    def begin(self, now_ns: int, host_s: float) -> None:
        """Take both clocks as they are now."""
        self._begun_ns, self._begun_s = now_ns, host_s

    def wait_s(self, now_ns: int, host_s: float) -> float:
        """Return how long the host has to wait until it is as late as the simulation.

        Who lags behind does not catch up: both clocks are taken anew.
        """
        ahead_s = (now_ns - self._begun_ns) / 1e9 - (host_s - self._begun_s)
        if ahead_s < 0:
            self.begin(now_ns, host_s)
        return max(0.0, ahead_s)
