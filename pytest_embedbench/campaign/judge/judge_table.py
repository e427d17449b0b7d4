"""The table of judged answers: model and input by capability, beside what ESR says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_embedbench.campaign.judge.judge_scores import judge_score
from pytest_embedbench.campaign.report.report_table import NOTHING, ReportTable
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.esr.table import by_model

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pytest_embedbench.campaign.judge.agreement import Agreement
    from pytest_embedbench.campaign.judge.judge_scores import JudgeScore
    from pytest_embedbench.campaign.judge.judging_run import JudgedAnswer

ESR_COLUMNS = ("E_str", "E_per", "delta_pin")
EsrCells = tuple[str, ...]


def score_table(
    judged: Sequence[JudgedAnswer], esr: Mapping[str, EsrCells] | None = None
) -> ReportTable:
    """Return judge scores by model and input, a column per capability and one of all.

    Args:
        judged: All judgings.
        esr: E_str, E_per and delta_pin by model, to be joined.
    """
    capabilities = sorted({each.capability for each in judged if each.capability})
    systems = dict.fromkeys((each.given.model, each.given.input) for each in judged)
    rows: list[tuple[str, ...]] = []
    for model, given in systems:
        own = [e for e in judged if (e.given.model, e.given.input) == (model, given)]
        columns = [
            [e for e in own if e.capability == capability]
            for capability in capabilities
        ]
        scores = [judge_score(column) for column in (*columns, own)]
        joined = () if esr is None else esr.get(model, (NOTHING,) * len(ESR_COLUMNS))
        rows.append((
            model, given, *map(_cell, scores), _of(scores[-1]), *joined,
        ))  # fmt: skip
    return ReportTable(
        title="Judge score by model and input",
        head=("model", "input", *capabilities, "overall", "scored",
              *(() if esr is None else ESR_COLUMNS)),
        rows=tuple(rows),
        note="100 (r - 1) / 4 of ratings r from 1 to 5: mean and standard deviation of "
        "the rounds of judging. Judgings without a score are in no mean.",
    )  # fmt: skip


def agreement_table(compared: Sequence[tuple[str, Agreement]]) -> ReportTable:
    """Return how far the judge agrees with others, a row for each."""
    rows = [
        (
            name,
            str(found.answers),
            f"{found.mae:.3f}",
            str(found.models),
            NOTHING if found.rho is None else f"{found.rho:.3f}",
        )
        for name, found in compared
    ]
    return ReportTable(
        title="Agreement with other scores",
        head=("scores", "answers", "MAE", "models", "Spearman rho"),
        rows=tuple(rows),
        note="MAE of scores from 0 to 1; rho of models' means, ties by average ranks.",
    )


def read_esr(file: Path) -> dict[str, EsrCells]:
    """Return E_str, E_per and delta_pin by model, of an ``esr.json``.

    Raises:
        ConfigError: it is none.
    """
    try:
        cases: Any = json.loads(file.read_bytes())["cases"]
        rates = by_model(cases)
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from error
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise ConfigError(f"{file}: is no esr.json of a run of ESR") from error
    return {
        model: tuple(
            NOTHING if rate.share is None else f"{rate.count}/{rate.of}"
            for rate in (of.strict, of.permissive, of.delta)
        )
        for model, of in rates.items()
    }


def _cell(score: JudgeScore) -> str:
    if score.mean is None:
        return NOTHING
    spread = "" if score.spread is None else f" ± {score.spread:.1f}"
    return f"{score.mean:.1f}{spread}"


def _of(score: JudgeScore) -> str:
    return f"{score.scored}/{score.judgings}"
