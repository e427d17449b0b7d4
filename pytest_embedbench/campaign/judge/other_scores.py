"""Scores of people, or of another judge, to compare a judge's with."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, cast

from pytest_embedbench.campaign.judge.given_answers import AnswerKey, answer_key
from pytest_embedbench.campaign.judge.replies import HIGHEST, LOWEST, share_of
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.submissions import tables

if TYPE_CHECKING:
    from pathlib import Path

FIELDS = "model, question_id, rating (1 to 5), and maybe input"


def read_scores(place: Path) -> dict[AnswerKey, float]:
    """Return scores of 0 to 1 by answer, each the mean of all ratings that it has.

    A line has ``rating``, a number from 1 to 5; ``null``, as in another judge's
    ``judgings.jsonl``, is no rating.

    Raises:
        ConfigError: a line is broken, or there is no rating; it begins with file and
            line.
    """
    found: dict[AnswerKey, list[float]] = {}
    for where, table in tables(place, FIELDS):
        if not isinstance(table, dict) or "rating" not in table:
            raise ConfigError(f"{where}: each line is a table of {FIELDS}")
        fields = cast("dict[str, object]", table)
        key, rating = answer_key(where, fields), fields["rating"]
        if rating is None:
            continue
        if (
            not isinstance(rating, int | float)
            or isinstance(rating, bool)
            or not LOWEST <= rating <= HIGHEST
        ):
            raise ConfigError(f"{where}: rating: is no number from 1 to 5")
        found.setdefault(key, []).append(share_of(rating))
    if not found:
        raise ConfigError(f"{place}: holds no rating: each line is a table of {FIELDS}")
    return {key: fmean(scores) for key, scores in found.items()}
