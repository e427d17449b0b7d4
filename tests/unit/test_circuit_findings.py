"""What is said of circuits that would not do what they are drawn for."""

from __future__ import annotations

import json
from typing import NamedTuple

import pytest
from hypothesis import given, strategies as st

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.parts import CATALOGUE
from pytest_embedbench.wiring.checking import check_diagram, parse_diagram
from pytest_embedbench.wiring.findings import FindingKind
from tests.support.diagrams import UNO, diagram_text, report

LED = {**UNO, "r1": "wokwi-resistor", "led1": "wokwi-led"}
BUTTON = {**UNO, "btn": "wokwi-pushbutton", "r1": "wokwi-resistor"}
POWER = ("s:VCC - uno:5V", "s:GND - uno:GND.1")
WELL = {
    "LED with a resistor": (
        LED,
        "uno:13 - r1:1",
        "r1:2 - led1:A",
        "led1:C - uno:GND.1",
    ),
    "resistor on the other side": (
        LED,
        "uno:13 - led1:A",
        "led1:C - r1:1",
        "r1:2 - uno:GND.1",
    ),
    "button to ground": (BUTTON, "uno:2 - btn:1.l", "btn:2.l - uno:GND.1"),
    "button to 5 V, pulled down": (
        BUTTON,
        "uno:2 - btn:1.l",
        "btn:2.l - uno:5V",
        "r1:1 - uno:2",
        "r1:2 - uno:GND.1",
    ),
    "slide switch between 5 V and ground": (
        {**UNO, "s": "wokwi-slide-switch"},
        "s:2 - uno:2",
        "s:1 - uno:5V",
        "s:3 - uno:GND.1",
    ),
    "LED between two pins": (
        LED,
        "uno:2 - r1:1",
        "r1:2 - led1:A",
        "led1:C - uno:3",
    ),
    "LED behind a driver that pulls down": (
        {**LED, "u": "embedbench-uln2003"},
        "uno:5V - led1:A",
        "led1:C - r1:1",
        "r1:2 - u:OUT1",
        "u:IN1 - uno:2",
        "u:IN2 - uno:3",
        "u:IN3 - uno:4",
        "u:IN4 - uno:5",
        "u:VCC - uno:5V",
        "u:GND - uno:GND.1",
    ),
    "LEDs share a resistor behind them": (
        {**LED, "led2": "wokwi-led"},
        "uno:2 - led1:A",
        "uno:3 - led2:A",
        "led1:C - r1:1",
        "led2:C - led1:C",
        "r1:2 - uno:GND.1",
    ),
    "slide switch between 5 V and a resistor to ground": (
        {**UNO, "s": "wokwi-slide-switch", "r1": "wokwi-resistor"},
        "s:2 - uno:2",
        "s:1 - uno:5V",
        "s:3 - r1:1",
        "r1:2 - uno:GND.1",
    ),
    "sensor": (
        {**UNO, "s": "wokwi-hc-sr04"},
        *POWER,
        "s:TRIG - uno:9",
        "s:ECHO - uno:10",
    ),
    "sensor that two pins of the board power": (
        {**UNO, "s": "wokwi-dht22"},
        "s:VCC - uno:7",
        "s:GND - uno:8",
        "s:SDA - uno:9",
    ),
    "1-Wire with its resistor": (
        {**UNO, "s": "board-ds18b20", "r1": "wokwi-resistor"},
        *POWER,
        "s:DQ - uno:2",
        "r1:1 - s:DQ",
        "r1:2 - uno:5V",
    ),
    "serial monitor": (UNO, "uno:1 - $serialMonitor:RX"),
    "part that nothing leads to": ({**UNO, "s": "wokwi-74hc595"},),
    "joystick": (
        {**UNO, "s": "wokwi-analog-joystick"},
        *POWER,
        "s:VERT - uno:A0",
        "s:SEL - uno:2",
    ),
}


@pytest.mark.parametrize("name", WELL)
def test_nothing_is_said_of_what_is_well(name: str) -> None:
    parts, *wires = WELL[name]
    assert isinstance(parts, dict)
    assert report(parts, *map(str, wires)).findings == ()


