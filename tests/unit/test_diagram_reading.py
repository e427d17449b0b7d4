"""From the text of a diagram.json to its nouns; one complaint per mistake of form."""

from __future__ import annotations

import json

import pytest

from pytest_embedbench.wiring.diagram import (
    DiagramPart,
    DiagramWire,
    Endpoint,
    SerialMonitor,
)
from pytest_embedbench.wiring.findings import FindingKind
from pytest_embedbench.wiring.reading import read_diagram

WHOLE = """{
  "version": 1,
  "author": "somebody",
  "editor": "wokwi",
  "parts": [
    { "type": "wokwi-arduino-uno", "id": "uno", "top": -4.5, "left": 10, "attrs": {} },
    {
      "type": "wokwi-led",
      "id": "led & 1",
      "rotate": 90,
      "hide": true,
      "attrs": { "color": "red", "gamma": 2.8, "on": true, "keys": ["1", "2"] }
    }
  ],
  "connections": [
    [ "uno:13", "led & 1:A", "green", [ "v10", "h-5.5", "*", "v0" ] ],
    [ "led & 1:C", "uno:GND.1" ],
    [ "uno:1", "$serialMonitor:RX", "", [ "$bb" ] ]
  ],
  "serialMonitor": { "display": "plotter", "newline": "crlf", "convertEol": true },
  "dependencies": { "Servo": "1.2.0" }
}"""


def test_all_that_is_in_a_diagram_is_read() -> None:
    diagram, findings = read_diagram(WHOLE, "diagram.json")
    assert findings == ()
    assert diagram.parts == (
        DiagramPart(id="uno", type="wokwi-arduino-uno", left=10, top=-4.5, line=6),
        DiagramPart(
            id="led & 1",
            type="wokwi-led",
            attrs={"color": "red", "gamma": "2.8", "on": "true", "keys": '["1", "2"]'},
            rotate=90,
            is_hidden=True,
            line=7,
        ),
    )
    route = ("v10", "h-5.5", "*", "v0")
    assert diagram.wires == (
        DiagramWire(
            Endpoint("uno", "13"), Endpoint("led & 1", "A"), "green", route, 16
        ),
        DiagramWire(Endpoint("led & 1", "C"), Endpoint("uno", "GND.1"), line=17),
        DiagramWire(
            Endpoint("uno", "1"), Endpoint("$serialMonitor", "RX"), "", ("$bb",), 18
        ),
    )
    assert diagram.serial_monitor == SerialMonitor(
        display="plotter", newline="crlf", convert_eol=True
    )
    assert diagram.dependencies == {"Servo": "1.2.0"}
    assert (diagram.author, diagram.editor) == ("somebody", "wokwi")
    assert diagram.text == WHOLE
    assert repr(diagram) == "<Diagram diagram.json: 2 parts, 3 wires>"


def test_a_pin_begins_at_the_first_colon() -> None:
    text = '{"parts": [], "connections": [["a:b:c", "d:e"]]}'
    diagram, _ = read_diagram(text, "diagram.json")
    assert diagram.wires[0].start == Endpoint("a", "b:c")


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("version", ["1", "1.0"])
def test_version_1_is_read_however_it_is_written(version: str, mark: str) -> None:
    text = f'{mark}{{"version": {version}, "parts": [], "connections": []}}'
    assert read_diagram(text, "diagram.json").findings == ()


