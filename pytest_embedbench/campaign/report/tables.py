"""The tables of a report: pure functions from runs to rows of text.

Tables 3, 4 and 5 are those of J. Syst. Archit. 179 (2026) 103937.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from statistics import mean
from typing import TYPE_CHECKING

from pytest_embedbench.campaign.modes import MODES
from pytest_embedbench.campaign.report.statistics import (
    compare,
    detectable_difference,
    pass_at_k,
)
from pytest_embedbench.esr.rates import has_scipy, wilson

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from pytest_embedbench.campaign.report.runs import AgentRun

NOTHING = "-"
_MILLION = 1e6
_PAIRS_SHOWN = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportTable:
    """A title, names of columns, rows of text, and what is to be said of them."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def all_tables(runs: Sequence[AgentRun]) -> list[ReportTable]:
    """Return every table that the runs have something for."""
    makers = (
        self_verify, passes_by_mode, overall, passes_by_task, failures, modal_outcomes,
        early_or_late, repeated, paired,
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
            *_passes(own),
            _mean(own, lambda run: run.tokens, 2, _MILLION),
            _mean(own, lambda run: run.tool_calls, 1),
            _mean(own, lambda run: run.submissions, 1),
            _mean(own, lambda run: run.self_test_runs, 1),
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
        (model, *(_count(run for run in own if run.mode == mode) for mode in modes))
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
            *_passes(own),
            _mean(own, lambda run: run.wall_s, 1, 60),
            str(len(submitting)),
            _mean(submitting, lambda run: run.first_submission_s, 1, 60),
            _mean(own, lambda run: run.tokens, 2, _MILLION),
            _mean(own, lambda run: run.tool_calls, 1),
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
                _count(run for run in runs if (run.task, run.model) == (task, model))
                for model in models
            ),
            _count(run for run in runs if run.task == task),
        )
        for task in dict.fromkeys(run.task for run in runs)
    ]
    return ReportTable(
        title="Passes by task and model",
        head=("task", *models, "all"),
        rows=tuple(rows),
    )


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


def early_or_late(runs: Sequence[AgentRun]) -> ReportTable:
    """Return how runs passed by when they first submitted, and by tokens, in thirds."""
    columns: tuple[tuple[str, Callable[[AgentRun], float | None]], ...] = (
        ("first submission (s)", lambda run: run.first_submission_s),
        ("tokens", lambda run: run.tokens),
    )
    rows: list[tuple[str, ...]] = []
    for what, read in columns:
        known = [(value, run) for run in runs if (value := read(run)) is not None]
        known.sort(key=lambda each: each[0])
        for number in range(3 if len(known) >= 3 else 0):  # noqa: PLR2004  # thirds
            part = known[number * len(known) // 3 : (number + 1) * len(known) // 3]
            low, high = part[0][0], part[-1][0]
            rows.append(
                (what, f"{low:.6g} to {high:.6g}", *_passes([r for _, r in part]))
            )
    return ReportTable(
        title="Passes by when a run first submitted, and by tokens, in thirds",
        head=("by", "from", "pass", "Wilson 95%"),
        rows=tuple(rows),
    )


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


def by_model(runs: Iterable[AgentRun]) -> list[tuple[str, list[AgentRun]]]:
    """Return the runs of each model, in the order in which models come first."""
    groups: dict[str, list[AgentRun]] = {}
    for run in runs:
        groups.setdefault(run.model, []).append(run)
    return list(groups.items())


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


def _passes(runs: Sequence[AgentRun]) -> tuple[str, str]:
    passed = sum(run.passed for run in runs)
    if not runs:
        return ("0", NOTHING)
    interval = wilson(passed, len(runs))
    between = (
        f"{100 * interval.low:.1f}-{100 * interval.high:.1f}" if interval else NOTHING
    )
    return (f"{passed} ({100 * passed / len(runs):.1f}%)", between)


def _count(runs: Iterable[AgentRun]) -> str:
    known = list(runs)
    return f"{sum(run.passed for run in known)}/{len(known)}" if known else NOTHING


def _mean(
    runs: Sequence[AgentRun],
    read: Callable[[AgentRun], float | None],
    digits: int,
    unit: float = 1.0,
) -> str:
    known = [value for run in runs if (value := read(run)) is not None]
    return f"{mean(known) / unit:.{digits}f}" if known else NOTHING


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