class Ill(NamedTuple):
    """A circuit with one mistake, and what is said of it."""

    parts: dict[str, str]
    wires: list[str]
    kind: str
    line: int
    text: str


# Line 2 is the first part's; wires begin two lines below the last part.
ILL = {
    "unknown type": Ill(
        {**UNO, "x": "wokwi-ledd"},
        ["x:A - uno:13"],
        "unknown-type",
        3,
        "x: wokwi-ledd is a type of part that is not known here; do you mean "
        "'wokwi-led'?",
    ),
    "type like no other": Ill(
        {**UNO, "x": "wokwi-tv"},
        ["x:IN - uno:13"],
        "unknown-type",
        3,
        "x: wokwi-tv is a type of part that is not known here",
    ),
    "type that only decorates": Ill(
        {**UNO, "x": "wokwi-tv"},
        [],
        "decoration",
        3,
        "x: wokwi-tv is a type of part that is not known here; nothing is wired to "
        "it, so the circuit runs without it",
    ),
    "type without its beginning": Ill(
        {**UNO, "x": "led"},
        ["x:A - uno:13"],
        "unknown-type",
        3,
        "x: led is a type of part that is not known here; do you mean 'wokwi-led'?",
    ),
    "custom chip": Ill(
        {**UNO, "x": "chip-inverter"},
        [],
        "no-model",
        3,
        "x: chip-inverter is a custom chip, which only Wokwi's cloud can run",
    ),
    "board of the cloud": Ill(
        {"pico": "wokwi-pi-pico"},
        ["pico:GP1 - pico:GP2"],
        "no-model",
        2,
        "pico: wokwi-pi-pico is a board on which no circuits run here; they do on "
        "mega, nano, uno",
    ),
    "no board": Ill(
        {"r": "wokwi-resistor"},
        [],
        "no-board",
        0,
        "there is no board in it; it needs a part of type wokwi-arduino-mega or "
        "wokwi-arduino-nano or wokwi-arduino-uno",
    ),
    "two boards": Ill(
        {**UNO, "n": "wokwi-arduino-nano"},
        [],
        "several-boards",
        3,
        "n: a second board; the first is uno, line 2",
    ),
    "missing part": Ill(
        {**UNO, "led1": "wokwi-led"},
        ["uno:13 - led2:A"],
        "unknown-part",
        5,
        "no part has the id 'led2', to which the wire uno:13 - led2:A leads; the "
        "parts are uno, led1; do you mean 'led1'?",
    ),
    "missing pin": Ill(
        {**UNO, "led1": "wokwi-led"},
        ["uno:13 - led1:a"],
        "unknown-pin",
        5,
        "led1: wokwi-led has no pin 'a'; it has A, C; do you mean 'A'?",
    ),
    "hole beside a breadboard": Ill(
        {**UNO, "b": "wokwi-breadboard-mini"},
        ["uno:13 - b:18t.a"],
        "unknown-pin",
        5,
        "b: wokwi-breadboard-mini has no pin '18t.a'; it has 1t.a, 1b.f, 2t.a, 2b.f "
        "and 166 more; do you mean '8t.a'?",
    ),
    "pin that other attributes would bring": Ill(
        {**UNO, "d": "wokwi-lcd1602"},
        ["uno:A4 - d:SDA"],
        "unknown-pin",
        5,
        "d: wokwi-lcd1602 has the pin SDA only with other attributes; with these it "
        "has VSS, VDD, E, RS, RW, D0, D1, D2, D3, D4, D5, D6, D7, V0, A, K",
    ),
    "wire to itself": Ill(
        UNO,
        ["uno:1 - uno:1"],
        "useless-wire",
        4,
        "the wire uno:1 - uno:1 leads back to where it begins",
    ),
    "wire that is there": Ill(
        UNO,
        ["uno:1 - uno:2", "uno:2 - uno:1"],
        "useless-wire",
        5,
        "the wire uno:2 - uno:1 is already there, in line 4",
    ),
    "short circuit": Ill(
        {**UNO, "b": "wokwi-breadboard"},
        ["uno:5V - b:tp.1", "uno:GND.2 - b:tp.9"],
        "short-circuit",
        6,
        "wires join 5V with GND: uno:5V and uno:GND",
    ),
    "two supplies": Ill(
        UNO,
        ["uno:1 - uno:5V", "uno:3.3V - uno:1"],
        "short-circuit",
        5,
        "wires join 5V with 3.3V: uno:5V and uno:3.3V",
    ),
    "button that shorts": Ill(
        {**UNO, "b": "wokwi-pushbutton"},
        ["uno:5V - b:1.l", "b:2.r - uno:GND.1"],
        "short-circuit",
        3,
        "b: it joins 5V with GND when its switch is closed",
    ),
    "two outputs": Ill(
        {**UNO, "s": "wokwi-ir-receiver", "c": "wokwi-clock-generator"},
        [*POWER, "s:DAT - uno:2", "c:CLK - uno:2"],
        "contention",
        3,
        "s: its output DAT works against c:CLK on the same net",
    ),
    "output on a supply": Ill(
        {**UNO, "s": "wokwi-ir-receiver"},
        [*POWER, "s:DAT - uno:5V"],
        "contention",
        3,
        "s: its output DAT works against uno:5V on the same net",
    ),
    "LED without resistor": Ill(
        LED,
        ["uno:13 - led1:A", "led1:C - uno:GND.1"],
        "led-without-resistor",
        4,
        "led1: nothing limits the current of the LED between uno:13 and uno:GND; put "
        "a resistor in series",
    ),
    "LED behind a button": Ill(
        {**LED, "btn": "wokwi-pushbutton"},
        ["uno:5V - btn:1.l", "btn:2.l - led1:A", "led1:C - uno:GND.1"],
        "led-without-resistor",
        4,
        "led1: nothing limits the current of the LED between uno:5V and uno:GND; put "
        "a resistor in series",
    ),
    "LED the wrong way round": Ill(
        LED,
        ["uno:13 - r1:1", "r1:2 - led1:C", "led1:A - uno:GND.1"],
        "dark-led",
        4,
        "led1: the LED never lights, for nothing here can make its anode high: it is "
        "the wrong way round, or in series with another one",
    ),
    "LED from 5 V that points at 5 V": Ill(
        LED,
        ["uno:13 - led1:A", "led1:C - r1:1", "r1:2 - uno:5V"],
        "dark-led",
        4,
        "led1: the LED never lights, for nothing here can make its cathode low: it is "
        "the wrong way round, or in series with another one",
    ),
    "display of the other kind": Ill(
        {**UNO, "d": "wokwi-7segment", "r1": "wokwi-resistor"},
        ["d:COM.1 - uno:GND.1", "d:A - r1:1", "r1:2 - uno:2"],
        "dark-led",
        3,
        "d: the LED never lights, for nothing here can make its anode high: it is the "
        "wrong way round, or in series with another one",
    ),
    "segments without resistors": Ill(
        {**UNO, "d": "wokwi-7segment"},
        ["d:COM.1 - uno:5V", "d:A - uno:2", "d:B - uno:3"],
        "led-without-resistor",
        3,
        "d: nothing limits the current of the LED between uno:5V and uno:2; put a "
        "resistor in series",
    ),
    "button to 5 V": Ill(
        BUTTON,
        ["uno:2 - btn:1.l", "btn:2.l - uno:5V"],
        "floating-input",
        2,
        "uno: nothing holds 2 while btn is open; put a resistor from it to ground",
    ),
    "slide switch with an open end": Ill(
        {**UNO, "s": "wokwi-slide-switch"},
        ["s:2 - uno:2", "s:3 - uno:5V"],
        "floating-input",
        2,
        "uno: nothing holds 2 while s is open; put a resistor from it to ground",
    ),
    "open input of a chip": Ill(
        {**UNO, "s": "wokwi-74hc595"},
        [*POWER, "s:DS - uno:2", "s:SHCP - uno:3", "s:STCP - uno:4", "s:MR - uno:5V"],
        "floating-input",
        3,
        "s: nothing drives the input OE",
    ),
    "1-Wire without a resistor": Ill(
        {**UNO, "s": "board-ds18b20"},
        [*POWER, "s:DQ - uno:2"],
        "floating-input",
        3,
        "s: DQ only pulls down; put a resistor from it to the supply",
    ),
    "no ground": Ill(
        {**UNO, "s": "wokwi-dht22"},
        ["s:VCC - uno:5V", "s:SDA - uno:2"],
        "missing-ground",
        3,
        "s: its ground pin GND is not joined with any ground",
    ),
    "no supply": Ill(
        {**UNO, "s": "wokwi-dht22"},
        ["s:GND - uno:GND.1", "s:SDA - uno:2"],
        "missing-supply",
        3,
        "s: its supply pin VCC is not joined with any supply",
    ),
}


