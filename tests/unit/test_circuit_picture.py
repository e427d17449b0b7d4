"""The picture of a circuit: well-formed, whole, and the same each time."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from pytest_embedbench.circuits.layout import BOX_WIDTH_PX, lay_out
from pytest_embedbench.circuits.picture import draw_circuit
from pytest_embedbench.parts import CATALOGUE
from pytest_embedbench.wiring.checking import check_diagram
from pytest_embedbench.wiring.diagram import Endpoint
from tests.support.diagrams import UNO, diagram_text, report

if TYPE_CHECKING:
    from pytest_embedbench.circuits.layout import CircuitLayout

SVG = "{http://www.w3.org/2000/svg}"
PARTS = {**UNO, "r1": "wokwi-resistor", "led1": "wokwi-led", "bb": "wokwi-breadboard"}
BLINK = (
    *("uno:13 - bb:5t.a", "bb:5t.b - r1:2", "r1:1 - bb:9t.c", "bb:9t.e - led1:A"),
    "led1:C - uno:GND.1",
)


def drawn(parts: dict[str, str], *wires: str) -> ET.Element:
    return ET.fromstring(draw_circuit(report(parts, *wires), CATALOGUE))


def layout(parts: dict[str, str], *wires: str) -> CircuitLayout:
    return lay_out(report(parts, *wires), CATALOGUE)


def texts(picture: ET.Element) -> list[str]:
    return [it.text or "" for it in picture.iter(f"{SVG}text")]


def test_parts_and_pins_are_named_and_what_joins_them_is_a_line_per_net() -> None:
    picture = drawn(PARTS, *BLINK)
    assert [it[0].text for it in picture.iter(f"{SVG}path")] == ["uno:13", "r1:1"]
    assert {it.get("stroke") for it in picture.iter(f"{SVG}path")} == {"green"}
    assert {"uno", "Arduino Uno R3", "13", "r1", "led1", "A", "C"} <= {*texts(picture)}
    assert "Resistor, 1000 ohm" in texts(picture)
    assert texts(picture).count("GND") == 3, "the board's pin, and a word at both"
    assert "bb" not in texts(picture)


def test_what_is_behind_a_resistor_stands_behind_it_with_pins_face_to_face() -> None:
    places = layout(PARTS, *BLINK).places
    ends = [("uno", "13"), ("r1", "2"), ("r1", "1"), ("led1", "A")]
    seen = [places[Endpoint(*end)] for end in ends]
    assert [place.is_right for place in seen] == [True, False, True, False]
    assert [place.x_px for place in seen] == sorted(place.x_px for place in seen)


def test_no_box_is_over_another_and_all_are_in_the_picture() -> None:
    parts = {f"p{index}": name for index, name in enumerate(CATALOGUE.types)}
    found = layout(parts, "p0:1 - p9:1", "p0:2 - p3:A")
    assert len(found.boxes) > 50
    for one, other in combinations(found.boxes, 2):
        beside = abs(one.left_px - other.left_px) >= BOX_WIDTH_PX
        above, below = sorted((one, other), key=lambda box: box.top_px)
        assert beside or above.top_px + above.height_px < below.top_px
    for box in found.boxes:
        assert box.left_px + BOX_WIDTH_PX < found.width_px
        assert box.top_px + box.height_px < found.height_px
        assert {*box.left_pins, *box.right_pins} == {*box.places()}


def test_a_part_with_findings_says_why() -> None:
    wires = ("uno:13 - led1:A", "led1:C - uno:GND.1")
    titles = [it.text or "" for it in drawn(PARTS, *wires).iter(f"{SVG}title")]
    assert any(it.startswith("led1: nothing limits the current") for it in titles)


@pytest.mark.parametrize("name", ['<b>&"', "a\x1b\ud800\x00", "x" * 300])
def test_names_and_colors_of_a_file_break_no_picture(name: str) -> None:
    text = diagram_text(
        {name: "wokwi-led", **UNO},
        f"{name}:A - uno:2",
        attrs={name: {"color": f'red" onload="{name}'}},
    )
    text = text.replace('"green"', '"url(#x)"')
    found = check_diagram(text, name, CATALOGUE)
    picture = ET.fromstring(draw_circuit(found, CATALOGUE))
    assert len([*picture.iter(f"{SVG}path")]) == 1
    assert {it.get("fill") for it in picture.iter(f"{SVG}circle")} == {None}


@pytest.mark.parametrize("text", ["", "[]", '{"parts": [], "connections": []}'])
def test_of_nothing_there_is_an_empty_picture(text: str) -> None:
    found = check_diagram(text, "diagram.json", CATALOGUE)
    picture = ET.fromstring(draw_circuit(found, CATALOGUE))
    assert texts(picture) == []
    assert int(picture.get("width", "0")) > 0


def test_equal_circuits_give_equal_bytes_in_any_order_of_wires() -> None:
    first = draw_circuit(report(PARTS, *BLINK), CATALOGUE)
    assert draw_circuit(report(PARTS, *reversed(BLINK)), CATALOGUE) == first
