"""What boards cost whose UARTs are joined, and whether equal runs give equal bytes.

Two boards run the same firmware: whoever hears ``N 41`` says ``N 42``, up to LINES.
Shown are simulated seconds, seconds of this machine and of its processors for each of
them, and in how many of ROUNDS runs both transcripts were those of the first, byte by
byte. Each run is a process of its own with a hash seed of its own; with several JOBS
at once the seconds of this machine say little.

    python benchmarks/bench_two_boards.py [--jobs=JOBS] [LINES [ROUNDS [PAIR...]]]

A pair is two boards, as ``uno+native``; ``embedbench setup`` sets up what they need.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest_embedbench
from pytest_embedbench import Rig, connect_uarts
from pytest_embedbench.bench.bench import Bench

if TYPE_CHECKING:
    from collections.abc import Sequence

FIRMWARE = Path(pytest_embedbench.__file__).parent / "firmware"
PAIRS = ("uno+uno", "uno+native", "qemu-stm32f405+uno")
INI = f"""
[platformio]
extra_configs = {FIRMWARE}/boards.ini
[env]
lib_extra_dirs = {FIRMWARE}
"""
COUNTS = """
#include "embedbench_port.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void say(const char *text)
{
    port_uart_write((const uint8_t *)text, strlen(text));
}

void firmware_main(void)
{
    char line[24];
    size_t used = 0;

    say("READY\\n");
    for (;;) {
        uint8_t byte;

        if (port_uart_read(&byte, 1, 1000) != 1) {
            continue;
        }
        if (byte != '\\n') {
            line[used < sizeof line - 1 ? used++ : used] = (char)byte;
            continue;
        }
        line[used] = '\\0';
        used = 0;
        if (strncmp(line, "N ", 2) == 0 && atol(line + 2) < LINES) {
            snprintf(line, sizeof line, "N %ld\\n", atol(line + 2) + 1);
            say(line);
        }
    }
}
"""


class Exchange(NamedTuple):
    """A digest of both transcripts, and what the exchange of lines has cost."""

    digest: str
    simulated_s: float
    host_s: float
    cpu_s: float


def main() -> int:
    """Print a row per pair; exit 1 if one of its runs was unlike the first."""
    parser = argparse.ArgumentParser()
    parser.add_argument("lines", type=int, nargs="?", default=1_000)
    parser.add_argument("rounds", type=int, nargs="?", default=3)
    parser.add_argument("pairs", nargs="*", default=PAIRS)
    parser.add_argument("--jobs", type=int, default=1)
    asked = parser.parse_args()
    os.environ.pop("PYTHONHASHSEED", None)
    heads = f"{'simulated s':>12} {'per s: host s':>14} {'CPU s':>6}"
    print(f"{'boards':<24} {'lines':>6} {heads}  equal")
    differ = False
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        (project / "src").mkdir()
        source = f"#define LINES {asked.lines}\n{COUNTS}"
        (project / "src" / "main.c").write_text(source)
        (project / "platformio.ini").write_text(INI)
        for pair in asked.pairs:
            exchange(project, pair.split("+"), 1)  # builds
            seen = in_processes(asked.jobs, asked.rounds, project, pair, asked.lines)
            simulated_s = seen[0].simulated_s
            host_s = sum(each.host_s for each in seen) / asked.rounds / simulated_s
            cpu_s = sum(each.cpu_s for each in seen) / asked.rounds / simulated_s
            equal = sum(each.digest == seen[0].digest for each in seen)
            differ |= equal < asked.rounds
            row = f"{pair:<24} {asked.lines:6} {simulated_s:12.3f} {host_s:14.2f}"
            print(f"{row} {cpu_s:6.2f}  {equal} of {asked.rounds}", flush=True)
    return int(differ)


def in_processes(
    jobs: int, rounds: int, project: Path, pair: str, lines: int
) -> list[Exchange]:
    """Return what ``exchange`` does, each time in a new process."""
    with ProcessPoolExecutor(
        jobs, mp_context=get_context("spawn"), max_tasks_per_child=1
    ) as processes:
        runs = [
            processes.submit(exchange, project, pair.split("+"), lines)
            for _ in range(rounds)
        ]
        return [run.result() for run in runs]


def exchange(project: Path, names: Sequence[str], lines: int) -> Exchange:
    """Let two boards count up to ``lines``; the firmware knows the highest number."""
    rig, before = Rig(), os.times()
    with ExitStack() as opened:
        benches: list[Bench] = []
        for name in names:
            spec = rig.registry.board(name)
            image = rig.image(rig.source(project, spec))
            folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
            board = opened.enter_context(rig.boot(spec, image))
            benches.append(Bench(board, folder, plots=False))
            opened.callback(benches[-1].close)
            benches[-1].expect("^READY$", within_ms=1000)
        left, right = benches
        connect_uarts(left.uart, right.uart)
        before_us, begun_s = left.uart.now_us, time.perf_counter()
        left.send("N 0")
        last = left if lines % 2 else right
        last.expect(f"^N {lines}$", within_ms=20 * lines)
        left.run_for(100)
        host_s = time.perf_counter() - begun_s
        simulated_s = (left.uart.now_us - before_us) / 1e6
        for bench in benches:
            bench.transcript.flush()
        texts = [bench.transcript_path.read_bytes() for bench in benches]
        digest = hashlib.sha256(b"\0".join(texts)).hexdigest()
    cpu_s = sum(os.times()[:4]) - sum(before[:4])  # with boots and reaped children
    return Exchange(digest, simulated_s, host_s, cpu_s)


if __name__ == "__main__":
    sys.exit(main())