@pytest.mark.parametrize("name", ILL)
def test_a_mistake_is_told_once_where_it_is(name: str) -> None:
    it = ILL[name]
    (found,) = report(it.parts, *it.wires).findings
    assert (found.kind.value, found.line, found.text) == (it.kind, it.line, it.text)


def test_every_kind_is_told_of_here_or_by_the_reader() -> None:
    told = {it.kind for it in ILL.values()}
    others = {"malformed", "unknown-key", "duplicate-id"}
    others |= {"unknown-attribute", "bad-attribute", "other-board"}
    assert told | others == {kind.value for kind in FindingKind}


def test_supply_and_ground_the_wrong_way_round_are_told() -> None:
    parts = {**UNO, "s": "wokwi-dht22"}
    wires = ("s:VCC - uno:GND.1", "s:GND - uno:5V", "s:SDA - uno:2")
    assert {it.text for it in report(parts, *wires).findings} == {
        "s: its supply pin VCC is joined with uno:GND",
        "s: its ground pin GND is joined with uno:5V",
    }


@pytest.mark.parametrize(
    ("attrs", "kind", "text"),
    [
        (
            {"colour": "red"},
            "unknown-attribute",
            (
                "led1: wokwi-led has no attribute 'colour'; it has color, lightColor, "
                "label, gamma, fps, flip; do you mean 'color'?"
            ),
        ),
        (
            {"gamma": "bright"},
            "bad-attribute",
            "led1: attribute 'gamma' is 'bright', must be a number",
        ),
        (
            {"fps": 0},
            "bad-attribute",
            "led1: attribute 'fps' is '0', must be a number of at least 1",
        ),
    ],
)
def test_attributes_are_checked(attrs: dict[str, object], kind: str, text: str) -> None:
    findings = report(LED, attrs={"led1": attrs}).findings
    assert [(it.kind.value, it.line, it.text) for it in findings] == [(kind, 4, text)]


