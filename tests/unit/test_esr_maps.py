"""What a diagram wants of its board, and maps between pins."""

from __future__ import annotations

import json

import pytest

from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.esr.board_pins import BoardPins
from pytest_embedbench.esr.mismatches import needs_confirmation
from pytest_embedbench.esr.model import PinMove
from pytest_embedbench.esr.rewiring import rewired
from pytest_embedbench.esr.signals import SignalKind, signals_of, words_of
from pytest_embedbench.esr.uses import PinDoing, Uses
from pytest_embedbench.wiring.reading import read_diagram
from tests.support.diagrams import UNO, diagram_text

PINS = BoardPins(Registry().board("uno"))
PARTS = {
    **UNO,
    "led": "wokwi-led",
    "r": "wokwi-resistor",
    "btn": "wokwi-pushbutton",
    "pot": "wokwi-potentiometer",
    "dht": "wokwi-dht22",
    "rtc": "wokwi-ds1307",
}
DRAWN = diagram_text(
    PARTS,
    *("uno:9 - r:1", "r:2 - led:A", "uno:2 - btn:1.l", "btn:2.l - uno:GND.1"),
    *("uno:A0 - pot:SIG", "uno:7 - dht:SDA", "uno:A4.2 - rtc:SDA", "uno:A5 - rtc:SCL"),
)
DIAGRAM = read_diagram(DRAWN, "diagram.json").diagram


def test_signals_follow_from_parts_behind_resistors_too() -> None:
    signals = signals_of(DIAGRAM, PINS)
    assert {pin: it.kind for pin, it in signals.items()} == {
        "2": SignalKind.READ,
        "7": SignalKind.EITHER,
        "9": SignalKind.DRIVE,
        "A0": SignalKind.MEASURE,
        "A4": SignalKind.BUS,
        "A5": SignalKind.BUS,
    }
    assert str(signals["9"]) == "led A"
    assert not signals["2"].is_held
    assert signals["9"].is_held


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("LED_Red2", {"led", "red", "2"}),
        ("btnPin", {"button"}),
        ("trigPIN", {"trig"}),
    ],
)
def test_names_are_words(name: str, words: set[str]) -> None:
    assert words_of(name) == words


def test_what_is_wired_trades_places_with_what_is_in_its_way() -> None:
    table = json.loads(rewired(DIAGRAM, [PinMove("2", "9")]))
    ends = [row[0] for row in table["connections"]]
    assert ends[0] == "uno:2"
    assert ends[2] == "uno:9"
    assert ends[6] == "uno:A4.2"


@pytest.mark.parametrize(
    ("used", "wired", "doing", "expected"),
    [
        ("9", "8", PinDoing(needs_pwm=True), True),
        ("4", "5", PinDoing(needs_pwm=True), True),
        ("9", "6", PinDoing(needs_pwm=True), False),
        ("9", "8", PinDoing(), False),
        ("2", "3", PinDoing(needs_interrupt=True), False),
        ("2", "4", PinDoing(needs_interrupt=True), True),
    ],
)
def test_pins_that_can_different_things_are_left_to_confirmation(
    used: str,
    wired: str,
    doing: PinDoing,
    expected: bool,  # noqa: FBT001
) -> None:
    moves = [PinMove(used, wired)]
    assert needs_confirmation(moves, {used: doing}, Uses(), PINS) is expected
