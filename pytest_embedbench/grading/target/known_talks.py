"""What a check and a driver on a board have said to each other, to be said again.

It is kept as the host stage's conversations are, byte by byte as it went over the wire:
first what the check left out, then a part for each start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.contracts import ScriptStep
from pytest_embedbench.grading.host.conversation import Answered, Conversation
from pytest_embedbench.grading.host.messages import Kind
from pytest_embedbench.grading.target import talk, wire

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_HELLOS = tuple(wire.HELLO + how for how in (wire.RESTART, wire.NO_RESTART))
UP = ScriptStep(b"", _HELLOS, 1, 1, talk.UP_WITHIN_MS)
"""The step in which a driver comes up."""


def began(*, by_itself: bool) -> Answered:
    """Return how a part begins: the driver puts all back itself, or is reset."""
    return Answered(Kind.OPEN, wire.RESTART if by_itself else b"", b"")


def said(data: bytes, answer: bytes) -> Answered:
    """Return what has been sent in one go, and all that came back."""
    return Answered(Kind.STEPS, data, answer)


def with_samples(parts: Conversation, samples: Iterable[str]) -> Conversation:
    """Return a whole check, ``samples`` being what it did only a part of."""
    return [[Answered(Kind.HELLO, each.encode(), b"") for each in samples], *parts]


def samples_of(conversation: Conversation) -> list[str]:
    """Return what a check did only a part of."""
    return [each.payload.decode() for each in conversation[0]]


def script(conversations: Sequence[Conversation], baud_bps: int) -> list[ScriptStep]:
    """Return what a board that is up is asked, one way for each conversation.

    They have the same requests.
    """
    ways = len(conversations)
    made: list[ScriptStep] = []
    for parts in list(zip(*conversations, strict=True))[1:]:
        for alike in zip(*parts, strict=True):
            kind, payload, _ = alike[0]
            if kind is Kind.STEPS:
                answers = tuple(each.answer for each in alike)
                made.append(_asked(payload, answers, baud_bps))
            elif payload:
                made.append(_asked_to_restart(payload, ways))
            else:
                hellos = (_HELLOS[1],) * ways
                made.append(UP._replace(answers=hellos, resets=True))
    return made


def _asked(data: bytes, answers: tuple[bytes, ...], baud_bps: int) -> ScriptStep:
    first_ms = talk.first_ms(len(data), baud_bps)
    return ScriptStep(data, answers, first_ms, talk.LONGEST_MS, talk.ANSWER_WITHIN_MS)


def _asked_to_restart(data: bytes, ways: int) -> ScriptStep:
    return ScriptStep(data, (data,) * ways, 1, 1, talk.ANSWER_WITHIN_MS)
