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
    return ReportTable(
        title="Verdicts by model",
        head=("model", *verdicts),
        rows=tuple(rows),
    )


def scenario_sensitivity(runs: Sequence[AgentRun]) -> ReportTable:
    """Return how many runs failed each scenario, of those whose closed loop ran."""
    models = by_model(runs)
    rows = [
        (task, scenario, *(_failed(own, task, scenario) for _, own in models))
        for task in dict.fromkeys(run.task for run in runs)
        for scenario in _scenarios(run for run in runs if run.task == task)
    ]
    return ReportTable(
        title="Scenario sensitivity: runs that failed it",
        head=("task", "scenario", *(name for name, _ in models)),
        rows=tuple(rows),
        note="Of runs that ran it, by their deciding submission; of an index, of PASS "
        "and INT, by the first failing scenario, which is all that is known.",
    )


def _scenarios(runs: Iterable[AgentRun]) -> list[str]:
    return sorted({name for run in runs for name in run.scenarios})


def _failed(runs: Iterable[AgentRun], task: str, scenario: str) -> str:
    ran = [
        run
        for run in runs
        if run.task == task
        and (scenario in run.scenarios or (not run.agent and run.reached_loop))
    ]
    failed = sum(not run.scenarios.get(scenario, True) for run in ran)
    return f"{failed}/{len(ran)}" if ran else NOTHING


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
