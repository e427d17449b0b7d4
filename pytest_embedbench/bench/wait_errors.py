"""What a failed wait says: what was wanted, for how long, and what came instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.contracts import IsPluggedIn
from pytest_embedbench.errors import (
    BenchFault,
    ExpectTimeout,
    FirmwareFault,
    FirmwareFlood,
    ForbiddenOutput,
)
from pytest_embedbench.model import Capability
from pytest_embedbench.wire.transcript import printable

if TYPE_CHECKING:
    from pytest_embedbench.bench.recorder import Recorder
    from pytest_embedbench.contracts import BoardUnderTest
    from pytest_embedbench.wire.patterns import Match


def timeout_error(
    recorder: Recorder, did: str, within_ms: int, since_us: int
) -> FirmwareFault:
    """Return the failure of a wait in vain: a timeout, or the flood that caused it."""
    now_us = recorder.board.now_us()
    message = (
        f"the firmware did not {did} within {within_ms} ms (waited "
        f"{(now_us - since_us) / 1000:g} ms of {time_of(recorder.board)}, up to "
        f"{now_us / 1e6:.6f} s)"
    )
    if (flood := recorder.meter.flood) is not None:
        return FirmwareFlood(f"{flood}; {message}\n{recorder.evidence()}")
    return ExpectTimeout(f"{message}\n{recorder.evidence()}")


def time_of(board: BoardUnderTest) -> str:
    """Return what a board's time is called."""
    is_exact = Capability.VIRTUAL_TIME in board.capabilities
    return "simulated time" if is_exact else "host time"


def silence_error(recorder: Recorder, within_ms: int) -> FirmwareFault | BenchFault:
    """Return the failure of a firmware that never said a byte.

    Of one that nothing has started for this test it says nothing: it may be off.
    """
    uart = recorder.uart or recorder.board.spec.uarts[0]
    if isinstance(recorder.board, IsPluggedIn) and recorder.board.ran_before:
        return BenchFault(
            f"{recorder.board.spec.name} said nothing within {within_ms} ms. It is "
            "neither flashed nor reset for a test, so it may be off, or have said its "
            "first words before time 0: give it 'flash', 'reset' or 'power' in its "
            "datasheet or lab file"
        )
    return FirmwareFault(
        f"the firmware said nothing within {within_ms} ms; UART {uart.name} was "
        f"listened to at {uart.baud_bps} baud"
    )


def prompt_only_error(recorder: Recorder, within_ms: int) -> ExpectTimeout:
    """Return the failure of a firmware that spoke, but never ended a line."""
    return ExpectTimeout(
        f"the firmware ended no line within {within_ms} ms; wait for a prompt with "
        f"expect_prompt()\n{recorder.evidence()}"
    )


def unexpected_output_error(
    recorder: Recorder, said: bytes, for_ms: int, after_us: int
) -> ForbiddenOutput:
    """Return the failure of a firmware that was to keep quiet."""
    return ForbiddenOutput(
        f"the firmware was to be silent for {for_ms} ms, but after "
        f"{after_us / 1000:g} ms it said {printable(said)!r}\n{recorder.evidence()}"
    )


def forbidden_output_error(recorder: Recorder, match: Match) -> ForbiddenOutput:
    """Return the failure of a forbidden line."""
    return ForbiddenOutput(
        f"the firmware said what it must not say at {match.at_us / 1e6:.6f} s: "
        f"{printable(match.line.payload)!r}\n{recorder.evidence()}"
    )
