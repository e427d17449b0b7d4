"""What a sandbox costs, in milliseconds of CPU, piece by piece and per submission.

Each row is the tank's reference with and without a sandbox, in interleaved pairs: to
start a program, to boot a board (in a sandbox a copy of one that stands ready), to
build anew, and a whole warm evaluation on ``native``. Medians of ROUNDS are shown, of
this process and all that it has started; an evaluation may cost 150 ms more.

    python benchmarks/bench_sandbox.py [ROUNDS]
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench import Isolation, Rig
from pytest_embedbench.engines.native import Native
from pytest_embedbench.grading.checks import find_suite
from pytest_embedbench.processes import sandbox

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench import FirmwareImage, FirmwareSource

SUITE = Path(__file__).parents[1] / "example_suites" / "tank_fill_drain"
KINDS = (Isolation.NONE, Isolation.BUBBLEWRAP)
BUDGET_MS = 150


def main() -> int:
    """Print a row per piece; exit 1 if an evaluation costs more than its budget."""
    round_count = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    if (missing := sandbox.missing()) is not None:
        raise SystemExit(str(missing))
    rig = Rig()
    spec = rig.registry.board("native")
    source = find_suite(SUITE / "hidden" / "x").source("solution", SUITE)
    source = rig.for_board(source, spec)
    images = {kind: rig.image(replace(source, isolation=kind)) for kind in KINDS}

    def start(kind: Isolation) -> None:
        with closing(Native().boot(spec, images[kind])) as board:
            board.advance(1)

    def boot(kind: Isolation) -> None:
        with rig.boot(spec, images[kind]) as board:
            board.advance(1)

    def build(kind: Isolation) -> None:
        built(rig, replace(source, isolation=kind))

    print(f"{'':<24} {'without':>8} {'with':>8} {'more':>8}   ms CPU")
    with closing(rig):
        row("start a program", start, round_count)
        row("boot a board", boot, round_count)
        row("build for native", build, round_count)
    more_ms = row("evaluate on native", evaluate, round_count)
    return int(more_ms > BUDGET_MS)


def row(name: str, measured: Callable[[Isolation], None], round_count: int) -> float:
    """Print what something takes in both ways; return the median difference in ms."""
    for kind in KINDS:  # what is made once
        measured(kind)
    pairs = [[took_ms(measured, kind) for kind in KINDS] for _ in range(round_count)]
    without_ms, with_ms = map(statistics.median, zip(*pairs, strict=True))
    more_ms = statistics.median(boxed - bare for bare, boxed in pairs)
    print(f"{name:<24} {without_ms:8.1f} {with_ms:8.1f} {more_ms:8.1f}")
    return more_ms


def took_ms(measured: Callable[[Isolation], None], kind: Isolation) -> float:
    """Return how long something takes."""
    before_ms = cpu_ms()
    measured(kind)
    return cpu_ms() - before_ms


def cpu_ms() -> float:
    """Return what this process has used, and all that have ended below it."""
    uses = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(use.ru_utime + use.ru_stime for use in uses) * 1000


def built(rig: Rig, source: FirmwareSource) -> FirmwareImage:
    """Return a new build of what has been built there before."""
    with tempfile.TemporaryDirectory() as folder:
        return rig.builder(source.environment).build(source, Path(folder) / "out")


def evaluate(kind: Isolation) -> None:
    """Run the hidden suite, with everything built."""
    when = "require" if kind is Isolation.BUBBLEWRAP else "off"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "-q", str(SUITE / "hidden")),
                *("-p", "no:cacheprovider", "--board=native"),
                *("--embedbench-firmware=solution", "--embedbench-plots=never"),
                f"--embedbench-sandbox={when}",
                f"--embedbench-artifacts={folder}",
            ],
            stdout=subprocess.DEVNULL,
            check=True,
        )


if __name__ == "__main__":
    sys.exit(main())
