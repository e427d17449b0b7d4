"""What boards cost whose UARTs are joined, and whether equal runs give equal bytes.

Two boards run the same firmware: whoever hears ``N 41`` says ``N 42``, up to LINES.
Shown are simulated seconds, seconds of this machine for each of them, and in how many
of ROUNDS runs both transcripts were those of the first, byte by byte. Each run is a
process of its own with a hash seed of its own.

    python benchmarks/bench_two_boards.py [LINES [ROUNDS [PAIR...]]]

A pair is two boards, as ``uno+native``; ``embedbench setup`` sets up what they need.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

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


def main() -> int:
    """Print a row per pair; exit 1 if one of its runs was unlike the first."""
    lines = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3  # noqa: PLR2004
    print(f"{'boards':<24} {'lines':>6} {'simulated s':>12} {'s per s':>8}  equal")
    differ = False
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        (project / "src").mkdir()
        (project / "src" / "main.c").write_text(f"#define LINES {lines}\n{COUNTS}")
        (project / "platformio.ini").write_text(INI)
        for pair in sys.argv[3:] or PAIRS:
            seen = [
                by_itself(seed, project, pair.split("+"), lines)
                for seed in range(1, rounds + 1)
            ]
            simulated_s = seen[0][1]
            host_s = sum(host_s for _, _, host_s in seen) / rounds / simulated_s
            equal = sum(digest == seen[0][0] for digest, _, _ in seen)
            differ |= equal < rounds
            row = f"{pair:<24} {lines:6} {simulated_s:12.3f} {host_s:8.2f}"
            print(f"{row}  {equal} of {rounds}", flush=True)
    return int(differ)


def by_itself(
    seed: int, project: Path, names: Sequence[str], lines: int
) -> tuple[str, float, float]:
    """Return what ``exchange`` does, in a process that begins with a hash seed."""
    os.environ["PYTHONHASHSEED"] = str(seed)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as processes:
        return processes.submit(exchange, project, names, lines).result()


def exchange(
    project: Path, names: Sequence[str], lines: int
) -> tuple[str, float, float]:
    """Return a digest of both transcripts, simulated seconds, and those of the host."""
    rig = Rig()
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
    return digest, simulated_s, host_s


if __name__ == "__main__":
    sys.exit(main())
