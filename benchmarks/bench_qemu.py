"""How fast QEMU boards are in lockstep, and what they cost.

*idle* is firmware that sleeps between ticks, *tank* the same with a frame every 100 ms,
*busy* firmware that never sleeps, *two* idle on two boards at once, each; all in
simulated seconds per wall second, medians of ROUNDS. *cpu* is idle per CPU second of
QEMU and bench together, which another load disturbs less. *boot* is from the start of
QEMU to the firmware's first tick, *stop* the wall time of one stop in the debugger,
*memory* what one QEMU holds (PSS). Below, the tank's happy path in lockstep, and in
wall-clock time as the published evaluator runs it: 150 ms of host time for each step of
the plant.

    python benchmarks/bench_qemu.py [--rounds N] [--burners N] [--idf BUILD_DIR]...
        [BOARD]...

``--idf`` adds rows for ESP-IDF build folders (those with a ``flasher_args.json``),
``--burners`` has so many other processes use all the CPU time that they can get.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench import FirmwareImage, FirmwareSource, Rig
from pytest_embedbench.engines.qemu import QemuBoard
from pytest_embedbench.grading.checks import find_suite
from pytest_embedbench.processes import spawn, stop

if TYPE_CHECKING:
    from collections.abc import Generator

ROOT = Path(__file__).parents[1]
SUITE = ROOT / "example_suites" / "tank_fill_drain"
BOARDS = ROOT / "pytest_embedbench" / "firmware" / "boards.ini"
SHOWN = ("qemu-stm32f405", "qemu-esp32", "qemu-esp32c3")
STOPS_PER_TICK = 2
TICK_MS = 10
STEP_MS = 150
IDLE_MS = 8_000
FULL = 80
BUSY = """
#include "embedbench_port.h"
void firmware_main(void)
{
    static const char up[] = "up\\n";
    uint8_t byte;
    port_uart_write((const uint8_t *)up, sizeof up - 1);
    for (;;) port_uart_read(&byte, 1, 0);
}
"""


@dataclass(frozen=True, slots=True)
class Load:
    """A firmware on a board, picklable: it is measured in other processes too."""

    board: str
    image: FirmwareImage

    @contextmanager
    def boot(self, **options: int | bool) -> Generator[QemuBoard]:
        """Have it running."""
        rig = Rig()
        spec = rig.registry.board(self.board)
        spec = replace(spec, options={**spec.options, **options})
        with rig.boot(spec, self.image) as board:
            assert isinstance(board, QemuBoard)
            yield board


def main() -> int:
    """Print a row per board and per IDF build."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--idf", type=Path, action="append", default=[])
    parser.add_argument("--burners", type=int, default=0)
    parser.add_argument("boards", nargs="*", default=SHOWN)
    arguments = parser.parse_args()
    here = [name for name in arguments.boards if installed(name)]
    with burning(arguments.burners):
        tables(here, arguments.rounds, arguments.idf)
    return 0


@contextmanager
def burning(count: int) -> Generator[None]:
    """Have ``count`` processes of their own sessions spin meanwhile."""
    spin = [sys.executable, "-c", "while True: pass"]
    # In sessions of their own, as another user's would be; they die with us.
    burners = [spawn(spin) for _ in range(count)]
    try:
        yield
    finally:
        for burner in burners:
            stop(burner, grace_s=0)


def tables(here: list[str], rounds: int, idf: list[Path]) -> None:
    """Print both tables."""
    print(f"load average before: {os.getloadavg()[0]:.1f}")
    print(
        f"{'':<18} {'boot s':>7} {'idle x':>7} {'cpu x':>7} {'tank x':>7} "
        f"{'busy x':>7} {'two x':>12} {'stop us':>8} {'memory MB':>10}"
    )
    loads = [Load(name, tank_image(name)) for name in here]
    for load in loads:
        print(row(load, Load(load.board, busy_image(load.board)), rounds))
    for folder in idf:
        load = idf_load(folder)
        if installed(load.board):
            print(row(load, None, rounds, label=f"IDF {load.board[5:]}"))
    print(f"\n{'tank, happy path':<18} {'lockstep s':>10} {'wall-clock s':>13}")
    for load in loads:
        exact_s = statistics.median(
            happy_path_s(load, lockstep=True) for _ in range(rounds)
        )
        real_s = happy_path_s(load, lockstep=False)
        print(f"{load.board:<18} {exact_s:10.2f} {real_s:13.2f}")


