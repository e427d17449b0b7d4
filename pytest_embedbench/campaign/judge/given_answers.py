"""Free-form answers of models to questions: the lines of ``answers.jsonl``."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from pytest_embedbench.campaign.judge.triplets import is_unicode
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.submissions import tables

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

TEXT, WITH_IMAGE = "text", "text+image"
INPUTS = (TEXT, WITH_IMAGE)
FIELDS = "model, question_id, answer, and maybe input"

AnswerKey = tuple[str, str, str]
"""Model, input, question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenAnswer:
    """What a model said to a question; ``input`` is one of ``INPUTS``."""

    model: str
    question_id: str
    input: str
    answer: str

    @property
    def key(self) -> AnswerKey:
        """What it is the only one of."""
        return (self.model, self.input, self.question_id)

    def line(self) -> str:
        """Return it as a line of a file that ``read_given_answers`` reads."""
        table = {
            "model": self.model,
            "question_id": self.question_id,
            "input": self.input,
            "answer": self.answer,
        }
        return json.dumps(table) + "\n"


def read_given_answers(place: Path, questions: Collection[str]) -> list[GivenAnswer]:
    """Return the answers of a JSONL file, in order.

    Args:
        place: The file.
        questions: The names of all questions.

    Raises:
        ConfigError: a line is broken, asks for no question that there is, or is the
            second of its kind; it begins with file and line.
    """
    found: dict[AnswerKey, GivenAnswer] = {}
    for where, table in tables(place, FIELDS):
        answer = _answer(where, table)
        if answer.question_id not in questions:
            raise ConfigError(
                f"{where}: question_id: there is no question {answer.question_id!r}"
            )
        if answer.key in found:
            raise ConfigError(
                f"{where}: there is another answer of {answer.model} "
                f"({answer.input}) to {answer.question_id}"
            )
        found[answer.key] = answer
    return list(found.values())


def answer_key(where: str, fields: Mapping[str, object]) -> AnswerKey:
    """Return which answer a line is about; ``ConfigError`` if it does not say."""
    chosen = fields.get("input", WITH_IMAGE)
    if chosen not in INPUTS:
        raise ConfigError(f"{where}: input: is none of {', '.join(INPUTS)}")
    model, question = (_name(where, fields, name) for name in ("model", "question_id"))
    return (model, str(chosen), question)


def _answer(where: str, table: object) -> GivenAnswer:
    if not isinstance(table, dict):
        raise ConfigError(f"{where}: each line is a table of {FIELDS}")
    fields = cast("dict[str, object]", table)
    model, chosen, question = answer_key(where, fields)
    answer = fields.get("answer")
    if not isinstance(answer, str) or not is_unicode(answer):
        raise ConfigError(f"{where}: answer: is missing, or no text")
    return GivenAnswer(model=model, question_id=question, input=chosen, answer=answer)


def _name(where: str, fields: Mapping[str, object], name: str) -> str:
    value = fields.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value.strip() or not is_unicode(value):
        raise ConfigError(f"{where}: {name}: is missing, empty or no text")
    return value
