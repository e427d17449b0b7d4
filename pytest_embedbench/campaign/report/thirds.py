"""Runs in thirds, by when they first submitted and by tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.campaign.report.report_table import ReportTable, passes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pytest_embedbench.campaign.report.runs import AgentRun

QUANTITIES: dict[str, Callable[[AgentRun], float | None]] = {
    "first submission (s)": lambda run: run.first_submission_s,
    "tokens": lambda run: run.tokens,
}
_FEWEST = 3


class Third(NamedTuple):
    """Runs whose quantity is from ``low`` to ``high``."""

    low: float
    high: float
    runs: list[AgentRun]


def known(
    runs: Sequence[AgentRun], read: Callable[[AgentRun], float | None]
) -> list[tuple[float, AgentRun]]:
    """Return the runs of which a quantity is known, by it."""
    found = [(value, run) for run in runs if (value := read(run)) is not None]
    return sorted(found, key=lambda each: each[0])


def thirds(
    runs: Sequence[AgentRun], read: Callable[[AgentRun], float | None]
) -> Iterator[Third]:
    """Yield the runs in three parts of the same size; none if there are fewer."""
    by_value = known(runs, read)
    count = len(by_value)
    for number in range(3 if count >= _FEWEST else 0):
        part = by_value[number * count // 3 : (number + 1) * count // 3]
        yield Third(part[0][0], part[-1][0], [run for _, run in part])


def early_or_late(runs: Sequence[AgentRun]) -> ReportTable:
    """Return how runs passed by when they first submitted, and by tokens, in thirds."""
    rows = [
        (what, f"{part.low:.6g} to {part.high:.6g}", *passes_of(part.runs))
        for what, read in QUANTITIES.items()
        for part in thirds(runs, read)
    ]
    return ReportTable(
        title="Passes by when a run first submitted, and by tokens, in thirds",
        head=("by", "from", "pass", "Wilson 95%"),
        rows=tuple(rows),
    )
