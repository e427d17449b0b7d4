"""Seconds per case of ESR by outcome, in a run that is interrupted and goes on.

Cases are the answers that come with ``example_suites/esr``, over and over, each by a
model of its own number. A first run fills the cache of images, and is not shown unless
``--cold`` says so; the second one is interrupted by Ctrl-C half-way, and goes on.

    python benchmarks/bench_esr.py [CASES [WORKERS]] [--cold]
"""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from pytest_embedbench.builders.platformio import PlatformIO
from pytest_embedbench.clock import host_now_s

SUITE = Path(__file__).parents[1] / "example_suites" / "esr"
AIMS_S = {"strict": 1.0, "permissive-confirmed": 6.0}


def main() -> int:
    """Print a row for each outcome; exit 1 if a median misses its aim."""
    words = [word for word in sys.argv[1:] if word != "--cold"]
    count = int(words[0]) if words else 100
    workers = int(words[1]) if len(words) > 1 else 2
    with tempfile.TemporaryDirectory(prefix="embedbench-bench-") as scratch:
        root = Path(scratch)
        PlatformIO(core_dir=root / "core").set_up()
        write_answers(root / "answers.jsonl", count)
        if "--cold" not in sys.argv:
            run(root, workers, root / "warm")
        began_s = host_now_s()
        first = run(root, workers, root / "runs", stop_after=count // 2)
        last = run(root, workers, root / "runs", "--embedbench-resume=latest")
        took_s = host_now_s() - began_s
        table = json.loads((root / "runs" / "latest" / "esr.json").read_text())
    print(f"{count} cases, {workers} workers: {took_s:.0f} s, with one interruption")
    print(f"cases told before it: {first}, after it: {last}")
    return int(show(table["cases"]))


def write_answers(file: Path, count: int) -> None:
    """Write as many answers as are wanted, of those that are shipped, in turn."""
    sets = [each.read_text().splitlines() for each in sorted(SUITE.glob("*.jsonl"))]
    shipped = [json.loads(line) for turn in zip(*sets, strict=True) for line in turn]
    with file.open("w") as lines:
        for number, answer in enumerate(islice(cycle(shipped), count)):
            turn = number // len(shipped)
            answer["name"] = f"{answer['model']}-{answer['case']}-{turn}"
            lines.write(json.dumps(answer) + "\n")


def run(
    root: Path, workers: int, artifacts: Path, *words: str, stop_after: int = 0
) -> int:
    """Run the suite on all answers; return how many cases were told meanwhile."""
    told = 0
    running = subprocess.Popen(
        [
            *(sys.executable, "-m", "pytest", "--tb=no", f"-n{workers}"),
            *("--board=uno", f"--embedbench-answers={root / 'answers.jsonl'}"),
            f"--embedbench-artifacts={artifacts}",
            f"--embedbench-cache={root / 'cache'}",
            *("-p", "no:cacheprovider", *words, str(SUITE)),
        ],
        env={**os.environ, "PLATFORMIO_CORE_DIR": str(root / "core")},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert running.stdout is not None
    for line in running.stdout:
        told += line.startswith("embedbench esr: ") and " (" in line
        if stop_after and told == stop_after:
            running.send_signal(signal.SIGINT)
            stop_after = 0
    running.wait()
    return told


def show(cases: list[dict[str, Any]]) -> bool:
    """Print medians by outcome; say whether one misses its aim."""
    by_outcome: dict[str, list[float]] = {}
    tried: dict[str, list[int]] = {}
    for case in cases:
        by_outcome.setdefault(case["outcome"], []).append(case["seconds"])
        tried.setdefault(case["outcome"], []).append(case["candidates_tried"])
    misses = False
    print("outcome                cases  median s   most s  candidates      aim s")
    for outcome, seconds in sorted(by_outcome.items()):
        median_s, aim_s = statistics.median(seconds), AIMS_S.get(outcome)
        misses |= aim_s is not None and median_s > aim_s
        print(
            f"{outcome:<22} {len(seconds):>5} {median_s:>9.2f} {max(seconds):>8.2f} "
            f"{statistics.median(tried[outcome]):>11.0f} {aim_s or '':>10}"
        )
    return misses


if __name__ == "__main__":
    sys.exit(main())
