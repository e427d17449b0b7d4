"""What closed-loop checks of several tasks do, and what they look at."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_embedbench.bench.bench import Bench
    from pytest_embedbench.bench.closed_loop import ClosedLoop
    from pytest_embedbench.bench.run import Seen
    from pytest_embedbench.model import Sample

ANSWER_MS = 90
"""When a firmware has answered a line: it takes it up 50 ms after its last byte."""
HEARTBEAT = "DBG HEARTBEAT"


def answer(bench: Bench, line: str) -> list[str]:
    """Send a line and return what the firmware says to it, its heartbeat left out."""
    since = bench.uart.mark()
    bench.send(line)
    bench.run_for(ANSWER_MS)
    return [said for said in bench.uart.heard(since) if said != HEARTBEAT]


def repeat_only(bench: Bench, loop: ClosedLoop[Any], line: str, *, ticks: int) -> None:
    """Let ticks go by in which nothing is sent but ``line``, once in each."""
    del bench  # its loop lets time pass on it
    loop.frames_until_ms = -1
    loop.repeat(line, ticks=ticks)


def switches(samples: Sequence[Sample[Any]], actuator: str) -> list[Any]:
    """Return the plant's states right after an actuator was switched."""
    return [
        after.state
        for before, after in pairwise(samples)
        if getattr(before.state, actuator) != getattr(after.state, actuator)
    ]


def safe_after_ms(
    seen: Seen[Any], sensor: str, is_safe: Callable[[Any], bool]
) -> float | None:
    """Return how long after a sensor's last line the plant was safe for good.

    That is the first reply after that line from which on all leave it safe, whatever
    they say; ``None`` if the last one does not.
    """
    start = f"SENSE {sensor} "
    sent_us = max(s.at_us for s in seen.stimuli if s.text.startswith(start))
    safe_us: int | None = None
    for reply in seen.replies:
        if not is_safe(reply.state):
            safe_us = None
        elif safe_us is None and reply.at_us > sent_us:
            safe_us = reply.at_us
    return None if safe_us is None else (safe_us - sent_us) / 1000
