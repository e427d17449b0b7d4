"""Restarts that a test expects: the firmware's own doing, and no fault then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.bench.guards import from_firmware
from pytest_embedbench.bench.wait_errors import timeout_error
from pytest_embedbench.support.validation import whole_ms
from pytest_embedbench.wire.crash_signs import BOOTS
from pytest_embedbench.wire.transcript import decoded

if TYPE_CHECKING:
    from pytest_embedbench.bench.uart_session import UartSession


def expect_restart(session: UartSession, within_ms: int) -> int:
    """Do what ``Bench.expect_restart`` says."""
    recorder = session.recorder
    number, starts_us = session.mark(), session.now_us
    ends_us = starts_us + whole_ms("within_ms", within_ms) * 1000
    while True:
        if (restart := recorder.accept_restart()) is not None:
            at_us, first_line = restart
            session.skip(first_line)
            return at_us
        for place, line in from_firmware(recorder.transcript.since(number)):
            if BOOTS.search(decoded(line.payload)):
                recorder.restart()
                session.skip(place)
                return line.at_us
        number = session.mark()
        recorder.raise_fault()
        if session.now_us >= ends_us:
            raise timeout_error(recorder, "restart", within_ms, starts_us)
        session.poll(ends_us)
