"""The evidence that a closed loop leaves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_embedbench.bench.artifacts import metrics_json, new_file, trace_csv
from pytest_embedbench.bench.run import metrics_of

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.bench.closed_loop import ClosedLoop


@dataclass(slots=True)
class LoopFiles:
    """Trace, metrics and plot of the ``number``-th loop of a bench, from 1 on.

    The trace grows while the loop runs; all else is written at the end. The files of
    the second loop are ``trace-2.csv`` and so on.
    """

    folder: Path
    loop: ClosedLoop[Any]
    number: int
    _written: int = field(default=0, init=False)
    """How many samples are in the trace."""

    def write_news(self) -> None:
        """Add the samples that are new to the trace."""
        new = self.loop.samples[self._written :]
        if not new:
            return
        is_first = self._written == 0
        text = trace_csv(new, head=is_first)
        path = self._path("trace", "csv")
        with new_file(path) if is_first else path.open("a", newline="\n") as file:
            file.write(text)
        self._written += len(new)

    def finish(self, *, plotted_as: str) -> None:
        """Write what is left, and a plot if there is a name for its board."""
        loop = self.loop
        self.write_news()
        with new_file(self._path("metrics", "json")) as file:
            file.write(metrics_json(metrics_of(loop)))
        if plotted_as:
            from pytest_embedbench.plotting.plot import draw  # noqa: PLC0415  # late

            words = (type(loop.plant).__name__, loop.scenario.name)
            title = f"{' '.join(words).strip()} on {plotted_as}"
            with new_file(self._path("plot", "svg")) as file:
                file.write(
                    draw(title, loop.samples, loop.plant.thresholds, loop.stimuli)
                )

    def _path(self, stem: str, kind: str) -> Path:
        suffix = "" if self.number == 1 else f"-{self.number}"
        return self.folder / f"{stem}{suffix}.{kind}"
