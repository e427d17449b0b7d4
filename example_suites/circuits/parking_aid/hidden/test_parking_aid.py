"""What the driver hears and sees."""

import itertools

import pytest

from pytest_embedbench import Level
from pytest_embedbench.grading.checks import insist_bound, insist_that

LAMPS = ["far", "near", "stop"]
PAUSE_NS = 20_000_000
"""What is longer without an edge is silence between two beeps."""


def drive(circuit, distance_cm, run_ms=200):
    circuit["sonar"].set(distance=distance_cm)
    circuit.bench.run_for(run_ms)


def check_lamp(circuit, due):
    lit = [lamp for lamp in LAMPS if circuit.level(f"{lamp}:A") is Level.HIGH]
    insist_that("what is lit", lit, [due], at_ms=circuit.bench.uart.now_us / 1000)


def beeps(circuit, since_us):
    """Return when each beep began and ended, in ms, and its frequency."""
    rises = [
        at_ns
        for at_ns, level in circuit.edges("buzzer:2", since_us=since_us)
        if level is Level.HIGH
    ]
    runs = []
    for at_ns in rises:
        if not runs or at_ns - runs[-1][-1] > PAUSE_NS:
            runs.append([])
        runs[-1].append(at_ns)
    return [
        (run[0] / 1e6, run[-1] / 1e6, (len(run) - 1) * 1e9 / (run[-1] - run[0]))
        for run in runs
        if len(run) > 1
    ]


@pytest.mark.brief("P1", "P5")
@pytest.mark.parametrize("distance_cm", [104, 150, 200, 340, 400])
def test_far_is_green_and_quiet(circuit, distance_cm):
    drive(circuit, distance_cm)
    since_us = circuit.bench.uart.now_us
    check_lamp(circuit, "far")
    circuit.bench.run_for(300)
    check_lamp(circuit, "far")
    insist_that(
        "edges at the buzzer", len(circuit.edges("buzzer:2", since_us=since_us)), 0
    )


@pytest.mark.brief("P2", "P3", "P5")
@pytest.mark.parametrize("distance_cm", [32, 50, 65, 96])
def test_near_is_yellow_and_beeps(circuit, distance_cm):
    drive(circuit, distance_cm)
    check_lamp(circuit, "near")
    since_us, due_ms = circuit.bench.uart.now_us, 100 + 5 * (distance_cm - 30)
    circuit.bench.run_for(3 * due_ms + 100)
    check_lamp(circuit, "near")
    whole = beeps(circuit, since_us)[1:-1]
    insist_bound("whole beeps", len(whole), at_least=1)
    for begin_ms, end_ms, tone_hz in whole:
        insist_bound("tone in Hz", tone_hz, at_least=980, at_most=1020)
        insist_bound("a beep in ms", end_ms - begin_ms, at_least=39, at_most=61)
    starts_ms = [begin_ms for begin_ms, _, _ in beeps(circuit, since_us)[1:]]
    for one, other in itertools.pairwise(starts_ms):
        what = "from beep to beep in ms"
        insist_bound(what, other - one, at_least=due_ms - 25, at_most=due_ms + 25)


@pytest.mark.brief("P4", "P5")
@pytest.mark.parametrize("distance_cm", [2, 15, 29])
def test_too_near_is_red_and_does_not_pause(circuit, distance_cm):
    drive(circuit, distance_cm)
    since_us = circuit.bench.uart.now_us
    for _ in range(4):
        circuit.bench.run_for(50)
        check_lamp(circuit, "stop")
        tone_hz = circuit["buzzer"].tone_hz
        insist_bound("tone in Hz", tone_hz, at_least=1960, at_most=2040)
    insist_that("tones without a pause", len(beeps(circuit, since_us)), 1)


@pytest.mark.brief("P1", "P2", "P4")
def test_it_follows_a_car(circuit):
    for distance_cm, due in [(300, "far"), (80, "near"), (20, "stop"), (45, "near")]:
        drive(circuit, distance_cm)
        check_lamp(circuit, due)
    drive(circuit, 120)
    check_lamp(circuit, "far")
    circuit.bench.run_for(50)
    insist_that("tone in Hz", circuit["buzzer"].tone_hz, 0)


@pytest.mark.brief("P6")
@pytest.mark.parametrize("distance_cm", [2, 60, 400])
def test_the_ranger_is_asked_as_it_wants(circuit, distance_cm):
    drive(circuit, distance_cm, run_ms=600)
    edges = circuit.edges("sonar:TRIG")
    rises = [at_ns for at_ns, level in edges if level is Level.HIGH]
    insist_bound("questions", len(rises), at_least=3)
    for (at_ns, level), (next_ns, _) in itertools.pairwise(edges):
        if level is Level.HIGH:
            insist_bound("a pulse in us", (next_ns - at_ns) / 1000, at_least=10)
    for one, other in itertools.pairwise(rises):
        insist_bound("between two questions in ms", (other - one) / 1e6, at_least=60)
