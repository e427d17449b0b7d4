"""How far two sets of scores agree: a judge's, and those of people or another judge."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from statistics import fmean
from typing import TYPE_CHECKING, Any

from pytest_embedbench.errors import ToolMissing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.campaign.judge.given_answers import AnswerKey

_FEWEST_MODELS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Over the answers that both have scored.

    Args:
        answers: How many these are.
        mae: The mean absolute error of scores of 0 to 1.
        models: How many models they are of.
        rho: Spearman's rank correlation of the models' mean scores, where ties have
            the average of their ranks; ``None`` for fewer than two models, or if one
            side has all models equal, which leaves it undefined.
    """

    answers: int
    mae: float
    models: int
    rho: float | None


def agreement(
    ours: Mapping[AnswerKey, float], theirs: Mapping[AnswerKey, float]
) -> Agreement | None:
    """Compare scores of 0 to 1, by answer; nothing if none is in both.

    Raises:
        ToolMissing: scipy is not installed.
    """
    shared = [key for key in ours if key in theirs]
    if not shared:
        return None
    models = list(dict.fromkeys(model for model, _, _ in shared))
    means = [
        [fmean(side[key] for key in shared if key[0] == model) for model in models]
        for side in (ours, theirs)
    ]
    return Agreement(
        answers=len(shared),
        mae=fmean(abs(ours[key] - theirs[key]) for key in shared),
        models=len(models),
        rho=spearman(*means),
    )


def spearman(first: list[float], second: list[float]) -> float | None:
    """Return Spearman's rho, ties by average ranks; ``None`` where it is undefined.

    Values that differ by less than 1e-12, as sums of the same scores in another order
    do, are ties.

    Raises:
        ToolMissing: scipy is not installed.
    """
    try:
        spearmanr: Any = import_module("scipy.stats").spearmanr
    except ImportError as error:
        raise ToolMissing(
            "Spearman's rho", "scipy", "pip install 'pytest-embedbench[stats]'"
        ) from error
    sides = [[round(value, 12) for value in side] for side in (first, second)]
    if len(first) < _FEWEST_MODELS or any(len(set(side)) == 1 for side in sides):
        return None
    return float(spearmanr(*sides).statistic)