@pytest.mark.parametrize(
    ("value", "ohm"),
    [("10k", "10000"), ("4k7", "4700"), ("2.2 kΩ", "2200"), ("220R", "220")],
)
def test_a_value_with_prefix_or_unit_is_written_out(value: str, ohm: str) -> None:
    (finding,) = report(LED, attrs={"r1": {"value": value}}).findings
    assert finding.text.endswith(f"must be a number: write {ohm}")


def test_words_and_ranges_of_attributes_are_told() -> None:
    parts = {**UNO, "d": "wokwi-7segment", "p": "wokwi-potentiometer"}
    attrs = {"d": {"common": "katode"}, "p": {"value": "2000"}}
    assert [it.text for it in report(parts, attrs=attrs).findings] == [
        (
            "d: attribute 'common' is 'katode', must be one of anode, cathode; do you "
            "mean 'cathode'?"
        ),
        "p: attribute 'value' is '2000', must be a number from 0 to 1023",
    ]


def test_addresses_and_times_of_attributes_are_told() -> None:
    parts = {**UNO, "o": "board-ssd1306", "l": "wokwi-lcd1602", "c": "wokwi-ds1307"}
    attrs = {
        "o": {"i2cAddress": "0x80"},
        "l": {"i2c-address": "", "i2cAddress": "39"},
        "c": {"initTime": "soon"},
    }
    assert [it.text for it in report(parts, attrs=attrs).findings] == [
        (
            "o: attribute 'i2cAddress' is '0x80', must be an address on I2C from 0x08 "
            "to 0x77"
        ),
        (
            "c: attribute 'initTime' is 'soon', must be 'now', '0', or a date and time "
            "of day from 2000 to 2099, such as '2024-02-29T23:59:58'"
        ),
    ]


