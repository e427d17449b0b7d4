"""The evidence that a closed loop leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_embedbench.bench.artifacts import metrics_json, new_file, trace_csv
from pytest_embedbench.bench.run import metrics_of

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.bench.closed_loop import ClosedLoop


def write_loop(
    folder: Path, loop: ClosedLoop[Any], suffix: str, *, plotted_as: str
) -> None:
    """Write trace and metrics of a loop, and a plot if there is a name for its board.

    ``suffix`` is ``""`` for the first loop of a bench, then ``-2`` and so on.
    """
    with new_file(folder / f"trace{suffix}.csv") as file:
        file.write(trace_csv(loop.samples))
    with new_file(folder / f"metrics{suffix}.json") as file:
        file.write(metrics_json(metrics_of(loop)))
    if plotted_as:
        from pytest_embedbench.plotting.plot import draw  # noqa: PLC0415  # late

        words = (type(loop.plant).__name__, loop.scenario.name)
        title = f"{' '.join(words).strip()} on {plotted_as}"
        with new_file(folder / f"plot{suffix}.svg") as file:
            file.write(draw(title, loop.samples, loop.plant.thresholds, loop.stimuli))
