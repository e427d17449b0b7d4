"""Which pins are one node, what it is called, and what lies between two."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, strategies as st

from pytest_embedbench.parts import CATALOGUE
from pytest_embedbench.wiring.checking import check_diagram
from pytest_embedbench.wiring.netlist import NetPair
from tests.support.diagrams import UNO, diagram_text, netlist

BLINK = {**UNO, "r1": "wokwi-resistor", "led1": "wokwi-led"}
SHOW = """
import sys
from pytest_embedbench.parts import CATALOGUE
from pytest_embedbench.wiring.checking import check_diagram
report = check_diagram(sys.stdin.read(), "diagram.json", CATALOGUE)
print(report.netlist.as_text(), report.findings)
"""


def test_wires_join_and_resistors_do_not() -> None:
    nets = netlist(BLINK, "uno:13 - r1:1", "r1:2 - led1:A", "led1:C - uno:GND.2")
    assert nets.as_text() == {
        "uno:13": ["uno:13", "r1:1"],
        "GND": ["uno:GND", "led1:C"],
        "r1:2": ["r1:2", "led1:A"],
    }
    at = {name: nets.index[end] for end in nets.index if (name := str(end))}
    assert nets.resistors == (NetPair("r1", at["r1:1"], at["r1:2"], 1000),)
    assert nets.diodes == (NetPair("led1", at["led1:A"], at["led1:C"]),)
    assert nets.switches == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("uno:GND.1", "uno:GND.3"),
        ("uno:5V", "uno:IOREF"),
        ("uno:A4", "uno:A4.2"),
        ("btn:1.l", "btn:1.r"),
        ("btn:2.l", "btn:2.r"),
        ("seg:COM.1", "seg:COM.2"),
        ("bb:12t.a", "bb:12t.e"),
        ("bb:12b.f", "bb:12b.j"),
        ("bb:tp.1", "bb:tp.50"),
        ("gnd:GND", "uno:GND.1"),
    ],
)
def test_pins_that_are_one_inside_a_part_are_one_net(one: str, other: str) -> None:
    kinds = {"btn": "wokwi-pushbutton", "seg": "wokwi-7segment", "gnd": "wokwi-gnd"}
    parts = {**UNO, **kinds, "bb": "wokwi-breadboard"}
    nets = netlist(parts, f"{one} - uno:7", f"{other} - uno:8")
    assert nets.net_of("uno", "7") == nets.net_of("uno", "8")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("bb:12t.a", "bb:12b.f"),
        ("bb:12t.a", "bb:13t.a"),
        ("bb:tp.1", "bb:tn.1"),
        ("bb:tp.1", "bb:bp.1"),
        ("btn:1.l", "btn:2.l"),
        ("uno:5V", "uno:3.3V"),
    ],
)
def test_pins_that_are_not_are_not(one: str, other: str) -> None:
    parts = {**UNO, "btn": "wokwi-pushbutton", "bb": "wokwi-breadboard"}
    nets = netlist(parts, f"{one} - uno:7", f"{other} - uno:8")
    assert nets.net_of("uno", "7") != nets.net_of("uno", "8")


def test_a_breadboard_gives_the_nets_of_the_circuit_without_it() -> None:
    on_board = netlist(
        {**BLINK, "bb": "wokwi-breadboard"},
        *("uno:13 - bb:5t.a", "bb:5t.b - r1:1", "r1:2 - bb:9t.c", "bb:9t.e - led1:A"),
        *("led1:C - bb:tn.4", "bb:tn.25 - uno:GND.1"),
    )
    alone = netlist(BLINK, "uno:13 - r1:1", "r1:2 - led1:A", "led1:C - uno:GND.1")
    assert [
        {str(pin.endpoint) for pin in net.pins if pin.endpoint.part != "bb"}
        for net in on_board.nets
    ] == [{str(pin.endpoint) for pin in net.pins} for net in alone.nets]


def test_nets_are_called_as_people_call_them_and_no_two_alike() -> None:
    parts = {"vcc": "wokwi-vcc", **BLINK}
    nets = netlist(parts, "r1:1 - led1:C", "uno:A0 - led1:A")
    names = [net.name for net in nets.nets]
    assert len({*names}) == len(names)
    assert {"GND", "5V", "3.3V", "uno:5V", "r1:1", "uno:A0"} <= {*names}
    assert nets.net_of("vcc", "VCC").name == "5V"


@pytest.mark.parametrize(("voltage", "name"), [("3.3", "3.3V"), ("x", "5V")])
def test_a_supply_symbol_is_called_by_its_voltage(voltage: str, name: str) -> None:
    text = diagram_text({"v": "wokwi-vcc"}, attrs={"v": {"voltage": voltage}})
    nets = check_diagram(text, "diagram.json", CATALOGUE).netlist
    assert nets.net_of("v", "VCC").name == name


def test_switches_of_a_part_depend_on_its_attributes() -> None:
    text = diagram_text({"k": "wokwi-membrane-keypad"}, attrs={"k": {"columns": "3"}})
    nets = check_diagram(text, "diagram.json", CATALOGUE).netlist
    assert len(nets.switches) == 12
    assert len(netlist({"k": "wokwi-membrane-keypad"}).switches) == 16


def test_wires_to_nowhere_are_passed_over() -> None:
    nets = netlist({**UNO, "x": "wokwi-nothing"}, "uno:99 - uno:1", "x:1 - uno:2")
    assert nets.as_text() == {}


PINS = st.sampled_from(
    [*(f"uno:{i}" for i in range(14)), *(f"bb:{i}t.a" for i in range(1, 20))]
)


@given(st.lists(st.tuples(PINS, PINS), max_size=12), st.data())
def test_the_order_of_wires_changes_nothing(
    ends: list[tuple[str, str]], data: st.DataObject
) -> None:
    parts = {**UNO, "bb": "wokwi-breadboard"}
    first = netlist(parts, *(f"{one} - {other}" for one, other in ends))
    shuffled = data.draw(st.permutations(ends))
    turned = netlist(parts, *(f"{other} - {one}" for one, other in shuffled))
    assert turned.nets == first.nets


def test_nets_and_findings_do_not_depend_on_hash_seeds() -> None:
    parts = {**BLINK, "b": "wokwi-pushbutton", "k": "wokwi-membrane-keypad"}
    wires = ("uno:13 - led1:A", "led1:C - uno:GND.1", "uno:5V - b:1.l", "b:2.l - uno:3")
    text = diagram_text({**parts, "d": "wokwi-dht22"}, *wires, "d:SDA - uno:4")
    shown = {
        subprocess.run(
            [sys.executable, "-c", SHOW],
            input=text,
            env={"PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in range(4)
    }
    assert len(shown) == 1
    assert "led-without-resistor" in shown.pop()