@pytest.mark.parametrize("keys", ["[1", '{"a": 1}', "[1, 2]", str(["a"] * 17)])
def test_labels_of_keys_are_a_list(keys: str) -> None:
    parts = {**UNO, "k": "wokwi-membrane-keypad"}
    attrs = {"k": {"keys": keys.replace("'", '"')}}
    (found,) = report(parts, attrs=attrs).findings
    assert found.text.endswith("must be a list of up to 16 labels")
    assert not report(parts, attrs={"k": {"keys": '["A", "B"]'}}).findings


def test_a_diagram_for_another_board_is_told() -> None:
    (finding,) = report(UNO, board="mega").findings
    assert finding.kind is FindingKind.OTHER_BOARD
    assert finding.text == (
        "uno: the diagram is for board uno (wokwi-arduino-uno), not for mega, which "
        "would be wokwi-arduino-mega"
    )
    assert report(UNO, board="uno").findings == ()


def test_findings_come_by_lines_and_the_wire_to_a_missing_part_spoils_no_other() -> (
    None
):
    parts = {**UNO, "x": "wokwi-ledd", "led1": "wokwi-led", "s": "wokwi-dht22"}
    wires = ("uno:13 - led9:A", "led1:B - uno:2", "uno:5V - uno:GND.1", "x:A - uno:3")
    found = report(parts, *wires).findings
    assert [it.kind.value for it in found] == [
        *("unknown-type", "unknown-part", "unknown-pin", "short-circuit"),
    ]
    assert [it.line for it in found] == sorted(it.line for it in found)


def test_what_can_be_run_is_a_diagram_in_spite_of_warnings() -> None:
    text = diagram_text(LED, "uno:13 - led1:A", "led1:C - uno:GND.1")
    diagram = parse_diagram(text, "diagram.json", CATALOGUE, "uno")
    assert [part.id for part in diagram.parts] == ["uno", "r1", "led1"]


def test_what_cannot_is_one_error_with_a_line_for_each_mistake() -> None:
    text = diagram_text({**UNO, "x": "wokwi-ledd"}, "uno:99 - uno:1", "x:A - uno:2")
    with pytest.raises(ConfigError) as raised:
        parse_diagram(text, "diagram.json", CATALOGUE)
    lines = str(raised.value).splitlines()
    assert [line.split(" ")[0] for line in lines] == [
        *("diagram.json:3:", "diagram.json:5:"),
    ]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)
ENDS = st.sampled_from(
    [
        *("uno:2", "uno:5V", "uno:GND.1", "uno:A6", "x:1", "x:A", "x:VCC", "x:GND"),
        *("y:1.l", "y:2.r", "y:C", "y:COM", "$serialMonitor:RX", "z:1", ":", "uno"),
    ]
)
SOME_TYPES = st.sampled_from(sorted(CATALOGUE.types)) | st.text(max_size=5)
PARTS = st.fixed_dictionaries(
    {"id": st.sampled_from(["uno", "x", "y"]), "type": SOME_TYPES},
    optional={"attrs": st.dictionaries(st.sampled_from(["digits", "value"]), JSON)},
)
WIRES = st.tuples(ENDS, ENDS) | JSON


@given(parts=st.lists(PARTS | JSON, max_size=4), wires=st.lists(WIRES, max_size=8))
def test_whatever_a_file_has_it_is_told_and_never_raised(
    parts: list[object], wires: list[object]
) -> None:
    text = json.dumps({"parts": parts, "connections": wires})
    found = check_diagram(text, "diagram.json", CATALOGUE, "uno").findings
    assert all(0 <= it.line <= 1 and it.text for it in found)
