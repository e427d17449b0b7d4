"""Joystick, keypad and resistive sensors, by what firmware computes from them."""

from __future__ import annotations

import math

import pytest

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.pins import Level
from tests.support.placed import OnTable


def test_a_joystick_is_in_the_middle_until_it_is_tilted() -> None:
    stick = OnTable("wokwi-analog-joystick", bounce="0")
    assert stick.wires.volts_mv == {"HORZ": 2500, "VERT": 2500}
    stick.set("x", -1)
    stick.set("y", 1)
    assert stick.wires.volts_mv == {"HORZ": 0, "VERT": 5000}
    stick.set("pressed", 1)
    assert stick.wires.closed == {("SEL", "GND")}
    stick.set("pressed", 0)
    assert not stick.wires.closed


def test_a_key_joins_its_row_and_its_column() -> None:
    keypad = OnTable("wokwi-membrane-keypad")
    keypad.set("row2column4", 1)
    keypad.set("row4column1", 1)
    assert keypad.wires.closed == {("R2", "C4"), ("R4", "C1")}
    keypad.set("row2column4", 0)
    assert keypad.wires.closed == {("R4", "C1")}


def test_a_narrow_keypad_has_no_fourth_column() -> None:
    keypad = OnTable("wokwi-membrane-keypad", columns="3")
    keypad.set("row1column3", 1)
    with pytest.raises(ConfigError, match="keypad of 3 columns has no row1column4"):
        keypad.set("row1column4", 1)


@pytest.mark.parametrize("celsius", [-40, 0, 24, 25, 80, 125])
def test_an_ntc_reads_as_a_sketch_computes_it(celsius: float) -> None:
    sensor = OnTable("wokwi-ntc-temperature-sensor")
    sensor.set("temperature", celsius)
    reading = sensor.wires.volts_mv["OUT"] / 5000 * 1023
    resistance = 1 / (1023 / reading - 1)
    kelvin = 1 / (math.log(resistance) / 3950 + 1 / 298.15)
    assert kelvin - 273.15 == pytest.approx(celsius, abs=0.5)


def test_an_ntc_is_in_the_middle_at_25_degrees() -> None:
    sensor = OnTable("wokwi-ntc-temperature-sensor", temperature="25")
    assert sensor.wires.volts_mv == {"OUT": 2500}


@pytest.mark.parametrize("lux", [0.1, 1, 10, 500, 10_000])
def test_a_photoresistor_reads_as_a_sketch_computes_it(lux: float) -> None:
    sensor = OnTable("wokwi-photoresistor-sensor")
    sensor.set("lux", lux)
    volts = sensor.wires.volts_mv["AO"] / 1000
    resistance = 2000 * volts / (1 - volts / 5)
    computed = (50e3 * 10**0.7 / resistance) ** (1 / 0.7)
    assert computed == pytest.approx(lux, rel=0.05)


# R is 10 kOhm, and AO in the middle, at 10 * 5 ** (1 / 0.7) = 99.7 lx.
@pytest.mark.parametrize(("lux", "level"), [(95, Level.HIGH), (105, Level.LOW)])
def test_a_photoresistor_says_that_it_is_dark(lux: float, level: Level) -> None:
    sensor = OnTable("wokwi-photoresistor-sensor", lux=str(lux))
    assert sensor.wires.driven["DO"].level is level