def row(load: Load, busy: Load | None, rounds: int, label: str = "") -> str:
    """Measure one row."""
    boots, idles, cpus, tanks, busies = [], [], [], [], []
    memory_mb = 0.0
    for _ in range(rounds):
        started_s = time.perf_counter()
        with load.boot() as board:
            boots.append(time.perf_counter() - started_s)
            before_s = cpu_s(board)
            idles.append(speed(board, IDLE_MS))
            cpus.append(IDLE_MS / 1000 / (cpu_s(board) - before_s))
            if busy is not None:
                tanks.append(speed(board, 5_000, frame=b"SENSE LEVEL 50\n"))
            memory_mb = pss_mb(board.pid)
        if busy is not None:
            with busy.boot() as board:
                busies.append(speed(board, 1_000))
    with ProcessPoolExecutor(2) as pool:
        two = sorted(pool.map(idle_speed, [load, load]))
    idle = statistics.median(idles)
    stop_us = TICK_MS * 1000 / idle / STOPS_PER_TICK
    return (
        f"{label or load.board:<18} {statistics.median(boots):7.2f} {idle:7.1f} "
        f"{median(cpus):7.1f} {median(tanks):7.1f} {median(busies):7.1f} "
        f"{two[0]:5.1f} {two[1]:6.1f} {stop_us:8.0f} {memory_mb:10.0f}"
    )


def median(figures: list[float]) -> float:
    """Return the median; of nothing, no number."""
    return statistics.median(figures) if figures else float("nan")


def idle_speed(load: Load) -> float:
    """Return the speed of an idle board; for a process of its own."""
    with load.boot() as board:
        return speed(board, IDLE_MS)


def cpu_s(board: QemuBoard) -> float:
    """Return the CPU seconds that an emulator and we have used, to the microsecond."""
    threads = Path(f"/proc/{board.pid}/task").glob("*/schedstat")
    theirs_ns = sum(int(thread.read_text().split()[0]) for thread in threads)
    return theirs_ns / 1e9 + time.process_time()


def speed(board: QemuBoard, duration_ms: int, frame: bytes = b"") -> float:
    """Return simulated seconds per wall second."""
    started_s = time.perf_counter()
    for _ in range(duration_ms // 100):
        if frame:
            board.link().send(frame)
        board.advance(100)
        board.link().receive()
    return duration_ms / 1000 / (time.perf_counter() - started_s)


def happy_path_s(load: Load, *, lockstep: bool) -> float:
    """Return the wall time of the scenario, start and boot included."""
    plant = Rig().registry.plant("tank_fill_drain", level=20)
    state = plant.initial()
    started_s = time.perf_counter()
    with load.boot(lockstep=lockstep) as board:
        heard = b""
        while b"DBG BOOTED" not in heard:
            board.advance(10)
            heard += b"".join(chunk.data for chunk in board.link().receive())
        while state.level <= FULL or state.pump_on:  # until it is full and knows
            for line in plant.sense(state):
                board.link().send(line.encode() + b"\n")
            board.advance(STEP_MS)
            said = b"".join(chunk.data for chunk in board.link().receive())
            for line in said.decode().splitlines():
                state = plant.actuate(state, line)
            state = plant.step(state)
        return time.perf_counter() - started_s


def installed(name: str) -> bool:
    """Say whether a board can run here; if not, why."""
    registry = Rig().registry
    missing = registry.engine(registry.board(name).engine).missing()
    if missing is not None:
        print(f"{name}: {missing}", file=sys.stderr)
    return missing is None


def tank_image(board: str) -> FirmwareImage:
    """Return the tank's reference firmware."""
    return built(board, find_suite(SUITE / "hidden" / "x").source("solution", SUITE))


def busy_image(board: str) -> FirmwareImage:
    """Return a firmware that never sleeps."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        (project / "src").mkdir()
        (project / "src" / "main.c").write_text(BUSY)
        (project / "platformio.ini").write_text(BOARDS.read_text())
        return built(board, FirmwareSource(project_dir=project))


def built(board: str, source: FirmwareSource) -> FirmwareImage:
    """Return an image from the cache, or build it."""
    rig = Rig()
    return rig.image(rig.for_board(source, rig.registry.board(board)))


def idf_load(folder: Path) -> Load:
    """Return what ESP-IDF has built in ``folder``."""
    about = json.loads((folder / "flasher_args.json").read_text())
    application = folder / about["app"]["file"]
    files = {
        offset: folder / name
        for offset, name in about["flash_files"].items()
        if name != about["app"]["file"]
    }
    image = FirmwareImage(
        environment="idf",
        elf_path=application.with_suffix(".elf"),
        sha256="",
        key="",
        artifacts={path.name: path for path in (*files.values(), application)},
        metadata={
            "application_offset": about["app"]["offset"],
            "flash_images": " ".join(f"{at}={file.name}" for at, file in files.items()),
        },
    )
    return Load(f"qemu-{about['extra_esptool_args']['chip']}", image)


def pss_mb(pid: int) -> float:
    """Return a process's share of memory."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    found = re.search(r"^Pss: +(\d+) kB", rollup, re.MULTILINE)
    return int(found[1]) / 1024 if found else float("nan")


if __name__ == "__main__":
    sys.exit(main())
