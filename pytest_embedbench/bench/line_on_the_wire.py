"""A line that has begun and not ended: what it comes to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.bench.guards import from_firmware

if TYPE_CHECKING:
    from pytest_embedbench.bench.uart_session import UartSession
    from pytest_embedbench.model import Line

_PAUSE_BITS = 20
"""Two bytes' time on the wire without any: whatever was being said has paused."""


def line_on_the_wire(session: UartSession) -> tuple[int, Line] | None:
    """Wait for the end of a line that has begun; ``None`` if it pauses instead."""
    recorder = session.recorder
    step_ms = -(-_PAUSE_BITS * 1000 // recorder.baud_bps)
    number = session.mark()
    while pending := recorder.framer.pending:
        session.timebase.advance(step_ms)
        if ended := list(from_firmware(recorder.transcript.since(number))):
            return ended[0]
        if recorder.framer.pending == pending:
            break
    return None
