"""What circuits cost: boards of the engine simavr with parts around them, and without.

Each firmware runs for SIMULATED_S in its circuit and alone, ROUNDS times in turns, with
waits of the Arduino core leapt over and not. Shown are simulated seconds per CPU second
of the simulator's process, and what share of the lonely board's speed the one in the
circuit keeps: the median of the rounds. So that the same bytes move, somebody on the
lonely board's I2C acknowledges, and does nothing else; and so that it waits as long for
echoes, its pin is driven as the sensor drove it.

    python benchmarks/bench_circuits.py [ROUNDS [FIRMWARE...]]
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench import FirmwareSource, HasPins, Rig
from pytest_embedbench.engines.simavr.avr_program import read_program
from pytest_embedbench.engines.simavr.core.mcus import MCUS
from pytest_embedbench.processes import cpu_used_s

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_embedbench import BoardSpec, FirmwareImage, PinEvent

SKETCHES = Path(__file__).with_name("circuit_sketches.cpp")
SIMULATED_S = 4
ECHO_PIN = "D6"
INI = """
[platformio]
default_envs = BLINK
[env]
platform = atmelavr
board = uno
framework = arduino
"""
ACKNOWLEDGED = """
import sys, time
from pytest_embedbench.engines.simavr.core import avr_in_child, main
class Acknowledges:
    def begin(self, at_ticks, *, reads): return True
    def write(self, at_ticks, byte): return True
    def end(self, at_ticks): pass
machine = main.AvrMachine("libsimavr.so.2", sys.argv[1], 16_000_000, 5_000)
board = avr_in_child.AvrInChild(machine, [(0, 115200, False)])
board.twi.connect({0x3C: Acknowledges()})
if sys.argv[4] == "True":
    main.DelayLoop(machine)
    board.twi.poll = main.RamPoll(machine)
machine.load(eval(sys.argv[2]))
machine.run_until(1_600_000)
begun_s = time.process_time()
for step in range(int(sys.argv[3]) * 10):
    machine.run_until((step + 2) * 1_600_000)
print(time.process_time() - begun_s)
"""


class Case(NamedTuple):
    """A firmware's circuit: a part, its wires (``pin - part:pin``), and the bars."""

    part: str
    wires: tuple[str, ...]
    speed: float
    kept: float
    attrs: Mapping[str, str] = MappingProxyType({})


SEGMENTS = ("2 - p:A", "3 - p:B", "4 - p:C", "5 - p:D", "7 - p:E", "8 - p:F", "9 - p:G")
DIGITS = ("10 - p:DIG1", "11 - p:DIG2", "12 - p:DIG3", "13 - p:DIG4")
SPI = ("11 - p:DIN", "13 - p:CLK", "10 - p:CS")
I2C = ("A4 - p:SDA", "A5 - p:SCL")
CASES = {
    "BLINK": Case("wokwi-led", ("13 - p:A", "GND.1 - p:C"), 40, 0.85),
    "SERVO": Case("wokwi-servo", ("9 - p:PWM",), 35, 0.85),
    "ECHO": Case(
        "wokwi-hc-sr04", ("7 - p:TRIG", "6 - p:ECHO"), 25, 0.75, {"distance": "100"}
    ),
    "DIGITS": Case("wokwi-7segment", (*SEGMENTS, *DIGITS), 15, 0.85, {"digits": "4"}),
    "PIXELS": Case("wokwi-led-ring", ("8 - p:DIN",), 20, 0.75, {"pixels": "16"}),
    "FRAMES": Case("board-ssd1306", I2C, 10, 0.75),
    "I2C": Case("board-ssd1306", I2C, 10, 0.75),
    "BYTES": Case("wokwi-max7219-matrix", SPI, 1, 0.85),
}


