"""Pins of boards that no circuit runs on here, in C++ and in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench import FirmwareSource
from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.esr.board_pins import DeskPins, drawn_catalogue, pins_of
from pytest_embedbench.esr.desk_boards import ESP32, NUCLEO_F401RE, RASPBERRY_PI
from pytest_embedbench.esr.model import (
    CaseResult,
    EsrCase,
    Outcome,
    SearchBudget,
    TrialEnd,
    TrialFirmware,
    TrialResult,
)
from pytest_embedbench.esr.search import search
from pytest_embedbench.esr.sources.edits import Edit, edited
from pytest_embedbench.esr.sources.languages import constants_in
from pytest_embedbench.wiring.checking import check_diagram
from pytest_embedbench.wiring.reading import read_diagram
from tests.support.diagrams import diagram_text

if TYPE_CHECKING:
    from pathlib import Path

SPECS = {name: Registry().board(name) for name in ("esp32-devkit", "raspberry-pi")}
ESP = DeskPins(SPECS["esp32-devkit"], ESP32)
NUCLEO = DeskPins(Registry().board("nucleo-f401re"), NUCLEO_F401RE)
PI = DeskPins(SPECS["raspberry-pi"], RASPBERRY_PI)
GPIOZERO = "from gpiozero import LED, Button\n"
RPI = "import RPi.GPIO as GPIO\nGPIO.setmode(GPIO.BOARD)\n"
TABLE = "PINS = {'red': 17, 'green': 27}\nfor name, pin in PINS.items():\n    LED(pin)"
ROWS = "for name, pin in [('red', 17), ('green', 27)]:\n    LED(pin)\n"
CLASS = """\
class Pins:
    RED = 17
class Lamp:
    def __init__(self, pin, on=False):
        self.led = LED(pin=pin)
Lamp(Pins.RED)
"""


def changed(text: str, pins: DeskPins, before: str, after: str) -> str:
    """Return a source that says another pin, wherever it said one."""
    name = "main.py" if pins is PI or "import" in text else "src/main.cpp"
    files = {name: text.encode()}
    found = constants_in(files, pins)
    edits = [Edit(it, after) for it in found if it.pin == before]
    assert edits, [(it.name, it.pin) for it in found]
    return edited(files, edits, pins)[name].decode()


@pytest.mark.parametrize(
    ("text", "pins", "move", "said"),
    [
        ("#define P GPIO_NUM_5\nvoid f() { gpio_set_level(P, 1); }", ESP, "5 18", "18"),
        ("int p = 0x17;\nvoid f() { digitalWrite(p, 1); }", ESP, "23 4", "= 4;"),
        ("int p = A6;\nvoid f() { analogRead(p); }", ESP, "34 35", "= 35;"),
        ("int p = PA5;\nvoid f() { digitalWrite(p, 1); }", NUCLEO, "PA5 PC7", "= PC7;"),
        ("int p = D7;\nvoid f() { digitalRead(p); }", NUCLEO, "PA8 PA9", "= D8;"),
        ("void f() { digitalWrite(13, 1); }", NUCLEO, "PA5 PB3", "(3, 1)"),
        ("void f() { digitalWrite(13, 1); }", NUCLEO, "PA5 PC8", "(PC8, 1)"),
        ("from machine import Pin\nPin(2, Pin.OUT)", ESP, "2 4", "Pin(4, Pin.OUT)"),
        (f"{GPIOZERO}LED(17)", PI, "GPIO17 GPIO27", "LED(27)"),
        (f"{GPIOZERO}Button('GPIO2')", PI, "GPIO2 GPIO3", "Button('GPIO3')"),
        (f"{GPIOZERO}LED('J8:11')", PI, "GPIO17 GPIO27", "LED('J8:13')"),
        (f"{RPI}GPIO.setup([11, 12], GPIO.OUT)", PI, "GPIO17 GPIO27", "([13, 12], "),
        (f"{RPI}A, B = 11, 12\nGPIO.input(A)", PI, "GPIO17 GPIO27", "A, B = 13, 12"),
        (f"{GPIOZERO}{TABLE}", PI, "GPIO27 GPIO4", "'red': 17, 'green': 4}"),
        (f"{GPIOZERO}{ROWS}", PI, "GPIO27 GPIO4", "('red', 17), ('green', 4)]"),
        (f"{GPIOZERO}{CLASS}", PI, "GPIO17 GPIO4", "    RED = 4\n"),
        (f"{GPIOZERO}def f(pin=17):\n  LED(pin)", PI, "GPIO17 GPIO4", "f(pin=4)"),
        (f"{GPIOZERO}[LED(p) for p in (17, 27)]", PI, "GPIO27 GPIO4", "in (17, 4)"),
    ],
)
def test_a_pin_is_said_as_its_source_says_pins(
    text: str, pins: DeskPins, move: str, said: str
) -> None:
    before, after = move.split()
    assert said in changed(text, pins, before, after)


def test_what_is_no_pin_of_python_is_left_alone() -> None:
    text = f"{GPIOZERO}LED(99); Button(True); print(17); LED('red'); sleep(4)"
    lines = "LED('GPIO2'\n'1')"
    files = {"main.py": text, "lines.py": GPIOZERO + lines, "b.py": "def ("}
    sources = {name: text.encode() for name, text in files.items()}
    assert constants_in(sources, PI) == ()


def test_a_mark_of_the_bytes_order_is_no_column() -> None:
    text = "\ufeffLED('é'); LED(17)"
    assert changed(f"{text}\n{GPIOZERO}", PI, "GPIO17", "GPIO4").startswith(
        "\ufeffLED('é'); LED(4)"
    )


@pytest.mark.parametrize(
    ("kind", "pin"),
    [
        ("board-esp32-devkit-c-v4", "VP"),
        ("wokwi-esp32-devkit-v1", "D23"),
        ("board-st-nucleo-f401re", "D13"),
        ("embedbench-raspberry-pi", "BOARD11"),
    ],
)
def test_a_diagram_may_have_any_of_them(kind: str, pin: str) -> None:
    parts = {"desk": kind, "led": "wokwi-led"}
    text = diagram_text(parts, f"desk:{pin} - led:A", "led:C - desk:GND.1")
    assert check_diagram(text, "diagram.json", drawn_catalogue()).errors == ()


def test_a_board_whose_pins_nobody_knows_is_told_by_name() -> None:
    text = diagram_text({"pico": "wokwi-pi-pico"})
    (error,) = check_diagram(text, "diagram.json", drawn_catalogue()).errors
    assert "pico: wokwi-pi-pico is a board on which no circuits run here" in error.text


def test_a_diagram_of_another_chip_is_told() -> None:
    text = diagram_text({"pi": "embedbench-raspberry-pi"})
    diagram = read_diagram(text, "diagram.json").diagram
    with pytest.raises(ConfigError, match="and esp32-devkit has the chip esp32: draw"):
        pins_of(SPECS["esp32-devkit"], diagram)


PROGRAM = """\
from gpiozero import LED, Button
lamp = LED(22)
key = Button(3)
while True:
    key.wait_for_press()
    lamp.toggle()
