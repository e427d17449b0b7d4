"""The table of part types: whole, consistent, and there without site-packages."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.parts import CATALOGUE
from pytest_embedbench.wiring.part_type import PartType, PinRole

PACKAGE = Path(__file__).parents[2] / "pytest_embedbench"
TYPES = CATALOGUE.types
of_each_type = pytest.mark.parametrize("part", TYPES.values(), ids=TYPES)
NEEDED = """
led rgb-led led-bar-graph pushbutton pushbutton-6mm slide-switch dip-switch-8
relay-module ks2e-m-dc5 pir-motion-sensor buzzer potentiometer slide-potentiometer
analog-joystick photoresistor-sensor ntc-temperature-sensor gas-sensor 7segment
tm1637-7segment 74hc595 membrane-keypad ky-040 servo stepper-motor a4988 hc-sr04 dht22
ds18b20 ir-receiver ir-remote neopixel led-ring led-strip led-matrix lcd1602 lcd2004
ssd1306 mpu6050 ds1307 microsd-card hx711 max7219-matrix resistor gnd vcc breadboard
breadboard-half breadboard-mini arduino-uno arduino-nano arduino-mega logic-analyzer
"""


def test_every_module_of_the_benchmark_is_there() -> None:
    ours = {"embedbench-dht11", "embedbench-uln2003", "embedbench-28byj-48"}
    ours.add("embedbench-hs-311")
    named = {f"wokwi-{name}" for name in NEEDED.split()}
    named |= {"board-ds18b20", "board-ssd1306", "$serialMonitor", *ours}
    assert named <= {*TYPES}


@of_each_type
def test_a_type_speaks_of_its_own_pins_and_attributes_only(part: PartType) -> None:
    pins = {pin.name for pin in part.pins}
    assert {*part.aliases.values()} <= pins
    assert not {*part.aliases} & pins
    pairs = (*part.switches, *part.diodes, *part.resistors)
    assert {end for pair in pairs for end in pair[:2]} <= pins
    may_depend = [*(pin.only_if for pin in part.pins), *(it.only_if for it in pairs)]
    conditions = [it for it in may_depend if it is not None]
    assert {it.attr for it in conditions} <= {*part.attrs}
    for only_if in conditions:
        choices = part.attrs[only_if.attr].choices
        assert not choices or {*only_if.values} <= {*choices}


@of_each_type
def test_a_default_is_what_an_attribute_can_be(part: PartType) -> None:
    for name, attr in part.attrs.items():
        assert not attr.choices or attr.default in attr.choices, name
        if attr.parse is not None:
            attr.parse(attr.default)
        if attr.is_number:
            value = float(attr.default)
            assert attr.lowest is None or attr.lowest <= value, name
            assert attr.highest is None or value <= attr.highest, name
    assert all(control.lowest < control.highest for control in part.controls.values())


@of_each_type
def test_only_supplies_have_a_voltage(part: PartType) -> None:
    for pin in part.pins:
        assert (pin.supply_mv > 0) == (pin.role is PinRole.SUPPLY)


def test_boards_have_the_pins_of_their_datasheets() -> None:
    registry = Registry()
    for name, part in CATALOGUE.boards.items():
        ours = {pin.removeprefix("D") for pin in registry.board(name).pins}
        analog_only = {"A6", "A7"} if name == "nano" else set[str]()
        known = {pin.name for pin in part.pins}
        assert ours <= known
        ports = {pin.name for pin in part.pins if pin.role is PinRole.BOTH}
        assert ports | analog_only == ours | analog_only


@pytest.mark.parametrize(
    ("kind", "columns", "holes"),
    [
        ("breadboard", 63, 830),
        ("breadboard-half", 30, 400),
        ("breadboard-mini", 17, 170),
    ],
)
def test_breadboards_have_as_many_holes_as_they_are_sold_with(
    kind: str, columns: int, holes: int
) -> None:
    part = TYPES[f"wokwi-{kind}"]
    assert len(part.pins) + len(part.aliases) == holes
    assert part.pin_named(f"{columns}t.e", {}) is not None
    assert part.pin_named(f"{columns + 1}t.e", {}) is None


@pytest.mark.parametrize(
    ("digits", "colon", "there", "missing"),
    [
        ("1", "", {"COM", "COM.1", "COM.2"}, {"DIG1", "CLN"}),
        ("2", "", {"DIG1", "DIG2"}, {"COM", "COM.1", "DIG3"}),
        ("3", "1", {"DIG3"}, {"COM", "CLN", "DIG4"}),
        ("4", "", {"DIG4", "CLN", "COM"}, set[str]()),
        ("4", "1", {"DIG4", "CLN", "COM"}, set[str]()),
    ],
)
def test_pins_follow_attributes(
    digits: str, colon: str, there: set[str], missing: set[str]
) -> None:
    part, attrs = TYPES["wokwi-7segment"], {"digits": digits, "colon": colon}
    assert all(part.pin_named(name, attrs) for name in there)
    assert not any(part.pin_named(name, attrs) for name in missing)


@pytest.mark.parametrize(("digits", "legs"), [("1", 8), ("2", 0), ("4", 1)])
def test_the_common_pin_of_four_digits_lights_the_colon_alone(
    digits: str, legs: int
) -> None:
    part = TYPES["wokwi-7segment"]
    pairs = part.pairs_with(part.diodes, {"digits": digits, "colon": "1"})
    assert [pair.one for pair in pairs].count("COM") == legs


def test_the_common_side_of_leds_follows_an_attribute() -> None:
    part = TYPES["wokwi-rgb-led"]
    anode = part.pairs_with(part.diodes, {})
    cathode = part.pairs_with(part.diodes, {"common": "cathode"})
    assert [pair[:2] for pair in anode] == [("COM", "R"), ("COM", "G"), ("COM", "B")]
    assert [pair[:2] for pair in cathode] == [("R", "COM"), ("G", "COM"), ("B", "COM")]


def test_nets_and_parts_load_where_nothing_but_the_standard_library_is() -> None:
    code = f"""
import sys, types
module = sys.modules["pytest_embedbench"] = types.ModuleType("pytest_embedbench")
module.__path__ = [{str(PACKAGE)!r}]
from pytest_embedbench.parts import CATALOGUE
from pytest_embedbench.wiring import checking, levels, netlist
print(len(CATALOGUE.types))
"""
    words = [sys.executable, "-I", "-S", "-c", code]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(len(TYPES))