PART = '{"id": "a", "type": "wokwi-led"}'
MISTAKES = {
    '{"parts": [,]}': (1, "is no JSON: Expecting value, column 12"),
    "": (1, "is no JSON: Expecting value, column 1"),
    '{"parts": [NaN]}': (0, "is no JSON that can be read: NaN is no number"),
    "[]": (1, "must be an object with parts and connections, is []"),
    '{"connections": []}': (1, "the diagram has no 'parts'"),
    '{"parts": []}': (1, "the diagram has no 'connections'"),
    '{"parts": {},\n"connections": []}': (1, "'parts' must be a list, is {}"),
    '{"parts": [],\n"connections": [],\n"version": 2}': (3, "version 2 is not known"),
    '{"parts": [\n3],\n"connections": []}': (2, "a part must be an object, is 3"),
    '{"parts": [\n{"id": "a"}],\n"connections": []}': (2, "part 'a' has no 'type'"),
    '{"parts": [\n{"type": "a"}],\n"connections": []}': (2, "part 0 has no 'id'"),
    '{"parts": [\n{"type": "a", "id": 4}],\n"connections": []}': (
        *(2, "part 0: 'id' must be text, is 4"),
    ),
    '{"parts": [\n{"type": "a",\n"id": "b:c"}],\n"connections": []}': (
        *(3, "an id must be text without ':', is 'b:c'"),
    ),
    '{"parts": [\n{"type": "a", "id": "b",\n"top": true}],\n"connections": []}': (
        *(3, "part 'b': 'top' must be a number, is True"),
    ),
    f'{{"parts": [{PART},\n{PART}], "connections": []}}': (
        *(2, "the id 'a' is already that of line 1"),
    ),
    '{"parts": [\n{"type": "a", "id": "b",\n"attrs": {\n"c": {}}}],'
    '"connections": []}': (*(4, "b: attribute 'c' must be text, is {}"),),
    '{"parts": [], "connections": [\n["a:b"]]}': (2, "a connection must be ["),
    '{"parts": [], "connections": [\n"a:b"]}': (2, "a connection must be ["),
    '{"parts": [], "connections": [["a:b",\n"c"]]}': (
        *(2, "an end of a wire must be 'part:pin', is 'c'"),
    ),
    '{"parts": [], "connections": [["a:b", "c:d",\n7]]}': (
        *(2, "a color must be text, is 7"),
    ),
    '{"parts": [], "connections": [["a:b", "c:d", "red",\n["up"]]]}': (
        *(2, "a route is a list of 'v10', 'h-5' and one '*', not 'up'"),
    ),
    '{"parts": [], "connections": [],\n"serialMonitor": {"newline": "x"}}': (
        *(2, "serialMonitor: newline must be one of lf, cr, crlf, none, is 'x'"),
    ),
    '{"parts": [], "connections": [],\n"parts": []}': (2, "'parts' is there twice"),
}


@pytest.mark.parametrize(
    ("text", "told"), MISTAKES.items(), ids=lambda it: str(it)[:40]
)
def test_a_mistake_is_told_once_with_its_line(text: str, told: tuple[int, str]) -> None:
    (finding,) = read_diagram(text, "diagram.json").findings
    line, words = told
    assert finding.line == line
    assert words in finding.text
    assert finding.kind.is_error


def test_a_key_that_nobody_reads_is_a_warning_with_what_is_meant() -> None:
    part = {"id": "a", "type": "b", "x": 3, "hidden": True}
    text = json.dumps({"parts": [part], "connections": []})
    findings = read_diagram(text, "diagram.json").findings
    assert [it.kind for it in findings] == [FindingKind.UNKNOWN_KEY] * 2
    assert "do you mean 'left'?" in findings[0].text
    assert "do you mean 'hide'?" in findings[1].text


def test_a_text_that_is_too_deep_is_no_json() -> None:
    (finding,) = read_diagram("[" * 100_000, "diagram.json").findings
    assert finding.text.startswith("is no JSON that can be read")


def test_parts_behind_a_mistake_are_read_all_the_same() -> None:
    text = f'{{"parts": [3, {PART}], "connections": []}}'
    diagram, _ = read_diagram(text, "diagram.json")
    assert [part.id for part in diagram.parts] == ["a"]


def test_a_finding_reads_like_a_compilers() -> None:
    (finding,) = read_diagram("[]", "x/diagram.json").findings
    assert finding.told_of("x/diagram.json") == (
        "x/diagram.json:1: error: must be an object with parts and connections, is [] "
        "[malformed]"
    )


def test_a_finding_is_one_line_of_plain_text_whatever_the_file_says() -> None:
    text = json.dumps({"parts": [{"id": "a\n\x1b[31m:\ud800", "type": "b"}]})
    told = [it.told_of("x") for it in read_diagram(text, "x").findings]
    assert all(line.isprintable() for line in told)
    assert any("a\\n\\x1b[31m:\\ud800" in line for line in told)
