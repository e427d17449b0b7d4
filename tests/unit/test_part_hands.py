"""What hands move: buttons, switches, knobs."""

from __future__ import annotations

import math

import pytest

from pytest_embedbench.errors import ConfigError, UnknownName
from pytest_embedbench.parts import CATALOGUE
from pytest_embedbench.wiring.placed_part import check_control
from tests.support.placed import OnTable


@pytest.mark.parametrize("kind", ["wokwi-pushbutton", "wokwi-pushbutton-6mm"])
def test_a_clean_button_joins_its_sides_while_it_is_pressed(kind: str) -> None:
    button = OnTable(kind, bounce="0")
    assert not button.wires.closed
    for pressed in (1, 1, 0, 0, 1):
        button.wires.advance_us(100)
        button.set("pressed", pressed)
        assert button.wires.closed == ({("1.l", "2.l")} if pressed else set())
    assert [at for at, _ in button.events_us("1.l", "2.l")] == [100, 300, 500]


def test_a_button_bounces_10_to_100_times_within_a_millisecond() -> None:
    button = OnTable("wokwi-pushbutton")
    counts: set[int] = set()
    for move in range(40):
        button.wires.events.clear()
        began_us = button.wires.now_ticks / button.wires.ticks_per_us
        pressed = not move % 2
        button.set("pressed", pressed)
        button.wires.advance_us(1000)
        edges = button.events_us("1.l", "2.l")
        assert 10 <= len(edges) <= 100
        assert edges[0] == (began_us, pressed)
        assert edges[-1] == (began_us + 1000, pressed)
        button.wires.advance_us(50_000)
        assert button.events_us("1.l", "2.l") == edges
        counts.add(len(edges))
    assert len(counts) > 5


def test_who_lets_go_while_it_bounces_ends_with_an_open_contact() -> None:
    button = OnTable("wokwi-pushbutton")
    button.set("pressed", 1)
    button.wires.advance_us(400)
    button.set("pressed", 0)
    button.wires.advance_us(5000)
    assert not button.wires.closed
    assert button.wires.events[-1].at_ticks == 1400 * button.wires.ticks_per_us


@pytest.mark.parametrize(("value", "joined"), [("", ("1", "2")), ("1", ("3", "2"))])
def test_a_slide_switch_begins_where_the_diagram_has_it(
    value: str, joined: tuple[str, str]
) -> None:
    assert OnTable("wokwi-slide-switch", value=value).wires.closed == {joined}


def test_a_slide_switch_breaks_before_it_makes() -> None:
    switch = OnTable("wokwi-slide-switch", bounce="0")
    for value, joined in ((1, ("3", "2")), (0, ("1", "2"))):
        switch.wires.events.clear()
        switch.set("value", value)
        assert switch.wires.closed == {joined}
        assert [event.value for event in switch.wires.events] == [False, True]


@pytest.mark.parametrize("values", ["10000001", "1,0,0,0,0,0,0,1"])
def test_a_dip_switch_has_eight_switches(values: str) -> None:
    switch = OnTable("wokwi-dip-switch-8", values=values)
    assert switch.wires.closed == {("1a", "1b"), ("8a", "8b")}
    switch.set("switch1", 0)
    switch.set("switch3", 1)
    assert switch.wires.closed == {("3a", "3b"), ("8a", "8b")}


@pytest.mark.parametrize("kind", ["wokwi-potentiometer", "wokwi-slide-potentiometer"])
def test_a_knob_divides_5_v(kind: str) -> None:
    knob = OnTable(kind, value="1023")
    assert knob.wires.volts_mv == {"SIG": 5000}
    for position, due_mv in ((0, 0), (0.5, 2500), (0.8, 4000), (1, 5000)):
        knob.set("position", position)
        assert knob.wires.volts_mv == {"SIG": due_mv}


@pytest.mark.parametrize("position", [-0.1, 1.1, float("nan"), float("inf")])
def test_a_knob_is_not_turned_over_its_end(position: float) -> None:
    knob = OnTable("wokwi-potentiometer")
    with pytest.raises(ConfigError, match=r"^it: position cannot be .*: it is 0 to 1$"):
        knob.set("position", position)


@pytest.mark.parametrize("position", [math.nan, math.inf, 1e300, 10**400, "1", None])
def test_what_is_no_number_of_its_range_is_told(position: float) -> None:
    kind = CATALOGUE.types["wokwi-potentiometer"]
    with pytest.raises(ConfigError, match=r"position cannot be .*: it is 0 to 1"):
        check_control("pot", kind, "position", position)


def test_what_a_type_does_not_have_is_named() -> None:
    knob = OnTable("wokwi-potentiometer")
    with pytest.raises(UnknownName, match="positoin"):
        knob.set("positoin", 1)
    with pytest.raises(UnknownName, match="angle"):
        knob.see("angle")
