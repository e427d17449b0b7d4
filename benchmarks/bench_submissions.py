"""What judging many submissions in one run saves against a run for each.

Submissions are the tank's reference with a comment of its own in each, so that nothing
of one is built of another. Both ways are ``embedbench evaluate`` as people type it: it
judges one submission in pytest's own process, and many with a worker per processor,
unless WORKERS says how many both have. Both begin with the same cache, in which others
have been judged, in the same sandbox, and are shown by wall time and by the CPU time of
all their processes.

    python benchmarks/bench_submissions.py [SUBMISSIONS [WORKERS]]
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.builders.platformio import PlatformIO
from pytest_embedbench.clock import host_now_s

if TYPE_CHECKING:
    from collections.abc import Iterable

SUITE = Path(__file__).parents[1] / "example_suites" / "tank_fill_drain"
BOARDS = ("--board=native", "--board=uno")
WARMING = 2
"""After so many, checks know what they are answered, and builds their commands."""
TARGET = 0.5


def main() -> int:
    """Print a row for each way; exit 1 if one run takes more than half."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    workers = [f"-n{sys.argv[2]}"] if len(sys.argv) > 2 else []  # noqa: PLR2004  # arguments
    with tempfile.TemporaryDirectory(prefix="embedbench-bench-") as scratch:
        root = Path(scratch)
        PlatformIO(core_dir=root / "core").set_up()
        for number in range(WARMING):
            evaluate(root, submission(root / "warming", number), workers)
        each = [submission(root / "all", WARMING + number) for number in range(count)]
        shutil.copytree(root / "cache", root / "warm")
        single_s, single_cpu_s = measured(root, each, workers)
        shutil.rmtree(root / "cache")
        (root / "warm").rename(root / "cache")
        whole_s, whole_cpu_s = measured(root, [root / "all"], workers)
    print(f"{count} submissions {' '.join(workers):<18} wall s    CPU s")
    print(f"{'a run for each':<30} {single_s:8.1f} {single_cpu_s:8.1f}")
    print(f"{'one run':<30} {whole_s:8.1f} {whole_cpu_s:8.1f}")
    share, cpu_share = whole_s / single_s, whole_cpu_s / single_cpu_s
    print(f"{f'share (target {TARGET})':<30} {share:8.2f} {cpu_share:8.2f}")
    return int(share > TARGET)


def submission(folder: Path, number: int) -> Path:
    """Return a folder with the reference and a comment in it."""
    place = folder / f"s{number:03}"
    shutil.copytree(SUITE / "solution", place)
    for file in place.rglob("controller.c"):
        file.write_text(f"{file.read_text()}\n/* {number} */\n")
    return place


def measured(
    root: Path, places: Iterable[Path], workers: list[str]
) -> tuple[float, float]:
    """Return wall and CPU seconds of a run for each of ``places``."""
    began_s, began_cpu_s = host_now_s(), children_cpu_s()
    for place in places:
        evaluate(root, place, workers)
    return host_now_s() - began_s, children_cpu_s() - began_cpu_s


def evaluate(root: Path, place: Path, workers: list[str]) -> None:
    """Judge one submission or many; ends the benchmark unless all pass."""
    words = [sys.executable, "-m", "pytest_embedbench.cli", "evaluate", SUITE, place]
    named = {name: str(root / name.lower()) for name in ("CACHE", "CORE")}
    settings = named | {"SANDBOX": "require", "ARTIFACTS": str(root / "runs")}
    done = subprocess.run(
        [*words, *BOARDS, *workers],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env=os.environ
        | {f"EMBEDBENCH_{name}": value for name, value in settings.items()},
    )
    # No verdict, or another one, costs less.
    if not all(" PASS " in line for line in done.stdout.splitlines()):
        raise SystemExit(done.stdout)


def children_cpu_s() -> float:
    """Return what processes that have ended took of processors."""
    times = os.times()
    return times.children_user + times.children_system


if __name__ == "__main__":
    raise SystemExit(main())
