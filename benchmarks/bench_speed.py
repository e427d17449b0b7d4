"""How fast the harness is: simulated seconds per wall second.

The load is the tank's: a level frame every 100 ms, answered by two lines, for a minute
of simulated time. *Bare* is the engine alone with the frames of that run; *harness* is
the whole of bench, transcript on disk, plant and trace. Build, start-up and plots are
not counted. Each pair is measured back to back, the medians of ROUNDS are shown.

    python benchmarks/bench_speed.py [ROUNDS]
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench import Rig, Scenario, StimulusKind
from pytest_embedbench.grading.checks import find_suite

if TYPE_CHECKING:
    from pytest_embedbench import BoardSpec, FirmwareImage, Run

SUITE = Path(__file__).parents[1] / "example_suites" / "tank_fill_drain"
MINUTE = Scenario(name="minute", max_steps=600, initial={"level": 55})
SIMULATED_S = 60
BOOT_MS = 100
TARGETS = {"native": 1000, "uno": 100}


def main() -> int:
    """Print a row per board; exit 1 if a target is missed."""
    round_count = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    rig = Rig()
    print(
        f"{'board':<8} {'bare':>8} {'harness':>8} {'share':>6}   simulated s / wall s"
    )
    missed = False
    for name, target in TARGETS.items():
        spec = rig.registry.board(name)
        image = built(rig, spec)
        pairs = [measured(rig, spec, image) for _ in range(round_count)]
        bare = SIMULATED_S / statistics.median(bare_s for bare_s, _ in pairs)
        whole = SIMULATED_S / statistics.median(whole_s for _, whole_s in pairs)
        share = statistics.median(bare_s / whole_s for bare_s, whole_s in pairs)
        print(f"{name:<8} {bare:8.0f} {whole:8.0f} {share:6.2f}   (target {target})")
        missed |= whole < target
    return int(missed)


def built(rig: Rig, spec: BoardSpec) -> FirmwareImage:
    """Return the tank's reference firmware for a board."""
    source = find_suite(SUITE / "hidden" / "x").source("solution", SUITE)
    return rig.image(rig.for_board(source, spec))


def measured(rig: Rig, spec: BoardSpec, image: FirmwareImage) -> tuple[float, float]:
    """Return the wall seconds of the bare engine and of the whole harness."""
    with (
        tempfile.TemporaryDirectory() as folder,
        rig.bench(spec, image, folder=Path(folder)) as bench,
    ):
        bench.board.advance(BOOT_MS)
        started_s = time.perf_counter()
        run = bench.run(MINUTE, partial(rig.registry.plant, "tank_fill_drain"))
        whole_s = time.perf_counter() - started_s
    if run.metrics["duration_ms"] != SIMULATED_S * 1000:
        raise RuntimeError(f"not a whole run: {run.metrics}")
    return bare_s(rig, spec, image, run), whole_s


def bare_s(rig: Rig, spec: BoardSpec, image: FirmwareImage, run: Run[object]) -> float:
    """Return the wall seconds of the engine alone, given the frames of ``run``."""
    frames = [
        f"{stimulus.text}\n".encode()
        for stimulus in run.stimuli
        if stimulus.kind is StimulusKind.FRAME
    ]
    with rig.boot(spec, image) as board:
        board.advance(BOOT_MS)
        link = board.link()
        started_s = time.perf_counter()
        for frame in frames:
            link.send(frame)
            board.advance(100)
            link.receive()
        return time.perf_counter() - started_s


if __name__ == "__main__":
    sys.exit(main())
