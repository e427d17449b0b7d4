"""How much faster a board of the engine simavr is than bare libsimavr.

Both run the same Arduino firmware for SIMULATED_S; the board has all that it models on
top: timers, pins, UART. *Bare* has the core alone, stopped at each simulated second.
Shown are simulated seconds per CPU second of the process that simavr is in, ROUNDS
pairs one after the other, and the median of their ratios.

    python benchmarks/bench_avr.py [ROUNDS]
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench import FirmwareSource, Rig
from pytest_embedbench.engines.simavr.avr_program import read_program
from pytest_embedbench.engines.simavr.core.mcus import MCUS
from pytest_embedbench.processes import cpu_used_s

if TYPE_CHECKING:
    from pytest_embedbench import BoardSpec, FirmwareImage

SKETCHES = Path(__file__).with_name("avr_sketches.cpp")
TARGETS = {"BLINK": 4.0, "SERVO": 3.0, "ECHO": 3.0, "PIXELS": 2.5, "LCD": 15.0}
SIMULATED_S = 10
INI = """
[platformio]
default_envs = BLINK
[env]
platform = atmelavr
board = uno
framework = arduino
"""
BARE = """
import sys, time
from pytest_embedbench.engines.simavr.core.machine import AvrMachine
machine = AvrMachine("libsimavr.so.2", sys.argv[1], 16_000_000, 5_000)
machine.load(eval(sys.argv[2]))
begun_s = time.process_time()
for second in range(int(sys.argv[3])):
    machine.run_until((second + 1) * 16_000_000)
print(time.process_time() - begun_s)
"""


def main() -> int:
    """Print a row per sketch; exit 1 if one is not as much faster as it should be."""
    round_count = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    rig = Rig()
    spec = rig.registry.board("uno")
    print(f"{'sketch':<8} {'bare':>7} {'board':>7} {'ratio':>6}   simulated s / CPU s")
    missed = False
    with tempfile.TemporaryDirectory() as folder:
        project(Path(folder))
        for name, target in TARGETS.items():
            source = FirmwareSource(project_dir=Path(folder), environment=name)
            image = rig.image(source)
            pairs = [
                (bare_s(spec, image), board_s(rig, spec, image))
                for _ in range(round_count)
            ]
            ratio = statistics.median(bare / board for bare, board in pairs)
            bare = SIMULATED_S / statistics.median(bare for bare, _ in pairs)
            board = SIMULATED_S / statistics.median(board for _, board in pairs)
            row = f"{name:<8} {bare:7.1f} {board:7.1f} {ratio:6.1f}"
            print(f"{row}   (target {target})", flush=True)
            missed |= ratio < target
    return int(missed)


def project(folder: Path) -> None:
    """Make a PlatformIO project with an environment for each sketch."""
    (folder / "src").mkdir()
    (folder / "src" / "main.cpp").write_text(SKETCHES.read_text())
    sections = [f"[env:{name}]\nbuild_flags = -DSKETCH={name}\n" for name in TARGETS]
    (folder / "platformio.ini").write_text(INI + "".join(sections))


def bare_s(spec: BoardSpec, image: FirmwareImage) -> float:
    """Return the CPU seconds of the core alone."""
    program = read_program(image.elf_path, spec.mcu, MCUS[spec.mcu])
    argv = [sys.executable, "-c", BARE, spec.mcu, repr(list(program.segments))]
    argv.append(str(SIMULATED_S))
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    return float(done.stdout)


def board_s(rig: Rig, spec: BoardSpec, image: FirmwareImage) -> float:
    """Return the CPU seconds of a board's process for the same time."""
    with rig.boot(spec, image) as board:
        pid = board.child_pid  # type: ignore[attr-defined]
        begun_s = cpu_used_s(pid) or 0.0
        for _ in range(SIMULATED_S):
            board.advance(1000)
        return max(0.01, (cpu_used_s(pid) or 0.0) - begun_s)


if __name__ == "__main__":
    sys.exit(main())
