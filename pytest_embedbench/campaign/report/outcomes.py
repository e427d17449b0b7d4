"""Tables of how runs ended: verdicts, and the most frequent one of each cell."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pytest_embedbench.campaign.modes import MODES
from pytest_embedbench.campaign.report.report_table import (
    NOTHING,
    ReportTable,
    by_model,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_embedbench.campaign.report.runs import AgentRun


def failures(runs: Sequence[AgentRun]) -> ReportTable:
    """Return how many runs of a model ended with each verdict."""
    verdicts = ("PASS", "HOST", "INT", "NONE")
    rows = [
        (model, *(str(sum(run.verdict == each for run in own)) for each in verdicts))
        for model, own in [*by_model(runs), ("all", list(runs))]
        if own
    ]
    scenarios = Counter(
        run.failed_scenario
        for run in runs
        if run.verdict == "INT" and run.failed_scenario
    )
    note = ", ".join(f"{name} {count}" for name, count in scenarios.most_common())
    return ReportTable(
        title="Verdicts by model",
        head=("model", *verdicts),
        rows=tuple(rows),
        note=note and f"First failing scenario of INT: {note}.",
    )


def modal_outcomes(runs: Sequence[AgentRun]) -> ReportTable:
    """Return the most frequent verdict of each task and mode, over repetitions."""
    modes = [mode for mode in MODES if any(run.mode == mode for run in runs)]
    cells = dict.fromkeys((run.model, run.task) for run in runs)
    rows = [
        (model, task, *(_modal(runs, model, task, mode) for mode in modes))
        for model, task in sorted(cells)
    ]
    return ReportTable(
        title="Modal outcome per cell", head=("model", "task", *modes), rows=tuple(rows)
    )


def _modal(runs: Iterable[AgentRun], model: str, task: str, mode: str) -> str:
    verdicts = Counter(
        run.verdict
        for run in runs
        if (run.model, run.task, run.mode) == (model, task, mode)
    )
    if not verdicts:
        return NOTHING
    most = max(verdicts.values())
    # Of several that are as frequent all are named: none of them is the mode.
    names = "/".join(name for name, count in verdicts.items() if count == most)
    return f"{names} {most}/{verdicts.total()}"