def main() -> int:
    """Print a row per firmware and way; exit 1 if one keeps less than it should."""
    round_count = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    rig = Rig()
    spec = rig.registry.board("uno")
    print(
        f"{'firmware':<9} {'leaps':<5} {'alone':>7} {'circuit':>7} {'kept':>5}   bars"
    )
    missed = False
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        project(root)
        for name, case in CASES.items():
            if sys.argv[2:] and name not in sys.argv[2:]:
                continue
            source = FirmwareSource(project_dir=root, environment=name)
            image = rig.image(source)
            file = root / f"{name}.json"
            file.write_text(diagram(case))
            driven = echoes(rig, spec, image, file) if name == "ECHO" else []
            for leaps in (True, False):
                options = {**spec.options, "skip_delays": leaps}
                alone = replace(spec, options=options)
                wired = replace(spec, options={**options, "diagram": str(file)})
                pairs = [
                    (
                        acknowledged_s(image, leaps=leaps)
                        if case.wires is I2C
                        else used_s(rig, alone, image, driven),
                        used_s(rig, wired, image),
                    )
                    for _ in range(round_count)
                ]
                kept = statistics.median(one / other for one, other in pairs)
                alone_x, wired_x = (
                    SIMULATED_S / statistics.median(each)
                    for each in zip(*pairs, strict=True)
                )
                bar = 0.9 if leaps else case.kept
                row = (
                    f"{name:<9} {leaps!s:<5} {alone_x:7.1f} {wired_x:7.1f} {kept:4.2f}"
                )
                print(f"{row}   {case.speed:g}x, {bar:.0%}", flush=True)
                missed |= kept < bar
    return int(missed)


def diagram(case: Case) -> str:
    """Return the circuit's drawing."""
    parts = [
        {"id": "uno", "type": "wokwi-arduino-uno"},
        {"id": "p", "type": case.part, "attrs": dict(case.attrs)},
    ]
    wires = [wire.split(" - ") for wire in case.wires]
    return json.dumps(
        {
            "version": 1,
            "parts": parts,
            "connections": [[f"uno:{pin}", end, "", []] for pin, end in wires],
        }
    )


def project(folder: Path) -> None:
    """Make a PlatformIO project with an environment for each firmware."""
    (folder / "src").mkdir()
    (folder / "src" / "main.cpp").write_text(SKETCHES.read_text())
    sections = [f"[env:{name}]\nbuild_flags = -DSKETCH={name}\n" for name in CASES]
    (folder / "platformio.ini").write_text(INI + "".join(sections))


def echoes(
    rig: Rig, spec: BoardSpec, image: FirmwareImage, diagram: Path
) -> list[PinEvent]:
    """Return what the sensor does at the pin of its echo."""
    wired = replace(spec, options={**spec.options, "diagram": str(diagram)})
    with rig.boot(wired, image) as board:
        assert isinstance(board, HasPins)
        board.advance(100 + SIMULATED_S * 1000)
        return [event for event in board.pin_trace().events if event.pin == ECHO_PIN]


def used_s(
    rig: Rig, spec: BoardSpec, image: FirmwareImage, driven: Sequence[PinEvent] = ()
) -> float:
    """Return the CPU seconds of a board's process, without those of its start."""
    with rig.boot(spec, image) as board:
        pid = board.child_pid  # type: ignore[attr-defined]
        for at_us, pin, level in driven:
            board.drive_pin(pin, level, at_us=at_us)  # type: ignore[attr-defined]
        board.advance(100)
        begun_s = cpu_used_s(pid) or 0.0
        for _ in range(SIMULATED_S * 10):
            board.advance(100)
        return max(0.01, (cpu_used_s(pid) or 0.0) - begun_s)


def acknowledged_s(image: FirmwareImage, *, leaps: bool) -> float:
    """Return the CPU seconds of a bare engine with somebody who acknowledges."""
    program = read_program(image.elf_path, "atmega328p", MCUS["atmega328p"])
    facts = ["atmega328p", repr(list(program.segments)), str(SIMULATED_S), str(leaps)]
    argv = [sys.executable, "-c", ACKNOWLEDGED, *facts]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    return max(0.01, float(done.stdout))


if __name__ == "__main__":
    sys.exit(main())
