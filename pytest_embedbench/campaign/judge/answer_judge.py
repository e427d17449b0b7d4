"""Judging an answer in a test: what the fixture ``answer_judge`` is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from pytest_embedbench.campaign.judge.images import read_picture
from pytest_embedbench.campaign.judge.judging_run import JUDGINGS, judge_answer
from pytest_embedbench.campaign.judge.triplets import Triplet
from pytest_embedbench.errors import ConfigError, EndpointFault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.campaign.judge.judging_run import (
        JudgeIdentity,
        JudgingCache,
    )
    from pytest_embedbench.campaign.judge.scoring import Asks, Judging


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedScore:
    """What several judgings of an answer came to; at least one has a score.

    Args:
        mean: The mean score, 0 to 1.
        spread: The sample standard deviation of scores; ``None`` of fewer than two.
        ratings: 1 to 5, of each judging that has a score.
        judgings: All of them, with reasons.
    """

    mean: float
    spread: float | None
    ratings: tuple[int, ...]
    judgings: tuple[Judging, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerJudge:
    """A model that judges answers."""

    endpoint: Asks
    identity: JudgeIdentity
    cache: JudgingCache | None = None

    def __call__(
        self,
        *,
        query: str,
        gold: str,
        answer: str,
        images: Sequence[str | Path] = (),
        history: Sequence[str] = (),
        judgings: int = JUDGINGS,
    ) -> JudgedScore:
        """Have an answer judged.

        Args:
            query: The question.
            gold: The reference answer.
            answer: What is to be judged.
            images: Files, from the current folder on, or ``data:`` URLs.
            history: What was done before.
            judgings: How often it is judged.

        Raises:
            ConfigError: an image is none, or there are no judgings.
            EndpointFault: the judge cannot be asked, or no judging has a score.
        """
        if judgings < 1:
            raise ConfigError(f"judgings = {judgings}: must be 1 or more")
        triplet = Triplet(
            question_id="",
            query=query,
            gold=gold,
            pictures=tuple(read_picture("images", str(i), Path()) for i in images),
            history=tuple(history),
        )
        made = tuple(
            judge_answer(
                self.endpoint,
                self.identity,
                triplet,
                answer,
                number=number,
                cache=self.cache,
            )[1]
            for number in range(1, judgings + 1)
        )
        return _score(made)


def _score(made: tuple[Judging, ...]) -> JudgedScore:
    scores = [each.score for each in made if each.score is not None]
    if not scores:
        reasons = "; ".join(dict.fromkeys(each.no_score for each in made))
        raise EndpointFault(f"the judge gives no score: {reasons}")
    return JudgedScore(
        mean=fmean(scores),
        spread=stdev(scores) if len(scores) > 1 else None,
        ratings=tuple(each.rating for each in made if each.rating is not None),
        judgings=made,
    )
