"""Reading a judge's reply: grades with reasons, or why they cannot be read."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, cast

CRITERIA = ("correctness", "grounding", "actionability")
LOWEST, HIGHEST = 1, 5
_FENCED = re.compile(r"\A```(?:json)?[ \t]*\n(.*)\n```\Z", re.DOTALL)


class UnreadableReply(ValueError):
    """It is not what was asked for, and the message says how."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grades:
    """A reply: a score and a reason for each criterion, and the rating of the whole."""

    scores: dict[str, int]
    reasons: dict[str, str]
    rating: int


def read_grades(text: str) -> Grades:
    """Return what a reply says.

    It has to be one JSON object, maybe fenced as code, with exactly the keys asked for.

    Raises:
        UnreadableReply: it is anything else; nothing is guessed.
    """
    stripped = text.strip()
    fenced = _FENCED.match(stripped)
    try:
        table = json.loads(
            fenced[1] if fenced else stripped, object_pairs_hook=_without_doubles
        )
    except RecursionError as error:
        raise UnreadableReply("it is nested too deeply") from error
    except json.JSONDecodeError as error:
        raise UnreadableReply(f"it is no JSON ({error.msg})") from error
    fields = _exactly(table, (*CRITERIA, "rating"), "it")
    criteria = {
        name: _exactly(fields[name], ("score", "reason"), name) for name in CRITERIA
    }
    return Grades(
        scores={name: _likert(each["score"], name) for name, each in criteria.items()},
        reasons={
            name: _reason(each["reason"], name) for name, each in criteria.items()
        },
        rating=_likert(fields["rating"], "rating"),
    )


def share_of(rating: float) -> float:
    """Return a rating of 1 to 5 as a score of 0 to 1."""
    return (rating - LOWEST) / (HIGHEST - LOWEST)


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        raise UnreadableReply("it has a key twice")
    return table


def _exactly(value: object, names: tuple[str, ...], what: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise UnreadableReply(f"{what} is no object")
    table = cast("dict[str, object]", value)
    if set(table) != set(names):
        raise UnreadableReply(f"{what} has to have the keys {', '.join(names)} alone")
    return table


def _likert(value: object, what: str) -> int:
    # True is a whole number to Python, and 4.0 equals one.
    if type(value) is not int or not LOWEST <= value <= HIGHEST:
        raise UnreadableReply(
            f"{what} is not a whole number from {LOWEST} to {HIGHEST}"
        )
    return value


def _reason(value: object, what: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise UnreadableReply(f"the reason of {what} is missing")
    return value
