"""What the display says of the weather, and of a sensor that is gone."""

import itertools

import pytest

from pytest_embedbench import Level
from pytest_embedbench.grading.checks import insist_bound, insist_that

SHOWN_MS = 2_500


def show(circuit, *due):
    rows = tuple(row.rstrip() for row in circuit["lcd"].text)
    insist_that("the display", rows, due, at_ms=circuit.bench.uart.now_us / 1000)


def weather(circuit, temperature_c, humidity_pct):
    circuit["dht"].set(temperature=temperature_c, humidity=humidity_pct)


@pytest.mark.brief("W1", "W6")
@pytest.mark.parametrize(
    ("temperature_c", "humidity_pct", "rows"),
    [
        (23.4, 45.6, ("T: 23.4 C", "H: 45.6 %")),
        (-0.5, 100, ("T: -0.5 C", "H: 100.0 %")),
        (-12.3, 0, ("T: -12.3 C", "H: 0.0 %")),
        (0, 8.9, ("T: 0.0 C", "H: 8.9 %")),
        (80, 99.9, ("T: 80.0 C", "H: 99.9 %")),
        (-40, 25.6, ("T: -40.0 C", "H: 25.6 %")),
    ],
)
def test_readings_are_shown(circuit, temperature_c, humidity_pct, rows):
    weather(circuit, temperature_c, humidity_pct)
    circuit.bench.run_for(SHOWN_MS)
    show(circuit, *rows)
    insist_that("the backlight", circuit["lcd"].backlight)


@pytest.mark.brief("W1", "W2")
def test_what_changes_is_shown_and_leaves_nothing_behind(circuit):
    weather(circuit, -12.3, 100)
    circuit.bench.run_for(SHOWN_MS)
    weather(circuit, 4.5, 6.7)
    circuit.bench.run_for(SHOWN_MS)
    show(circuit, "T: 4.5 C", "H: 6.7 %")


@pytest.mark.brief("W3")
def test_the_sensor_is_left_alone_for_long_enough(circuit):
    circuit.bench.run_for(7_600)
    insist_bound("readings", circuit["dht"].readings, at_least=2)
    lows = circuit.edges("plug:2")
    asked_ms = [
        begin_ns / 1e6
        for (begin_ns, level), (end_ns, _) in itertools.pairwise(lows)
        if level is Level.LOW and end_ns - begin_ns > 500_000
    ]
    insist_bound("asked first, in ms", asked_ms[0], at_least=1_000)
    for one, other in itertools.pairwise(asked_ms):
        insist_bound("between two questions in ms", other - one, at_least=2_000)


@pytest.mark.brief("W4", "W5")
def test_a_sensor_that_is_gone_is_an_error_until_it_is_back(circuit):
    weather(circuit, 21.5, 40)
    circuit.bench.run_for(SHOWN_MS)
    show(circuit, "T: 21.5 C", "H: 40.0 %")
    circuit["plug"].set(value=1)
    circuit.bench.run_for(SHOWN_MS)
    show(circuit, "SENSOR ERROR", "")
    weather(circuit, 19.8, 41)
    circuit.bench.run_for(1_000)
    show(circuit, "SENSOR ERROR", "")
    circuit["plug"].set(value=0)
    circuit.bench.run_for(SHOWN_MS)
    show(circuit, "T: 19.8 C", "H: 41.0 %")


@pytest.mark.brief("W4")
def test_a_sensor_that_was_never_there_is_an_error(circuit):
    circuit["plug"].set(value=1)
    circuit.bench.run_for(SHOWN_MS)
    show(circuit, "SENSOR ERROR", "")
