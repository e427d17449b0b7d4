"""The messages between us and a program that was built with ``embedbench_port``.

The other half is ``firmware/embedbench_port/src/native/bench_link.h``, which says
what each message means. Both ends are on one machine: native byte order.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.model import Chunk

if TYPE_CHECKING:
    from collections.abc import Iterable

VERSION = 3

HELLO = 1
FORK = 2
REAP = 3
START = 4
ADVANCE = 5
AHEAD = 6
EXCHANGE = 7

HELLO_ANSWER = 101
FORKED = 102
REAPED = 103
PAUSED = 105
SAID = 106
FAULT = 107
BACKTRACE = 108
RETURNED = 109
STOPPED = 110

ANSWERS = (PAUSED, STOPPED)
"""What a program that goes on says to ``ADVANCE`` and to each stretch of ``AHEAD``."""

GOING = 1 << 63
"""In the stamp of a byte that is on its way out; the rest is when it ends."""

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


def join_stretches(stretches: Iterable[tuple[int, bytes]]) -> bytes:
    """Return what follows the expected lines in an ``AHEAD`` message."""
    return b"".join(
        [_PIECE.pack(until_us, len(data)) + data for until_us, data in stretches]
    )


def split_said(payload: bytes) -> list[Chunk]:
    """Return the chunks of a ``PAUSED`` or ``SAID`` message, oldest first.

    Raises:
        ValueError: it is none.
    """
    chunks: list[Chunk] = []
    offset = 0
    while offset < len(payload):
        start = offset + _PIECE.size
        if start > len(payload):
            raise ValueError("half a chunk")
        at_us, length = _PIECE.unpack_from(payload, offset)
        offset = start + length
        if offset > len(payload):
            raise ValueError("half a chunk")
        chunks.append(Chunk(at_us, payload[start:offset]))
    return chunks


def read_fault(message: ControlMessage) -> FaultReport | None:
    """Return what a ``FAULT`` message says; ``None`` if it is none of our port's."""
    if len(message.payload) != _FAULT_BODY.size:
        return None
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
    whole_bytes = len(message.payload) // _ADDRESS.size * _ADDRESS.size
    addresses = _ADDRESS.iter_unpack(message.payload[:whole_bytes])
    return tuple(address for (address,) in addresses)
