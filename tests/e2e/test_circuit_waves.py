"""A real sketch in a circuit: its waves as edges, as VCD, as text, and as pictures."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from vcd.reader import TokenKind, tokenize

from pytest_embedbench.processes.guarded import GuardedExit, run_guarded
from tests.support.diagrams import diagram_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.builders.platformio.core_setup import CoreSetup

INI = "[env:uno]\nplatform = atmelavr\nboard = uno\nframework = arduino\n"
SKETCH = """
#include <Arduino.h>
#include <SPI.h>
#include <Wire.h>
void setup() {
  pinMode(10, OUTPUT);
  digitalWrite(10, HIGH);
  SPI.begin();
  Wire.begin();
  analogWrite(9, 64);
  Serial.begin(115200);
  Serial.println("up");
}
void loop() {
  digitalWrite(10, LOW);
  SPI.transfer(0xA5);
  digitalWrite(10, HIGH);
  Wire.beginTransmission(0x3C);
  Wire.write(0x00);
  Wire.write(0xAF);
  Wire.endTransmission();
  if (Serial.read() == 'x') asm volatile("jmp 0x7000");
  delay(10);
}
"""
PARTS = {
    "uno": "wokwi-arduino-uno",
    "r1": "wokwi-resistor",
    "led1": "wokwi-led",
    "oled": "board-ssd1306",
    "mx": "wokwi-max7219-matrix",
    "btn1": "wokwi-pushbutton",
}
WIRES = (
    *("uno:9 - r1:1", "r1:2 - led1:A", "led1:C - uno:GND.1"),
    *("uno:A4 - oled:SDA", "uno:A5 - oled:SCL", "oled:VCC - uno:5V"),
    *("oled:GND - uno:GND.1", "uno:11 - mx:DIN", "uno:13 - mx:CLK", "uno:10 - mx:CS"),
    *("mx:V+ - uno:5V", "mx:GND - uno:GND.1", "uno:2 - btn1:1.l"),
    "btn1:2.l - uno:GND.1",
)
SUITE = """
from pytest_embedbench import Level


def run(circuit, bench):
    bench.wait_for_boot()
    bench.run_for(30)


