"""Numbers in calls that are of several pins: how they are taken apart."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench import FirmwareSource
from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.esr.board_pins import BoardPins
from pytest_embedbench.esr.model import (
    EsrCase,
    Outcome,
    TrialEnd,
    TrialFirmware,
    TrialResult,
)
from pytest_embedbench.esr.search import search
from pytest_embedbench.esr.sources.constants import pin_constants
from pytest_embedbench.esr.splitting import parts_of
from pytest_embedbench.wiring.reading import read_diagram
from tests.support.diagrams import diagram_text

if TYPE_CHECKING:
    from pathlib import Path

UNO = Registry().board("uno")
PARTS = {"uno": "wokwi-arduino-uno", "a": "wokwi-led", "b": "wokwi-led"}
TURNS = """
void flash(int pin, int ms) { digitalWrite(pin, 1); delay(ms); digitalWrite(pin, 0); }
void setup() {
  pinMode(5, OUTPUT);
  pinMode(5, OUTPUT);
}
void loop() {
  flash(5, 60);
  flash(5, 90);
}
"""


def parts(text: str) -> list[list[int]]:
    """Return the lines of each part that is tried, of the one constant there is."""
    (constant,) = pin_constants({"src/main.cpp": text.encode()}, BoardPins(UNO))
    return [[token.line for token in tokens] for tokens in parts_of(constant)]


def test_the_first_of_each_call_comes_before_all_else() -> None:
    tried = parts(TURNS)
    assert tried[:2] == [[4, 8], [5, 9]]
    assert len(tried) == 2**4 - 2, "all parts but none and all"


def test_an_output_that_is_set_up_once_is_one_pin() -> None:
    assert parts(TURNS.replace("  pinMode(5, OUTPUT);\n", "", 1)) == []
    assert parts("void f() { pinMode(5, INPUT); digitalRead(5); digitalRead(5); }")


def searched(folder: Path, text: str, right: str) -> tuple[Outcome, list[str]]:
    """Search for the pins of two lights on 5 and 13; only one text is right."""

    class TextTrial:
        def run(
            self, firmware: TrialFirmware, diagram: str = "", *, observe: bool = False
        ) -> TrialResult:
            del diagram, observe
            said = firmware.corrected.get("src/main.cpp", text.encode()).decode()
            is_right = re.findall(r"\((\d+),", said) == right.split()
            end = TrialEnd.PASSED if is_right else TrialEnd.FAILED
            return TrialResult(end=end, why="" if is_right else "dark")

    (folder / "src").mkdir()
    (folder / "src" / "main.cpp").write_text(text)
    drawn = diagram_text(PARTS, "uno:5 - a:A", "uno:13 - b:A")
    diagram = read_diagram(drawn, "diagram.json").diagram
    source = FirmwareSource(project_dir=folder, environment="uno")
    result = search(
        EsrCase(name="it", board=UNO, diagram=diagram, source=source), TextTrial()
    )
    return result.outcome, [str(it) for it in result.corrections]


def test_each_place_that_is_another_pin_is_told(tmp_path: Path) -> None:
    assert searched(tmp_path, TURNS, "5 13 5 13") == (
        Outcome.PERMISSIVE_CONFIRMED,
        ["pinMode() 5 -> 13 (src/main.cpp:5)", "flash() 5 -> 13 (src/main.cpp:9)"],
    )


@pytest.mark.parametrize(
    ("calls", "outcome"), [(2, Outcome.LOGIC_FAIL), (4, Outcome.BUDGET)]
)
def test_a_mistake_is_in_the_logic_only_if_all_parts_were_tried(
    tmp_path: Path, calls: int, outcome: Outcome
) -> None:
    flashes = "".join(f"flash(5, {ms});" for ms in range(10, 10 + calls))
    text = re.sub(r"  pinMode.*\n", "", TURNS).replace(
        "  flash(5, 60);\n  flash(5, 90);", flashes
    )
    assert searched(tmp_path, text, "none")[0] is outcome
