"""A case of ESR through avrdude to an Uno behind a pty, on a Pi, at a server, and here.

Nothing is seen of the real board's pins, and none of it is wired otherwise: the pin
that a sketch has wrong is found in its source, and each correction is flashed.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.evaluator import skip_without_engine
from tests.e2e.test_tank_on_a_desk import LAB
from tests.support import ssh_server as ssh
from tests.support.diagrams import diagram_text
from tests.support.pty_uno import missing, pty_uno
from tests.support.wokwi_talk import TOKEN, wokwi_server

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.builders.platformio.core_setup import CoreSetup

INI = "[env:uno]\nplatform = atmelavr\nboard = uno\nframework = arduino\n"
# Pin 4 has a pull-up of its own, and the wired one a wire to ground.
SKETCH = """\
const int gatePin = 4;

void setup() {
  Serial.begin(115200);
  pinMode(gatePin, INPUT_PULLUP);
}

void loop() {
  Serial.println(digitalRead(gatePin) ? "open" : "shut");
  delay(20);
}
"""
CHECK = """\
import pytest


@pytest.mark.esr
def test_the_gate_is_shut(bench):
    bench.expect("^shut$", within_ms=1500)
"""
FOUND = ("permissive-confirmed", ["gatePin 4 -> 7 (src/main.ino:1)"])
WIRED = (
    {"uno": "wokwi-arduino-uno", "gate": "wokwi-slide-switch"},
    ("uno:7 - gate:2", "gate:1 - uno:GND.1"),
)

PROGRAM = """\
from time import sleep
from gpiozero import LED
lamp = LED(22)
while True:
    lamp.on()
    sleep(0.05)
"""
# Says on the console what a wire would be at.
GPIOZERO = """\
class LED:
    def __init__(self, pin):
        self.pin = pin
    def on(self):
        print(f"GPIO{self.pin} on", flush=True)
"""
PI = """\
[boards.pi-1]
board = "raspberry-pi"
port = "ssh://bench"
login = {{ ssh_config = "{config}" }}
program = {{ folder = "{folder}" }}
"""
LIT = CHECK.replace("the_gate_is_shut", "it_is_lit").replace("^shut$", "^GPIO17 on$")


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A case with a pin that is wrong, for a board on a desk and one in a circuit."""
    folder = tmp_path / "gate"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "main.ino").write_text(SKETCH)
    (folder / "platformio.ini").write_text(INI)
    (folder / "diagram.json").write_text(diagram_text(WIRED[0], *WIRED[1]))
    (folder / "test_gate.py").write_text(CHECK)
    return folder


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where images are kept: each is built once, whatever board it is for."""
    return tmp_path_factory.mktemp("cache")


def run(
    suite: Path, cache: Path, core_dir: Path, *words: str, **variables: str
) -> list[dict[str, Any]]:
    """Return what the cases come to."""
    artifacts = suite.parent / "artifacts"
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-n0"),
            f"--embedbench-artifacts={artifacts}",
            *words,
        ],
        cwd=suite,
        env={
            **os.environ,
            "PLATFORMIO_CORE_DIR": str(core_dir),
            "EMBEDBENCH_CACHE": str(cache),
            "EMBEDBENCH_LOCKS": str(suite.parent / "locks"),
            **variables,
        },
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    table = json.loads((artifacts / "latest" / "esr.json").read_text())
    cases: list[dict[str, Any]] = table["cases"]
    count = len(cases)
    last = f"(E_str 0/{count}, E_per {count}/{count})"
    assert done.stdout.rstrip().endswith(last), done.stdout
    return cases


def hows(case: dict[str, Any]) -> list[str]:
    return [each["how"] for each in case["evidence"]]


@pytest.mark.timeout(300)
def test_a_wrong_pin_is_found_in_a_circuit_and_at_a_server(
    suite: Path, seeded: CoreSetup, cache: Path
) -> None:
    skip_without_engine("uno")
    (suite / "test_gate.py").write_text(CHECK.replace("(bench)", "(circuit, bench)"))
    far = "--embedbench-option=wokwi.backend=cloud"
    boards = ("--board=uno", "--board=wokwi-uno")
    with wokwi_server() as server:
        known = {"WOKWI_CLI_SERVER": server.url, "WOKWI_CLI_TOKEN": TOKEN}
        cases = run(suite, cache, seeded.core_dir, *boards, far, **known)
    assert [case["board"] for case in cases] == ["uno", "wokwi-uno"]
    for case in cases:
        assert (case["outcome"], case["corrections"]) == FOUND
        assert hows(case) == ["strict", "rewired", "source"]


@pytest.mark.host_time
@pytest.mark.timeout(300)
def test_a_wrong_pin_is_found_on_a_real_board_too(
    suite: Path, seeded: CoreSetup, cache: Path
) -> None:
    if reason := missing():
        pytest.skip(reason)
    if shutil.which("avrdude") is None:
        pytest.skip("no avrdude: apt-get install avrdude")
    (suite / "test_gate.py").write_text(CHECK)
    with pty_uno(suite.parent, low="D7") as uno:
        lab = suite.parent / "embedbench.toml"
        lab.write_text(LAB.format(port=uno.port, button=uno.button, method="avrdude"))
        words = ("--board=desk", f"--embedbench-lab={lab}")
        (real,) = run(suite, cache, seeded.core_dir, *words)
    assert (real["outcome"], real["corrections"]) == FOUND
    assert hows(real) == ["strict", "source"]


@pytest.mark.host_time
@pytest.mark.timeout(300)
def test_a_program_of_a_pi_is_corrected_and_started_again(
    tmp_path: Path, cache: Path
) -> None:
    if reason := ssh.missing():
        pytest.skip(reason)
    suite = tmp_path / "lamp"
    for folder in (suite, tmp_path / "ssh", tmp_path / "programs"):
        folder.mkdir()
    wired = {"pi": "embedbench-raspberry-pi", "lamp": "wokwi-led"}
    drawn = diagram_text(wired, "pi:17 - lamp:A", "lamp:C - pi:GND.1")
    files = {"main.py": PROGRAM, "gpiozero.py": GPIOZERO, "diagram.json": drawn}
    for name, text in {**files, "test_lamp.py": LIT}.items():
        (suite / name).write_text(text)
    config = ssh.ssh_server(tmp_path / "ssh").config
    lab = tmp_path / "embedbench.toml"
    lab.write_text(PI.format(config=config, folder=tmp_path / "programs"))
    words = (
        "--board=pi-1",
        f"--embedbench-lab={lab}",
        f"--embedbench-firmware={suite}",
    )
    (case,) = run(suite, cache, tmp_path / "none", *words)
    assert case["outcome"] == "permissive-confirmed"
    assert case["corrections"] == ["LED() GPIO22 -> GPIO17 (main.py:3)"]
    assert hows(case) == ["strict", "source"]
