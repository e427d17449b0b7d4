"""From judgings to figures: mean and spread over judgings, of any set of answers."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean, stdev
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_embedbench.campaign.judge.given_answers import AnswerKey
    from pytest_embedbench.campaign.judge.judging_run import JudgedAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeScore:
    """The judge score of a set of answers.

    Args:
        mean: 100 times the mean score, over the rounds of judging; a round is the
            judgings of one number, and its score the mean over its answers.
        spread: The sample standard deviation of the rounds; ``None`` of fewer than two.
        rounds: 100 times the mean score of each round that has any.
        scored: How many judgings have a score.
        judgings: How many there are.
    """

    mean: float | None
    spread: float | None
    rounds: tuple[float, ...]
    scored: int
    judgings: int


def judge_score(judged: Iterable[JudgedAnswer]) -> JudgeScore:
    """Return the score of a set; judgings without one count for nothing but number."""
    rounds: dict[int, list[float]] = {}
    count = 0
    for each in judged:
        count += 1
        if (score := each.judging.score) is not None:
            rounds.setdefault(each.number, []).append(score)
    means = tuple(100 * fmean(rounds[number]) for number in sorted(rounds))
    return JudgeScore(
        mean=fmean(means) if means else None,
        spread=stdev(means) if len(means) > 1 else None,
        rounds=means,
        scored=sum(map(len, rounds.values())),
        judgings=count,
    )


def answer_scores(judged: Sequence[JudgedAnswer]) -> dict[AnswerKey, float]:
    """Return the mean score, 0 to 1, of each answer that has one."""
    scores: dict[AnswerKey, list[float]] = {}
    for each in judged:
        if (score := each.judging.score) is not None:
            scores.setdefault(each.given.key, []).append(score)
    return {key: fmean(values) for key, values in scores.items()}
