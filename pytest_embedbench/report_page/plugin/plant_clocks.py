"""How the time of a plant lies on that of the board that controls it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_embedbench.model import StimulusKind

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pytest_embedbench.bench.bench import Bench
    from pytest_embedbench.bench.closed_loop import ClosedLoop

MOST_STIMULI = 200


def of_benches(benches: Iterable[Bench], folder: Path) -> dict[str, Any]:
    """Return a clock for each trace that was left, by its file below ``folder``.

    It has two moments, each as plant time in ms and board time in us, ``thresholds`` by
    quantity, and ``injected``: what the scenario did to board and plant, and when.
    """
    found: dict[str, Any] = {}
    for bench in benches:
        for number, loop in enumerate(bench.loops, start=1):
            suffix = "" if number == 1 else f"-{number}"
            file = bench.folder / f"trace{suffix}.csv"
            if file.is_relative_to(folder):
                found[file.relative_to(folder).as_posix()] = _clock(loop)
    return found


def _clock(loop: ClosedLoop[Any]) -> dict[str, Any]:
    pairs = [(each.plant_ms, each.at_us) for each in loop.stimuli]
    pairs += [(each.plant_ms, each.at_us) for each in loop.replies]
    done = [each for each in loop.stimuli if each.kind is not StimulusKind.FRAME]
    return {
        "moments": [list(min(pairs)), list(max(pairs))] if pairs else [],
        "thresholds": {name: list(at) for name, at in loop.plant.thresholds.items()},
        "injected": [[each.at_us, each.text] for each in done[:MOST_STIMULI]],
    }
