"""What closed-loop checks of several tasks do, and what they look at."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_embedbench.bench.bench import Bench
    from pytest_embedbench.bench.loop import Loop
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


def repeat_only(bench: Bench, loop: Loop[Any], line: str, *, ticks: int) -> None:
    """Let ticks go by in which nothing is sent but ``line``, once in each."""
    loop.frames_until_ms = -1
    for _ in range(ticks):
        loop.inject(line)
        bench.run_for(loop.plant.tick_ms)


def switches(samples: Sequence[Sample[Any]], actuator: str) -> list[Any]:
    """Return the plant's states right after an actuator was switched."""
    return [
        after.state
        for before, after in pairwise(samples)
        if getattr(before.state, actuator) != getattr(after.state, actuator)
    ]


def safe_after_ms(
    loop: Loop[Any], sensor: str, is_safe: Callable[[Any], bool]
) -> float | None:
    """Return how long after a sensor's last line a reply left the plant safe.

    That is the first such reply; ``None`` if there is none.
    """
    start = f"SENSE {sensor} "
    sent_us = max(s.at_us for s in loop.stimuli if s.text.startswith(start))
    later = (r for r in loop.replies if r.at_us > sent_us and is_safe(r.state))
    reply = next(later, None)
    return None if reply is None else (reply.at_us - sent_us) / 1000
