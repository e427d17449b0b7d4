"""Bursts: lines that a firmware says without a pause, as one reply."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_embedbench.bench.recorder import Recorder
    from pytest_embedbench.model import Line

BURST_GAP_US = 10_000
"""A pause that ends a burst: what the published harness polls at."""
_BITS_PER_BYTE = 10
"""On the wire, with start and stop bit."""


def bursts(lines: Sequence[Line]) -> Iterator[Sequence[Line]]:
    """Split lines wherever the firmware paused."""
    burst: list[Line] = []
    for line in lines:
        if burst and line.at_us - burst[-1].at_us >= BURST_GAP_US:
            yield burst
            burst = []
        burst.append(line)
    if burst:
        yield burst


def ended_bursts(
    lines: Sequence[Line], recorder: Recorder
) -> tuple[list[Sequence[Line]], Sequence[Line]]:
    """Return the bursts that are over, and the lines of one that still goes on."""
    ended = list(bursts(lines))
    goes_on = bool(ended) and _goes_on(ended[-1], recorder)
    return ended, ended.pop() if goes_on else ()


def _goes_on(burst: Sequence[Line], recorder: Recorder) -> bool:
    """Say whether the line after a burst's last is on the wire by now.

    It is if some of it has come, or if its first byte is on the way: boards that time
    single bytes stand still between two of them hardly ever.
    """
    byte_us = _BITS_PER_BYTE * 1_000_000 // recorder.board.spec.uarts[0].baud_bps
    since_us = recorder.board.now_us() - burst[-1].at_us
    return bool(recorder.framer.pending) or 0 < since_us < byte_us
