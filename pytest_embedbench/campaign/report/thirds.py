"""Runs in thirds, by when they first submitted and by tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.campaign.report.report_table import ReportTable, passes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_embedbench.campaign.report.runs import AgentRun


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
                (what, f"{low:.6g} to {high:.6g}", *passes_of([r for _, r in part]))
            )
    return ReportTable(
        title="Passes by when a run first submitted, and by tokens, in thirds",
        head=("by", "from", "pass", "Wilson 95%"),
        rows=tuple(rows),
    )
