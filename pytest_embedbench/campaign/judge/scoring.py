"""One judging of one answer: a first score, two reflections, one verdict.

It follows EmbedCopilot-Bench's Scoring-Refine; the prompts are ours (``prompts/``).
"""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Protocol

from pytest_embedbench.campaign.judge.prompts import filled, prompt_text
from pytest_embedbench.campaign.judge.replies import (
    Grades,
    UnreadableReply,
    read_grades,
    share_of,
)
from pytest_embedbench.errors import RequestRefused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.campaign.judge.endpoint import ChatReply, Message
    from pytest_embedbench.campaign.judge.triplets import Triplet

STEPS = ("initial", "reflection 1", "reflection 2", "verdict")
_PROMPTS = ("initial", "reflect", "reflect", "reconcile")
_CUT = {
    "length": "it was cut at the limit of tokens",
    "content_filter": "it was filtered",
}
_SHOWN_CHARS = 200


class Asks(Protocol):
    """What can be asked: a model's endpoint."""

    def ask(self, messages: Sequence[Message]) -> ChatReply:
        """Return the reply to a conversation."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """What one judging came to.

    Args:
        rating: The verdict, 1 to 5; ``None`` if there is no score.
        no_score: Why there is none; empty if there is.
        steps: Each grading in order: ``step``, ``scores``, ``reasons``, ``rating``.
        repairs: How many replies had to be asked for again.
    """

    rating: int | None
    no_score: str = ""
    steps: tuple[dict[str, Any], ...] = ()
    repairs: int = 0

    @property
    def score(self) -> float | None:
        """The rating as a score of 0 to 1."""
        return None if self.rating is None else share_of(self.rating)

    def record(self) -> dict[str, Any]:
        """Return it as a plain table."""
        return {**asdict(self), "score": self.score, "steps": [*self.steps]}


class _NoScore(Exception):
    """A step has no grades; the message says why."""


class _Dialogue:
    """What was said so far, both ways."""

    def __init__(self, judge: Asks, first: Message) -> None:
        self._judge = judge
        self._messages: list[Message] = [
            {"role": "system", "content": prompt_text("system")},
            first,
        ]
        self.repairs = 0

    def say(self, name: str, **values: str) -> None:
        """Add a prompt; the next reply will see it, and all before it."""
        self._messages.append({"role": "user", "content": filled(name, **values)})

    def grades(self) -> Grades:
        """Return the grades of the next reply, which may be asked for once more."""
        text = self._next()
        try:
            return read_grades(text)
        except UnreadableReply as error:
            problem = str(error)
        self.repairs += 1
        self.say("repair", problem=problem)
        text = self._next()
        try:
            return read_grades(text)
        except UnreadableReply as error:
            shown = " ".join(text.split())[:_SHOWN_CHARS]
            raise _NoScore(f"unreadable twice: {error}: {shown}") from error

    def _next(self) -> str:
        try:
            reply = self._judge.ask(self._messages)
        except RequestRefused as error:
            raise _NoScore(f"the request was refused: {error}") from error
        if reply.refusal:
            raise _NoScore(f"the judge refused: {reply.refusal[:_SHOWN_CHARS]}")
        if reply.finish_reason in _CUT:
            raise _NoScore(f"the reply is not whole: {_CUT[reply.finish_reason]}")
        self._messages.append({"role": "assistant", "content": reply.text})
        return reply.text


def judge_once(judge: Asks, triplet: Triplet, answer: str) -> Judging:
    """Judge an answer once, in four steps that each see all before them.

    Raises:
        EndpointFault: the judge cannot be asked.
    """
    dialogue = _Dialogue(judge, first_message(triplet, answer))
    steps: list[dict[str, Any]] = []
    for step, prompt in zip(STEPS, _PROMPTS, strict=True):
        if steps:
            dialogue.say(prompt)
        try:
            grades = dialogue.grades()
        except _NoScore as why:
            return Judging(
                rating=None,
                no_score=f"{step}: {why}",
                steps=tuple(steps),
                repairs=dialogue.repairs,
            )
        steps.append({"step": step, **asdict(grades)})
    return Judging(
        rating=steps[-1]["rating"], steps=tuple(steps), repairs=dialogue.repairs
    )


def first_message(triplet: Triplet, answer: str) -> Message:
    """Return what a judge is shown, between marks that the answer cannot know."""
    shown = f"{triplet.digest()}{hashlib.sha256(answer.encode()).hexdigest()}"
    count = len(triplet.pictures)
    text = filled(
        "initial",
        mark=hashlib.sha256(shown.encode()).hexdigest()[:16],
        query=triplet.query,
        history="\n".join(triplet.history) or "(none)",
        gold=triplet.gold,
        answer=answer or "(empty)",
        pictures=f"Pictures: {count}, below." if count else "There are no pictures.",
    )
    return user_message(text, triplet)


def user_message(text: str, triplet: Triplet, *, pictures: bool = True) -> Message:
    """Return a message of the user's, with the pictures of a question behind it."""
    if not pictures or not triplet.pictures:
        return {"role": "user", "content": text}
    parts: list[dict[str, Any]] = [{"type": "text", "text": text}]
    parts += [
        {"type": "image_url", "image_url": {"url": picture.data_url()}}
        for picture in triplet.pictures
    ]
    return {"role": "user", "content": parts}