def test_bits(circuit, bench):
    run(circuit, bench)
    sck, mosi = circuit.edges("uno:13"), circuit.edges("uno:11")
    selected = [it.at_ns for it in circuit.edges("uno:10") if it.level is Level.LOW]
    begins_ns, ends_ns = selected[1:3]  # it is low first while the pin is set up
    bits = ""
    for at_ns, level in sck:
        if begins_ns < at_ns < ends_ns and level is Level.HIGH:
            bits += str([it.level for it in mosi if it.at_ns < at_ns][-1].value)
    assert bits == "10100101"
    period_ns = 510 * 64 * 1000 // 16
    rises = [it.at_ns for it in circuit.edges("led1:A") if it.level is Level.HIGH]
    assert {b - a for a, b in zip(rises, rises[1:])} == {period_ns}
    falls = [it.at_ns for it in circuit.edges("led1:A") if it.level is Level.LOW]
    highs = {b - a for a, b in zip(rises, [at for at in falls if at > rises[0]])}
    assert highs == {128 * 64 * 1000 // 16}


def test_again(circuit, bench):
    run(circuit, bench)
    circuit["btn1"].hold()
    bench.run_for(1)


def test_again_the_same(circuit, bench):
    run(circuit, bench)
    circuit["btn1"].hold()
    bench.run_for(1)


def test_fails(circuit, bench):
    run(circuit, bench)
    assert circuit["led1"].brightness == 1


def test_waits(circuit, bench):
    bench.wait_for_boot()
    circuit.wait_pin("uno:9", Level.FLOATING, within_ms=20)


def test_crashes(circuit, bench):
    bench.wait_for_boot()
    bench.send("x")
    bench.run_for(100)


def test_has_closed_its_board(circuit, bench):
    run(circuit, bench)
    bench.board.close()
    assert "mine" == "its own"
"""
FAILING = ("test_fails", "test_waits", "test_crashes", "test_has_closed_its_board")


@pytest.fixture
def ran(
    seeded: CoreSetup, make_project: Callable[..., Path], tmp_path: Path
) -> tuple[str, Path]:
    """What an inner run printed, and where its tests' folders are."""
    project = make_project(
        INI,
        {
            "src/main.cpp": SKETCH,
            "diagram.json": diagram_text(PARTS, *WIRES),
            "test_waves.py": SUITE,
        },
    )
    done = run_guarded(
        [
            *(sys.executable, "-m", "pytest", "-pno:cacheprovider", "--board=uno"),
            *("-v", f"--embedbench-core={seeded.core_dir}"),
            *(f"--embedbench-cache={tmp_path / 'images'}",),
            f"--embedbench-artifacts={tmp_path / 'artifacts'}",
        ],
        cwd=project,
        timeout_s=500,
    )
    assert done.ending is GuardedExit.EXITED, done.stdout
    (folder,) = (tmp_path / "artifacts").glob("2*/test_waves.py")
    return done.stdout, folder


def bytes_of(vcd: Path) -> list[str]:
    """Decode I2C of a VCD: conditions and bytes, with their acknowledges."""
    codes: dict[str, str] = {}
    levels = {"uno_A4": "1", "uno_A5": "1"}
    seen: list[str] = []
    bits, at = "", 0
    for token in tokenize(io.BytesIO(vcd.read_bytes())):
        if token.kind is TokenKind.CHANGE_TIME:
            at = token.time_change
        elif token.kind is TokenKind.VAR:
            codes[token.var.id_code] = token.var.reference
        elif token.kind is TokenKind.CHANGE_SCALAR:
            change = token.scalar_change
            name = codes[change.id_code]
            if name not in levels or not at or levels[name] == change.value:
                continue
            levels[name] = change.value
            if name == "uno_A4" and levels["uno_A5"] == "1":
                seen.append("P" if change.value == "1" else "S")
                bits = ""
            elif name == "uno_A5" and change.value == "1":
                bits += levels["uno_A4"]
                if len(bits) == 9:
                    seen.append(f"{int(bits[:8], 2):02x}{bits[8]}")
                    bits = ""
    return seen


def test_a_sketch_leaves_its_waves(ran: tuple[str, Path]) -> None:
    printed, folder = ran
    outcomes = {
        line.split()[0].partition("::")[2].removesuffix("[uno]"): line.split()[1]
        for line in printed.splitlines()
        if line.startswith("test_waves.py::")
    }
    assert outcomes == {
        **dict.fromkeys(("test_bits", "test_again", "test_again_the_same"), "PASSED"),
        **dict.fromkeys(FAILING, "FAILED"),
    }, printed
    seen = bytes_of(folder / "test_again[uno]" / "circuit.vcd")
    assert seen[:5] == ["S", "780", "000", "af0", "P"]
    for name in ("circuit.vcd", "waves.svg", "circuit.svg"):
        one, other = (
            folder / f"{test}[uno]" / name
            for test in ("test_again", "test_again_the_same")
        )
        assert one.read_bytes() == other.read_bytes()
    waves = (folder / "test_again[uno]" / "waves.svg").read_text()
    circuit = (folder / "test_again[uno]" / "circuit.svg").read_text()
    assert "uno:13" in waves
    assert "held down" in circuit
    assert "brightness: 0.25" in circuit
    for text in (waves, circuit):
        ET.fromstring(text)
    _, _, failures = printed.partition("= FAILURES =")
    of_fails, of_waits, of_crash, of_closed = (
        failures.partition(f"_ {test}[uno] _")[2].partition("\n____")[0]
        for test in (
            "test_fails",
            "test_waits",
            "test_crashes",
            "test_has_closed_its_board",
        )
    )
    assert "- circuit -" in of_fails
    assert "\nuno:10 " in of_fails
    assert "- circuit -" not in of_waits
    assert "uno:9 did not become FLOATING within 20 ms" in of_waits
    assert "E       waves, 0.5 ms a column" in of_waits
    assert "FirmwareCrash" in of_crash or "firmware" in of_crash
    assert "mine" in of_closed
    assert "BoardLost" not in of_closed
    assert " errors" not in printed
    assert " error in" not in printed
