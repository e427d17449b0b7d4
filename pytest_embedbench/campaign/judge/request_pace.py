"""When a request may be made, and made again: a rate, pauses, ``Retry-After``."""

from __future__ import annotations

import threading
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from pytest_embedbench.clock import wall_now_ns

if TYPE_CHECKING:
    from collections.abc import Callable

FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 300.0
"""A server that asks for more patience is given up."""


class ServerBusy(Exception):
    """It may go better the next time, which is to be in ``wait_s`` if that is known."""

    def __init__(self, reason: str, wait_s: float | None = None) -> None:
        super().__init__(reason)
        self.wait_s = wait_s


class RequestPace:
    """At most so many requests in a minute; threads may share it.

    Args:
        per_minute: How many; 0 for any number.
        now_s: Time in seconds, from any start.
        wait: Lets so many seconds pass.
    """

    def __init__(
        self,
        per_minute: float,
        now_s: Callable[[], float],
        wait: Callable[[float], None],
    ) -> None:
        self._per_minute = per_minute
        self._now_s = now_s
        self._wait = wait
        self._next_s = now_s()
        self._lock = threading.Lock()

    def take_turn(self) -> None:
        """Wait until another request may be made."""
        if not self._per_minute:
            return
        with self._lock:
            now_s = self._now_s()
            wait_s = self._next_s - now_s
            self._next_s = max(now_s, self._next_s) + 60.0 / self._per_minute
        if wait_s > 0:
            self._wait(wait_s)


def retry_after_s(value: str | None) -> float | None:
    """Return the seconds that a ``Retry-After`` asks for, if it says any.

    It is a number of them, or a date (RFC 9110, 10.2.3).
    """
    if value is None:
        return None
    if value.strip().isdecimal():
        return float(value)
    try:
        until_s = parsedate_to_datetime(value).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None
    return max(0.0, until_s - wall_now_ns() / 1e9)
