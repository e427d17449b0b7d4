"""What a check and a submission have said to each other, from power-on to power-on.

A check of the host stage is a function of what it is answered. So whoever answers all
that a check has asked before as somebody did with whom it has passed, passes it, too.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.grading.host.messages import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_embedbench.grading.host.stepped import SteppedProgram

_COUNT = struct.Struct("=I")
_EXCHANGE = struct.Struct("=BII")


class Answered(NamedTuple):
    """One request, and its answer."""

    kind: Kind
    payload: bytes
    answer: bytes


Conversation = list[list[Answered]]
"""One list for each process that a check has stepped."""


def same_requests(one: Conversation, other: Conversation) -> bool:
    """Say whether two conversations differ in answers at most."""
    return [[e[:2] for e in part] for part in one] == [
        [e[:2] for e in part] for part in other
    ]


def packed(conversation: Conversation) -> bytes:
    """Return a conversation as bytes."""
    pieces = [_COUNT.pack(len(conversation))]
    for part in conversation:
        pieces.append(_COUNT.pack(len(part)))
        for kind, payload, answer in part:
            pieces += [_EXCHANGE.pack(kind, len(payload), len(answer)), payload, answer]
    return b"".join(pieces)


def unpacked(data: bytes) -> Conversation:
    """Return what was packed.

    Raises:
        ValueError: it was something else.
    """
    try:
        return [*_parts(data)]
    except struct.error as error:
        raise ValueError(str(error)) from error


def _parts(data: bytes) -> Iterator[list[Answered]]:
    (count,) = _COUNT.unpack_from(data)
    at = _COUNT.size
    for _ in range(count):
        (exchange_count,) = _COUNT.unpack_from(data, at)
        at += _COUNT.size
        part: list[Answered] = []
        for _ in range(exchange_count):
            kind, payload_bytes, answer_bytes = _EXCHANGE.unpack_from(data, at)
            middle = at + _EXCHANGE.size + payload_bytes
            payload = data[at + _EXCHANGE.size : middle]
            at = middle + answer_bytes
            part.append(Answered(Kind(kind), payload, data[middle:at]))
        yield part
    if at != len(data):
        raise ValueError("bytes are missing, or too many")


@dataclass(slots=True)
class RecordedProgram:
    """A program that steps a submission, and keeps what it is asked and answers."""

    program: SteppedProgram
    conversation: Conversation = field(default_factory=Conversation)
    is_whole: bool = True
    """Whether all that was asked has been answered."""

    def open(self) -> None:
        """Begin as at power-on; raises what the program raises."""
        try:
            self.program.open()
        except BaseException:
            self.is_whole = False
            raise
        self.conversation.append([])

    def ask(
        self, kind: Kind, payload: bytes = b"", *, doing: Callable[[int], str]
    ) -> bytes:
        """Return the program's answer; raises what the program raises."""
        if not self.conversation:
            self.conversation.append([])
        try:
            answer = self.program.ask(kind, payload, doing=doing)
        except BaseException:
            self.is_whole = False
            raise
        self.conversation[-1].append(Answered(kind, payload, answer))
        return answer

    def close(self) -> None:
        """End what runs."""
        self.program.close()

    def stop(self) -> None:
        """Let go of everything."""
        self.program.stop()
