"""Pictures of what nets did and of what parts show."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from pytest_embedbench.circuits.live_parts import Drawing, PartState, draw_state
from pytest_embedbench.circuits.picture import draw_circuit
from pytest_embedbench.circuits.wave_picture import MOST_LANES, draw_waves
from pytest_embedbench.parts import CATALOGUE
from pytest_embedbench.parts.models import MODELS
from pytest_embedbench.wiring.net_log import FIGHT, PwmChange
from pytest_embedbench.wiring.net_waves import NetWaves
from tests.support.diagrams import UNO, report
from tests.support.placed import OnTable
from tests.support.wave_records import number, record

if TYPE_CHECKING:
    from pytest_embedbench.wiring.part_model import Reading

SVG = "{http://www.w3.org/2000/svg}"
MS = 16_000
OBSERVED = [name for name, it in CATALOGUE.types.items() if it.observables]


def drawn(drawing: Drawing) -> ET.Element:
    return ET.fromstring(f'<svg xmlns="{SVG[1:-1]}">{"".join(drawing.lines)}</svg>')


def state(kind: str, **readings: Reading) -> ET.Element:
    return drawn(draw_state(CATALOGUE.types[kind], {}, PartState(readings, {})))


def texts(picture: ET.Element) -> list[str]:
    return [it.text or "" for it in picture.iter(f"{SVG}text")]


def fills(picture: ET.Element) -> list[str]:
    return [it.get("fill", "") for it in picture.iter(f"{SVG}rect")][1:]


def test_a_lane_for_each_net_that_moved_over_time_since_power_on() -> None:
    found = record(
        [(0, "GND", 0), (0, "uno:13", 0), (MS, "uno:13", 1), (2 * MS, "uno:2", FIGHT)],
        ends_ticks=10 * MS,
        pwm=[PwmChange(5 * MS, number("uno:9"), 160, 16)],
    )
    picture = ET.fromstring(draw_waves(NetWaves(found)))
    assert texts(picture)[2:-4] != []
    shown = [text for text in texts(picture) if ":" in text]
    assert shown == ["uno:2", "uno:9", "uno:13"]
    assert "time since power on (ms)" in texts(picture)
    assert {"0", "2", "4", "6", "8", "10"} <= {*texts(picture)}
    kinds = [it.get("class") for it in picture.iter(f"{SVG}rect")]
    assert sorted(filter(None, kinds)) == ["fight", "many", "paper"]
    again = draw_waves(NetWaves(found))
    assert again == draw_waves(NetWaves(found))


@pytest.mark.parametrize("ends_ticks", [0, 1, 16_000 * 1_000_000])
def test_any_length_of_time_has_an_axis(ends_ticks: int) -> None:
    found = record([(0, "uno:2", 1)], ends_ticks=ends_ticks)
    picture = ET.fromstring(draw_waves(NetWaves(found)))
    assert len(texts(picture)) < MOST_LANES


def test_a_light_is_as_bright_as_it_is() -> None:
    picture = state("wokwi-led", brightness=0.25)
    assert texts(picture) == ["brightness: 0.25"]
    lamp = [*picture.iter(f"{SVG}circle")][-1]
    assert (lamp.get("fill"), lamp.get("fill-opacity")) == ("red", "0.25")
    mixed = [*state("wokwi-rgb-led", rgb=(1.0, 0.5, 0.0)).iter(f"{SVG}circle")][-1]
    assert mixed.get("fill") == "#ff8000"


def test_what_is_no_picture_is_told_in_words() -> None:
    picture = state("wokwi-buzzer", tone_hz=440.25, is_on=True, outputs=(True, False))
    assert texts(picture) == ["tone_hz: 440.25", "is_on: yes", "outputs: yes no"]
    kind = CATALOGUE.types["wokwi-pushbutton"]
    held = draw_state(kind, {}, PartState({}, {"pressed": 1}))
    assert texts(drawn(held)) == ["held down"]
    turned = draw_state(kind, {}, PartState({}, {"position": 0.8}))
    assert texts(drawn(turned)) == ["set: position 0.8"]
    assert draw_state(kind, {}, PartState({}, {})) == Drawing(0)


def test_displays_show_what_they_show() -> None:
    picture = state("wokwi-lcd1602", text=("hello, <world>!".ljust(16), "\x00 1"))
    assert texts(picture) == ["hello, <world>!".ljust(16), "▯ 1"]
    picture = state("board-ssd1306", pixels=((True, True, False), (False,) * 3))
    (lit,) = fills(picture)
    assert lit
    assert [it.get("width") for it in picture.iter(f"{SVG}rect")] == ["24", "16"]
    picture = state("wokwi-led-ring", pixels=((255, 0, 0), (0, 0, 0), (0, 0, 255)))
    assert fills(picture) == ["#ff0000", "#0000ff"]
    picture = state("wokwi-led-matrix", pixels=(((1, 2, 3), (1, 2, 3)),))
    assert fills(picture) == ["#010203"]


def test_a_servo_points_where_it_does() -> None:
    (path,) = state("wokwi-servo", angle_deg=90.0).iter(f"{SVG}path")
    assert path.get("d") == "M13 13L13.0 3.0"


@pytest.mark.parametrize("kind", OBSERVED)
def test_every_part_can_be_drawn_as_it_begins(kind: str) -> None:
    if kind not in MODELS:
        pytest.skip("has no model")
    part, known = OnTable(kind), CATALOGUE.types[kind]
    readings = {name: part.see(name) for name in known.observables}
    drawing = draw_state(known, {}, PartState(readings, {}))
    drawn(drawing)
    shows = {"it": drawing}
    parts = {**UNO, "it": kind}
    pin = known.pins[0].name
    picture = draw_circuit(report(parts, f"uno:2 - it:{pin}"), CATALOGUE, shows)
    plain = draw_circuit(report(parts, f"uno:2 - it:{pin}"), CATALOGUE)
    assert len(picture) >= len(plain)
    ET.fromstring(picture)
