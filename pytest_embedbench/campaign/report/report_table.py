"""A table of a report, and what cells of several tables are made of."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import mean
from typing import TYPE_CHECKING

from pytest_embedbench.esr.rates import wilson

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pytest_embedbench.campaign.report.runs import AgentRun

NOTHING = "-"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportTable:
    """A title, names of columns, rows of text, and what is to be said of them."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def by_model(runs: Iterable[AgentRun]) -> list[tuple[str, list[AgentRun]]]:
    """Return the runs of each model, in the order in which models come first."""
    groups: dict[str, list[AgentRun]] = {}
    for run in runs:
        groups.setdefault(run.model, []).append(run)
    return list(groups.items())


def passes_of(runs: Sequence[AgentRun]) -> tuple[str, str]:
    """Return how many passed with their share, and Wilson's interval in percent."""
    passed = sum(run.passed for run in runs)
    if not runs:
        return ("0", NOTHING)
    interval = wilson(passed, len(runs))
    between = (
        f"{100 * interval.low:.1f}-{100 * interval.high:.1f}" if interval else NOTHING
    )
    return (f"{passed} ({100 * passed / len(runs):.1f}%)", between)


def count_of(runs: Iterable[AgentRun]) -> str:
    """Return how many of how many passed."""
    known = list(runs)
    return f"{sum(run.passed for run in known)}/{len(known)}" if known else NOTHING


def mean_of(
    runs: Sequence[AgentRun],
    read: Callable[[AgentRun], float | None],
    digits: int,
    unit: float = 1.0,
) -> str:
    """Return the mean of what is known of a quantity."""
    known = [value for run in runs if (value := read(run)) is not None]
    return f"{mean(known) / unit:.{digits}f}" if known else NOTHING
