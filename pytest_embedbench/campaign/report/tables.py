"""The tables of a report: pure functions from runs to rows of text.

Tables 3, 4 and 5 are those of J. Syst. Archit. 179 (2026) 103937.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.campaign.modes import MODES
from pytest_embedbench.campaign.report.comparisons import paired, repeated
from pytest_embedbench.campaign.report.outcomes import (
    failures,
    modal_outcomes,
    scenario_sensitivity,
)
from pytest_embedbench.campaign.report.report_table import (
    ReportTable,
    by_model,
    count_of,
    mean_of,
    passes_of,
)
from pytest_embedbench.campaign.report.thirds import early_or_late

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.campaign.report.runs import AgentRun

_MILLION = 1e6


def all_tables(runs: Sequence[AgentRun]) -> list[ReportTable]:
    """Return every table that the runs have something for."""
    makers = (
        self_verify, passes_by_mode, overall, passes_by_task, failures,
        scenario_sensitivity, modal_outcomes, early_or_late, repeated, paired,
    )  # fmt: skip
    decided = [run for run in runs if run.verdict]
    return [table for table in (make(decided) for make in makers) if table.rows]


def self_verify(runs: Sequence[AgentRun]) -> ReportTable:
    """Return Table 3: ``realistic_self_verify``, a row per model."""
    of_mode = [run for run in runs if run.mode == "realistic_self_verify"]
    rows = [
        (
            model,
            str(len(own)),
            *passes_of(own),
            mean_of(own, lambda run: run.tokens, 2, _MILLION),
            mean_of(own, lambda run: run.tool_calls, 1),
            mean_of(own, lambda run: run.submissions, 1),
            mean_of(own, lambda run: run.self_test_runs, 1),
        )
        for model, own in by_model(of_mode)
    ]
    return ReportTable(
        title="Table 3: realistic_self_verify by model",
        head=("model", "runs", "pass", "Wilson 95%", "tokens M", "tool calls",
              "hidden evals", "self-test runs"),
        rows=tuple(rows),
        note="Means per run.",
    )  # fmt: skip


def passes_by_mode(runs: Sequence[AgentRun]) -> ReportTable:
    """Return Table 4: passes of runs by model and mode, and of all models."""
    modes = [mode for mode in MODES if any(run.mode == mode for run in runs)]
    groups = [*by_model(runs), ("all", list(runs))]
    rows = [
        (model, *(count_of(run for run in own if run.mode == mode) for mode in modes))
        for model, own in groups
        if own
    ]
    return ReportTable(
        title="Table 4: passes by feedback mode",
        head=("model", *modes),
        rows=tuple(rows),
    )


def overall(runs: Sequence[AgentRun]) -> ReportTable:
    """Return Table 5: over all modes, a row per model."""
    rows: list[tuple[str, ...]] = []
    for model, own in by_model(runs):
        submitting = [run for run in own if run.submissions]
        rows.append((
            model,
            str(len(own)),
            *passes_of(own),
            mean_of(own, lambda run: run.wall_s, 1, 60),
            str(len(submitting)),
            mean_of(submitting, lambda run: run.first_submission_s, 1, 60),
            mean_of(own, lambda run: run.tokens, 2, _MILLION),
            mean_of(own, lambda run: run.tool_calls, 1),
        ))  # fmt: skip
    return ReportTable(
        title="Table 5: all modes by model",
        head=("model", "runs", "pass", "Wilson 95%", "wall min", "submitting runs",
              "first submit min", "tokens M", "tool calls"),
        rows=tuple(rows),
        note="Means per run; the first submission of those that submitted.",
    )  # fmt: skip


def passes_by_task(runs: Sequence[AgentRun]) -> ReportTable:
    """Return passes by task and model: the heat map in numbers."""
    models = [model for model, _ in by_model(runs)]
    rows = [
        (
            task,
            *(
                count_of(run for run in runs if (run.task, run.model) == (task, model))
                for model in models
            ),
            count_of(run for run in runs if run.task == task),
        )
        for task in dict.fromkeys(run.task for run in runs)
    ]
    return ReportTable(
        title="Passes by task and model",
        head=("task", *models, "all"),
        rows=tuple(rows),
    )
