"""The search over a check that is a function of pins: no board, no build."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench import FirmwareSource
from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.esr.board_pins import BoardPins
from pytest_embedbench.esr.candidates import Candidates
from pytest_embedbench.esr.model import (
    CaseResult,
    EsrCase,
    Outcome,
    PinMap,
    PinMove,
    SearchBudget,
    TrialEnd,
    TrialFirmware,
    TrialResult,
)
from pytest_embedbench.esr.search import search
from pytest_embedbench.esr.signals import signals_of
from pytest_embedbench.esr.sources.constants import pin_constants
from pytest_embedbench.esr.truth.naming import neutral
from pytest_embedbench.esr.uses import Uses
from pytest_embedbench.pins import PinJob, PinUse
from pytest_embedbench.wiring.reading import read_diagram
from tests.support.diagrams import diagram_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SKETCH = """
const int RED = 8;
const int GREEN = 7;
#define BUZZER_PIN 6
const byte BUTTON = 2;
int pot = A0;
void setup() {
  pinMode(RED, OUTPUT); pinMode(GREEN, OUTPUT); pinMode(BUZZER_PIN, OUTPUT);
  pinMode(BUTTON, INPUT_PULLUP);
}
void loop() {
  digitalWrite(RED, digitalRead(BUTTON)); digitalWrite(GREEN, analogRead(pot) > 9);
  tone(BUZZER_PIN, 440);
}
"""
PARTS = {
    "uno": "wokwi-arduino-uno",
    "red": "wokwi-led",
    "green": "wokwi-led",
    "buzzer": "wokwi-buzzer",
    "button": "wokwi-pushbutton",
    "pot": "wokwi-potentiometer",
    "r1": "wokwi-resistor",
}
WIRES = (
    *("uno:8 - r1:1", "r1:2 - red:A", "uno:7 - green:A", "uno:6 - buzzer:1"),
    *("uno:2 - button:1.l", "uno:GND.1 - button:2.l", "uno:A0 - pot:SIG"),
)
PART_OF = {
    "RED": "r1:1",
    "GREEN": "green:A",
    "BUZZER_PIN": "buzzer:1",
    "BUTTON": "button:1.l",
    "pot": "pot:SIG",
}
SAYS = re.compile(r"(?:define|int|byte) (RED|GREEN|BUZZER_PIN|BUTTON|pot) (?:= )?(\w+)")
JOBS = {"BUTTON": PinJob.READ, "pot": PinJob.ANALOG}


@dataclass
class PinTrial:
    """Passes if each constant has the pin of its part, and the logic is right."""

    text: str
    is_right: bool = True
    observed: frozenset[str] = frozenset(PART_OF)
    part_of: Mapping[str, str] = field(default_factory=lambda: PART_OF)
    runs: list[tuple[str, bool]] = field(default_factory=list["tuple[str, bool]"])

    def run(
        self, firmware: TrialFirmware, diagram: str = "", *, observe: bool = False
    ) -> TrialResult:
        """See ``Trial``."""
        corrected = firmware.corrected.get("src/main.cpp")
        text = corrected.decode() if corrected else self.text
        drawn = json.loads(diagram or diagram_text(PARTS, *WIRES))
        at = {row[1]: row[0].partition(":")[2] for row in drawn["connections"]}
        said = dict(SAYS.findall(text))
        wrong = [name for name, pin in said.items() if at[self.part_of[name]] != pin]
        self.runs.append((str(wrong), bool(corrected)))
        use = None
        if observe:
            jobs = {
                f"D{pin}" if pin.isdigit() else pin: frozenset(
                    {JOBS.get(name, PinJob.OUTPUT)}
                )
                for name, pin in said.items()
                if name in self.observed
            }
            use = PinUse(jobs=jobs)
        if not wrong and self.is_right:
            return TrialResult(end=TrialEnd.PASSED, pin_use=use)
        return TrialResult(end=TrialEnd.FAILED, why=f"wrong: {wrong}", pin_use=use)


def searched(
    folder: Path,
    *changes: tuple[str, str],
    is_right: bool = True,
    is_drawn: bool = True,
    part_of: Mapping[str, str] = PART_OF,
    budget: SearchBudget = SearchBudget(),  # noqa: B008  # it is frozen
) -> CaseResult:
    text = SKETCH
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    (folder / "src").mkdir()
    (folder / "src" / "main.cpp").write_text(text)
    case = EsrCase(
        name="it",
        board=Registry().board("uno"),
        is_drawn=is_drawn,
        diagram=read_diagram(diagram_text(PARTS, *WIRES), "diagram.json").diagram,
        source=FirmwareSource(project_dir=folder, environment="uno"),
    )
    return search(case, PinTrial(text, is_right, part_of=part_of), budget)


def test_strict_is_permissive_and_only_confirmed_is_counted_beside_it() -> None:
    assert {it for it in Outcome if it.is_permissive} == {
        Outcome.STRICT,
        Outcome.PERMISSIVE_CONFIRMED,
    }
    assert [it for it in Outcome if it.is_strict] == [Outcome.STRICT]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ([("RED = 8", "RED = 9")], ["RED 9 -> 8"]),
        ([("BUTTON = 2", "BUTTON = 4")], ["BUTTON 4 -> 2"]),
        ([("pot = A0", "pot = A3")], ["pot A3 -> A0"]),
        ([("PIN 6", "PIN 1")], ["BUZZER_PIN 1 -> 6"]),
        (
            [("RED = 8", "RED = 7"), ("GREEN = 7", "GREEN = 8")],
            ["RED 7 -> 8", "GREEN 8 -> 7"],
        ),
        (
            [("RED = 8", "RED = 2"), ("BUTTON = 2", "BUTTON = 8")],
            ["RED 2 -> 8", "BUTTON 8 -> 2"],
        ),
        (
            [("RED = 8", "RED = 3"), ("GREEN = 7", "GREEN = 4"), ("PIN 6", "PIN 5")],
            ["RED 3 -> 8", "GREEN 4 -> 7", "BUZZER_PIN 5 -> 6"],
        ),
        ([("RED = 8", "RED = 7")], ["RED 7 -> 8"]),
        ([("BUTTON = 2", "BUTTON = 7")], ["BUTTON 7 -> 2"]),
    ],
)
def test_wrong_pins_are_found_and_told_with_their_constants(
    changes: list[tuple[str, str]], told: list[str], tmp_path: Path
) -> None:
    result = searched(tmp_path, *changes)
    assert result.outcome is Outcome.PERMISSIVE_CONFIRMED
    assert [str(it).partition(" (")[0] for it in result.corrections] == told
    assert result.candidates_tried <= 3
    assert ("source", TrialEnd.PASSED) in [(it.how, it.end) for it in result.evidence]


def test_right_pins_are_strict_and_nothing_is_tried(tmp_path: Path) -> None:
    result = searched(tmp_path)
    assert (result.outcome, len(result.evidence)) == (Outcome.STRICT, 1)
    assert result.pins_wired["8"] == "red A"
    assert result.pins_used["2"] == "reads"


def test_wrong_logic_is_never_permissive(tmp_path: Path) -> None:
    result = searched(tmp_path, is_right=False)
    assert result.outcome is Outcome.LOGIC_FAIL
    assert result.corrections == ()


def test_wrong_logic_on_wrong_pins_is_wrong_logic(tmp_path: Path) -> None:
    result = searched(tmp_path, ("RED = 8", "RED = 9"), is_right=False)
    assert result.outcome is Outcome.LOGIC_FAIL
    assert result.candidates_tried > 0


def test_a_search_that_is_cut_short_says_so(tmp_path: Path) -> None:
    changes = (("RED = 8", "RED = 3"), ("GREEN = 7", "GREEN = 4"))
    tight = SearchBudget(trials=1)
    result = searched(tmp_path, *changes, is_right=False, budget=tight)
    assert result.outcome is Outcome.BUDGET
    assert "1 trials" in result.why


def test_a_real_board_is_not_wired_otherwise(tmp_path: Path) -> None:
    result = searched(tmp_path, ("RED = 8", "RED = 9"), is_drawn=False)
    assert result.outcome is Outcome.PERMISSIVE_CONFIRMED
    assert {each.how for each in result.evidence} == {"strict", "source"}
    assert [str(each) for each in result.corrections] == ["RED 9 -> 8 (src/main.cpp:2)"]


PINS = BoardPins(Registry().board("uno"))


def candidates(text: str) -> list[PinMap]:
    diagram = read_diagram(diagram_text(PARTS, *WIRES), "diagram.json").diagram
    uses = Uses(constants=pin_constants({"src/main.cpp": text.encode()}, PINS))
    return list(Candidates(signals_of(diagram, PINS), uses.by_pin(), PINS))


def test_names_that_say_nothing_leave_no_swap_out() -> None:
    names = [f"int {name} = <{name}>;" for name in PART_OF]
    names[2:4] = ["#define BUZZER_PIN <buzzer>", "const byte BUTTON = <button>;"]
    tried = candidates(neutral(SKETCH, names))
    swaps = {it.moves for it in tried if not it.is_against_names}
    for one, other in (("8", "7"), ("8", "6"), ("7", "6")):
        assert (PinMove(one, other), PinMove(other, one)) in swaps


def test_swaps_that_names_speak_against_come_last_and_are_in_doubt() -> None:
    against = [it.is_against_names for it in candidates(SKETCH)]
    assert sum(against) == 3
    assert against == sorted(against)


def test_a_swap_against_names_that_passes_confirms_nothing(tmp_path: Path) -> None:
    taken = {"RED": PART_OF["BUZZER_PIN"], "BUZZER_PIN": PART_OF["RED"]}
    result = searched(tmp_path, part_of={**PART_OF, **taken})
    assert result.outcome is Outcome.PERMISSIVE_REWIRED
    told = [it.text for it in result.findings if it.kind == "ambiguous-map"]
    assert len(told) == 1
    assert "pins or logic are wrong" in told[0]
