"""The pictures of a report, as SVG: a heat map, and passes over time and tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.campaign.report.report_table import by_model, count_of
from pytest_embedbench.campaign.report.thirds import QUANTITIES, known, thirds
from pytest_embedbench.esr.rates import wilson
from pytest_embedbench.plotting.heat_map import HeatCell, draw_heat_map
from pytest_embedbench.plotting.shares import ShareGroup, draw_shares

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pytest_embedbench.campaign.report.runs import AgentRun

_FILES = {"first submission (s)": "first_submission", "tokens": "tokens"}


def all_pictures(runs: Sequence[AgentRun]) -> dict[str, str]:
    """Return SVG text by name, of all that the runs have something for."""
    decided = [run for run in runs if run.verdict]
    if not decided:
        return {}
    pictures = {"passes_by_task": heat_map(decided)}
    for what, read in QUANTITIES.items():
        if known(decided, read):
            name = f"passes_by_{_FILES[what]}"
            pictures[name] = passes_over(decided, what, read)
    return pictures


def heat_map(runs: Sequence[AgentRun]) -> str:
    """Return the share of passes of each task and model."""
    models = by_model(runs)
    rows = [
        (task, [_cell([run for run in own if run.task == task]) for _, own in models])
        for task in dict.fromkeys(run.task for run in runs)
    ]
    return draw_heat_map("Passes by task and model", [name for name, _ in models], rows)


def passes_over(
    runs: Sequence[AgentRun], what: str, read: Callable[[AgentRun], float | None]
) -> str:
    """Return passes over a quantity: its thirds, and each run that passed or not."""
    outcomes = [(value, run.passed) for value, run in known(runs, read)]
    return draw_shares(f"Passes by {what}", what, list(_groups(runs, read)), outcomes)


def _cell(runs: Sequence[AgentRun]) -> HeatCell:
    passed = sum(run.passed for run in runs)
    return HeatCell(passed / len(runs) if runs else None, count_of(runs))


def _groups(
    runs: Sequence[AgentRun], read: Callable[[AgentRun], float | None]
) -> Iterator[ShareGroup]:
    for part in thirds(runs, read):
        passed, count = sum(run.passed for run in part.runs), len(part.runs)
        yield ShareGroup(
            low=part.low,
            high=part.high,
            share=passed / count,
            interval=wilson(passed, count),
            text=f"{passed}/{count}",
        )
