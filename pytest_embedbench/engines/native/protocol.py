"""The messages between us and a program that was built with ``embedbench_port``.

The other half is ``firmware/embedbench_port/src/native/bench_link.h``, which says
what each message means. Both ends are on one machine: native byte order.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import NamedTuple

from pytest_embedbench.model import Chunk

VERSION = 1

HELLO = 1
FORK = 2
REAP = 3
START = 4
ADVANCE = 5

HELLO_ANSWER = 101
FORKED = 102
REAPED = 103
PAUSED = 105
SAID = 106
FAULT = 107
BACKTRACE = 108
RETURNED = 109

HEADER = Struct("=IIQ")
HELLO_BODY = Struct("=IIQ")
START_BODY = Struct("=Q")

_PIECE = Struct("=QI")
_FAULT_BODY = Struct("=QQiiii")
_ADDRESS = Struct("=Q")


class ControlMessage(NamedTuple):
    """One message, its header taken apart."""

    kind: int
    value: int
    payload: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultReport:
    """What the program could say of the signal that killed it.

    ``cause`` is ``si_code``; ``sender_pid`` is 0 unless somebody sent the signal;
    ``last_error`` is ``errno`` at that moment.
    """

    signal_number: int
    program_counter: int
    address: int
    cause: int
    sender_pid: int
    last_error: int


def split_said(payload: bytes) -> list[Chunk]:
    """Return the chunks of a ``PAUSED`` or ``SAID`` message, oldest first."""
    chunks: list[Chunk] = []
    offset = 0
    while offset < len(payload):
        at_us, length = _PIECE.unpack_from(payload, offset)
        offset += _PIECE.size
        chunks.append(Chunk(at_us, payload[offset : offset + length]))
        offset += length
    return chunks


def read_fault(message: ControlMessage) -> FaultReport:
    """Return what a ``FAULT`` message says."""
    counter, address, cause, sender, error, _ = _FAULT_BODY.unpack(message.payload)
    return FaultReport(
        signal_number=message.value,
        program_counter=counter,
        address=address,
        cause=cause,
        sender_pid=sender,
        last_error=error,
    )


def read_backtrace(message: ControlMessage) -> tuple[int, ...]:
    """Return the addresses of a ``BACKTRACE`` message, innermost first."""
    return tuple(address for (address,) in _ADDRESS.iter_unpack(message.payload))
