"""What judging many submissions in one run saves against a run for each.

Submissions are the tank's reference with a comment of its own in each, so that nothing
of one is built of another. Both ways use as many workers; runs alternate with an empty
cache of images each, which both begin with, and are shown by wall time and by the CPU
time of all their processes.

    python benchmarks/bench_submissions.py [SUBMISSIONS [WORKERS]]
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from pytest_embedbench.builders.platformio import PlatformIO
from pytest_embedbench.clock import host_now_s

SUITE = Path(__file__).parents[1] / "example_suites" / "tank_fill_drain"
BOARDS = ("--board=native", "--board=uno")
TARGET = 0.5


def main() -> int:
    """Print a row for each way; exit 1 if one run takes more than half."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    workers = int(sys.argv[2]) if len(sys.argv) > 2 else 2  # noqa: PLR2004  # arguments
    with tempfile.TemporaryDirectory(prefix="embedbench-bench-") as scratch:
        root = Path(scratch)
        PlatformIO(core_dir=root / "core").set_up()
        folders = [submission(root, number) for number in range(count)]
        print(f"{count} submissions, {workers} workers      wall s    CPU s")
        each = [f"--embedbench-firmware={folder}" for folder in folders]
        many = [f"--embedbench-submissions={root / 'all'}"]
        single_s, single_cpu_s = measured(root / "single", each, workers)
        whole_s, whole_cpu_s = measured(root / "whole", many, workers)
    print(f"{'a run for each':<30} {single_s:8.1f} {single_cpu_s:8.1f}")
    print(f"{'one run':<30} {whole_s:8.1f} {whole_cpu_s:8.1f}")
    print(f"share {whole_s / single_s:.2f} (target {TARGET})")
    return int(whole_s / single_s > TARGET)


def submission(root: Path, number: int) -> Path:
    """Return a folder with the reference and a comment in it."""
    folder = root / "all" / f"s{number:03}"
    shutil.copytree(SUITE / "solution", folder)
    for file in folder.rglob("controller.c"):
        file.write_text(f"{file.read_text()}\n/* {number} */\n")
    return folder


def measured(root: Path, whats: list[str], workers: int) -> tuple[float, float]:
    """Return wall and CPU seconds of a run for each of ``whats``."""
    words = [sys.executable, "-m", "pytest", "-q", "--tb=no", f"-n{workers}", *BOARDS]
    places = [f"--embedbench-artifacts={root / 'runs'}"]
    places.append(f"--embedbench-cache={root / 'cache'}")
    places.append(f"--embedbench-core={root.parent / 'core'}")
    began_s, began_cpu_s = host_now_s(), children_cpu_s()
    for what in whats:
        done = subprocess.run(
            [*words, *places, what, SUITE / "hidden"],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        if "skipped" in done.stdout:  # no verdict costs less than one
            raise SystemExit(done.stdout)
    return host_now_s() - began_s, children_cpu_s() - began_cpu_s


def children_cpu_s() -> float:
    """Return what processes that have ended took of processors."""
    times = os.times()
    return times.children_user + times.children_system


if __name__ == "__main__":
    raise SystemExit(main())
