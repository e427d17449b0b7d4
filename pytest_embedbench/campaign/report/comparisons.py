"""Tables that compare runs: repeated ones, and pairs of models."""

from __future__ import annotations

from itertools import combinations
from statistics import mean
from typing import TYPE_CHECKING

from pytest_embedbench.campaign.report.report_table import (
    NOTHING,
    ReportTable,
    by_model,
)
from pytest_embedbench.campaign.report.statistics import (
    compare,
    detectable_difference,
    pass_at_k,
)
from pytest_embedbench.esr.rates import has_scipy

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from pytest_embedbench.campaign.report.runs import AgentRun

_PAIRS_SHOWN = 12


def repeated(runs: Sequence[AgentRun]) -> ReportTable:
    """Return pass@k by model: the mean over tasks and modes that were run k times."""
    rows: list[tuple[str, ...]] = []
    for model, own in by_model(runs):
        cells: dict[tuple[str, str], list[AgentRun]] = {}
        for run in own:
            cells.setdefault((run.task, run.mode), []).append(run)
        fewest = min(map(len, cells.values()))
        rates = [
            mean(
                pass_at_k(len(each), sum(run.passed for run in each), k)
                for each in cells.values()
            )
            for k in range(1, fewest + 1)
        ]
        rows += [
            (model, str(k), f"{100 * rate:.1f}%") for k, rate in enumerate(rates, 1)
        ]
    return ReportTable(
        title="pass@k by model", head=("model", "k", "pass@k"), rows=tuple(rows)
    )


def paired(runs: Sequence[AgentRun]) -> ReportTable:
    """Return McNemar's test of each pair of models, over what both have run."""
    outcomes: dict[str, dict[Hashable, bool]] = {
        model: {(run.task, run.mode, run.repetition): run.passed for run in own}
        for model, own in by_model(runs)
    }
    rows: list[tuple[str, ...]] = []
    for first, second in list(combinations(outcomes, 2))[:_PAIRS_SHOWN]:
        found = compare(outcomes[first], outcomes[second])
        p_value = NOTHING if found.p_value is None else f"{found.p_value:.3g}"
        counts = (found.both, found.first_only, found.second_only, found.neither)
        rows.append((first, second, *map(str, counts), p_value))
    return ReportTable(
        title="Pairs of models, at the same tasks, modes and repetitions",
        head=("first", "second", "both", "first only", "second only", "neither",
              "McNemar p"),
        rows=tuple(rows),
        note=_power(runs) if rows else "",
    )  # fmt: skip


def _power(runs: Sequence[AgentRun]) -> str:
    fewest = min(len(own) for _, own in by_model(runs))
    if not has_scipy():
        return ""
    least = detectable_difference(sum(run.passed for run in runs) / len(runs), fewest)
    words = "no difference at all" if least is None else f"{100 * least:.0f} points"
    return (
        f"With {fewest} runs of a model, a power of 80 % and a level of 5 % take a "
        f"difference of {words}: smaller ones may be there and not show. p is of each "
        "pair alone, not corrected for their number."
    )
