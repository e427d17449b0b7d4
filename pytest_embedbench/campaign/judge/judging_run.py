"""Judging many answers many times: what was judged is kept and not asked for again."""

from __future__ import annotations

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_embedbench.campaign.judge.prompts import prompts_digest
from pytest_embedbench.campaign.judge.scoring import Judging, judge_once
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.support.whole_files import replace_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from pytest_embedbench.campaign.judge.given_answers import GivenAnswer
    from pytest_embedbench.campaign.judge.scoring import Asks
    from pytest_embedbench.campaign.judge.triplets import Triplet

JUDGINGS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeIdentity:
    """Which judge it is: another one's judgings are not its own."""

    model: str
    settings: Mapping[str, Any]

    def digest(self, triplet: Triplet, answer: str, number: int) -> str:
        """Return the SHA-256 of all that one judging follows from, in hex."""
        follows = {
            "prompts": prompts_digest(),
            "model": self.model,
            "settings": dict(self.settings),
            "triplet": triplet.digest(),
            "answer": hashlib.sha256(answer.encode()).hexdigest(),
            "number": number,
        }
        return hashlib.sha256(json.dumps(follows, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedAnswer:
    """One judging of an answer, by its number from 1 on."""

    given: GivenAnswer
    capability: str
    tags: tuple[str, ...]
    number: int
    digest: str
    judging: Judging

    def record(self) -> dict[str, Any]:
        """Return it as a plain table."""
        return {
            "model": self.given.model,
            "input": self.given.input,
            "question_id": self.given.question_id,
            "capability": self.capability,
            "tags": [*self.tags],
            "number": self.number,
            "digest": self.digest,
            **self.judging.record(),
        }


@dataclass(frozen=True, slots=True)
class JudgingCache:
    """Judgings in a folder, by digest; any number of processes may share it."""

    folder: Path

    def recall(self, digest: str) -> Judging | None:
        """Return what was kept; nothing if it was not, or its file is damaged."""
        try:
            table = json.loads(self._file(digest).read_bytes())
            rating, steps = table["rating"], tuple(table["steps"])
            no_score, repairs = str(table["no_score"]), int(table["repairs"])
        except (OSError, ValueError, LookupError, TypeError):
            return None
        if (rating is None) != bool(no_score) or rating not in (None, 1, 2, 3, 4, 5):
            return None
        return Judging(rating=rating, no_score=no_score, steps=steps, repairs=repairs)

    def keep(self, digest: str, judging: Judging) -> None:
        """Write one down.

        Raises:
            ConfigError: the folder cannot be written.
        """
        try:
            replace_whole(self._file(digest), json.dumps(judging.record()).encode())
        except OSError as error:
            raise ConfigError(
                f"{self.folder}: cannot be written: {error.strerror}"
            ) from error

    def _file(self, digest: str) -> Path:
        return self.folder / f"{digest}.json"


def judge_answer(
    judge: Asks,
    identity: JudgeIdentity,
    triplet: Triplet,
    answer: str,
    *,
    number: int,
    cache: JudgingCache | None,
) -> tuple[str, Judging]:
    """Return the digest of one judging, and what it came to, now or before.

    Raises:
        EndpointFault: the judge cannot be asked; nothing is kept of it.
    """
    digest = identity.digest(triplet, answer, number)
    known = cache.recall(digest) if cache else None
    if known is None:
        known = judge_once(judge, triplet, answer)
        if cache:
            cache.keep(digest, known)
    return digest, known


def judge_all(
    judge: Asks,
    identity: JudgeIdentity,
    given: Iterable[tuple[Triplet, GivenAnswer]],
    cache: JudgingCache,
    *,
    judgings: int = JUDGINGS,
    jobs: int = 1,
) -> Iterator[JudgedAnswer]:
    """Yield judgings, of each answer in its place and by number.

    Raises:
        EndpointFault: the judge cannot be asked; what was judged until then is kept.
    """

    def one(work: tuple[Triplet, GivenAnswer, int]) -> JudgedAnswer:
        triplet, answer, number = work
        digest, judging = judge_answer(
            judge, identity, triplet, answer.answer, number=number, cache=cache
        )
        return JudgedAnswer(
            given=answer,
            capability=triplet.capability,
            tags=triplet.tags,
            number=number,
            digest=digest,
            judging=judging,
        )

    todo = [
        (triplet, answer, number)
        for triplet, answer in given
        for number in range(1, judgings + 1)
    ]
    pool = ThreadPoolExecutor(jobs)
    try:
        yield from pool.map(one, todo)
    finally:
        pool.shutdown(cancel_futures=True)
