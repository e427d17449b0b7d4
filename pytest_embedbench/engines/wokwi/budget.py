"""How long a service is waited for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceBudget:
    """Seconds of host time.

    Args:
        answer_s: For a connection, and for each answer.
        run_s_per_s: More for each simulated second.
        close_s: For the other end to agree that it is over.
        retry_s: Before the second and last try to connect.
    """

    answer_s: float = 30.0
    run_s_per_s: float = 60.0
    close_s: float = 1.0
    retry_s: float = 1.0

    def run_s(self, lasts_ns: int) -> float:
        """Return what a stretch of simulated time may take."""
        return self.answer_s + self.run_s_per_s * lasts_ns / 1e9
