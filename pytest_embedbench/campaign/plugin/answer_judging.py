"""The fixture ``answer_judge``: a model that judges free-form answers in tests."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.campaign.judge.answer_judge import AnswerJudge
from pytest_embedbench.campaign.judge.endpoint import ChatEndpoint
from pytest_embedbench.campaign.judge.endpoint_settings import EndpointSettings, key_of
from pytest_embedbench.campaign.judge.judging_run import JudgeIdentity, JudgingCache
from pytest_embedbench.campaign.plugin.judge_options import (
    JUDGE_ENDPOINT,
    JUDGE_KEY_VARIABLE,
    JUDGE_MODEL,
)
from pytest_embedbench.plugin.failures import skipped_if_not_here
from pytest_embedbench.plugin.options import setting

if TYPE_CHECKING:
    from collections.abc import Iterator


def judging(config: pytest.Config) -> Iterator[AnswerJudge]:
    """Yield the judge that the options name, and close its connections."""
    endpoint, model = setting(config, JUDGE_ENDPOINT), setting(config, JUDGE_MODEL)
    if not endpoint or not model:
        pytest.skip(
            f"answer_judge takes {JUDGE_ENDPOINT.flag}=URL and {JUDGE_MODEL.flag}=NAME"
        )
    settings = EndpointSettings(
        base_url=endpoint,
        model=model,
        key=key_of(setting(config, JUDGE_KEY_VARIABLE)),
    )
    with skipped_if_not_here(config, "judge"):
        opened = ChatEndpoint(settings)
    with opened as asked:
        yield AnswerJudge(
            endpoint=asked,
            identity=JudgeIdentity(model=model, settings=settings.settings),
            cache=_cache(config),
        )


def _cache(config: pytest.Config) -> JudgingCache | None:
    """Return where judgings are kept: pytest's cache, unless that is switched off."""
    cache = getattr(config, "cache", None)
    if cache is None:
        return None
    return JudgingCache(Path(cache.mkdir("embedbench-judgings")))