"""


def on_a_pi(folder: Path, right: str, budget: SearchBudget) -> CaseResult:
    """Search a program whose lamp is wired to 17 and its key to 4."""

    class DeskTrial:
        def run(
            self, firmware: TrialFirmware, diagram: str = "", *, observe: bool = False
        ) -> TrialResult:
            assert not diagram, "nobody wires a real board otherwise"
            del observe
            said = firmware.corrected.get("main.py", PROGRAM.encode()).decode()
            end = TrialEnd.PASSED if right in said else TrialEnd.FAILED
            return TrialResult(end=end)

    (folder / "main.py").write_text(PROGRAM)
    parts = {
        "pi": "embedbench-raspberry-pi",
        "lamp": "wokwi-led",
        "key": "wokwi-pushbutton",
    }
    wires = (
        "pi:17 - lamp:A",
        "pi:GND.1 - lamp:C",
        "pi:4 - key:1.l",
        "pi:GND.2 - key:2.l",
    )
    text = diagram_text(parts, *wires)
    case = EsrCase(
        name="it",
        board=SPECS["raspberry-pi"],
        diagram=check_diagram(text, "diagram.json", drawn_catalogue()).diagram,
        source=FirmwareSource(project_dir=folder, environment="python"),
        is_drawn=False,
    )
    return search(case, DeskTrial(), budget)


def test_a_program_of_a_pi_is_corrected(tmp_path: Path) -> None:
    result = on_a_pi(tmp_path, "LED(17)\nkey = Button(4)", SearchBudget(trials=4))
    assert result.outcome is Outcome.PERMISSIVE_CONFIRMED, result.evidence
    assert [str(it) for it in result.corrections] == [
        "LED() GPIO22 -> GPIO17 (main.py:2)",
        "Button() GPIO3 -> GPIO4 (main.py:3)",
    ]
    assert result.candidates_tried == 1


def test_its_logic_is_no_matter_of_pins(tmp_path: Path) -> None:
    result = on_a_pi(tmp_path, "lamp.on()", SearchBudget())
    assert result.outcome is Outcome.LOGIC_FAIL
