"""What the ring shows for a knob, and what goes over its line."""

import itertools

import pytest

from pytest_embedbench import Level
from pytest_embedbench.grading.checks import insist_bound, insist_that

DARK, GREEN, AMBER, RED = (0, 0, 0), (0, 40, 0), (40, 20, 0), (40, 0, 0)
GAUGE = [GREEN] * 8 + [AMBER] * 4 + [RED] * 4
SETTLED_MS = 50


@pytest.fixture
def turn(circuit, bench):
    """Turn the knob to a position, and let the ring follow."""

    def turn(position):
        circuit["knob"].set(position=position)
        bench.run_for(SETTLED_MS)

    return turn


@pytest.fixture
def insist_lit(circuit, bench):
    """Insist on how many pixels are lit, and on the colours of all."""

    def insist_lit(lit, why=""):
        insist_that(
            "ring.pixels",
            [tuple(pixel) for pixel in circuit["ring"].pixels],
            GAUGE[:lit] + [DARK] * (16 - lit),
            at_ms=bench.uart.now_us / 1000,
            why=why,
        )

    return insist_lit


@pytest.mark.brief("R1", "R2", "R4")
@pytest.mark.parametrize(
    ("position", "lit"),
    [(0, 0), (0.03, 0), (0.08, 1), (0.5, 8), (0.55, 9), (0.74, 12), (0.92, 15)],
)
def test_as_many_pixels_are_lit_as_the_knob_says(turn, insist_lit, position, lit):
    turn(position)
    insist_lit(lit)


@pytest.mark.brief("R1", "R2", "R4")
def test_it_follows_both_ways(turn, insist_lit):
    for lit in (3, 13, 7, 0, 15, 1):
        turn((lit + 0.5) / 17)
        insist_lit(lit)


@pytest.mark.brief("R5")
def test_a_trembling_knob_changes_nothing(turn, insist_lit):
    turn(8.9 / 17)
    for position in (9 / 17 + 0.002, 9 / 17 - 0.002, 9 / 17 + 0.002):
        turn(position)
        insist_lit(8, "less than half a percent is no step")
    turn(9.3 / 17)
    insist_lit(9)


@pytest.mark.brief("R3")
def test_a_full_ring_flashes_red(circuit, bench):
    circuit["knob"].set(position=1)
    began_us = bench.uart.now_us
    bench.run_for(1100)
    insist_that("pixels", shown(circuit), [RED], at_ms=1100)
    since_us = sends(circuit, since_us=began_us)
    waits_ms = [(b - a) / 1000 for a, b in itertools.pairwise(since_us)]
    insist_that("times that the ring was sent to in 1.1 s", len(since_us), 5)
    for wait_ms in waits_ms:
        insist_bound("time between two flashes", wait_ms, at_least=245, at_most=255)
    bench.run_for(200)
    insist_that("pixels", shown(circuit), [DARK], at_ms=1300, why="the flash goes on")


@pytest.mark.brief("R3", "R4")
def test_it_stops_flashing_below(turn, insist_lit, bench):
    turn(1)
    bench.run_for(300)
    turn(0.9)
    insist_lit(15)
    bench.run_for(300)
    insist_lit(15, "only the highest step flashes")


@pytest.mark.brief("R5")
def test_nothing_is_sent_while_nothing_changes(circuit, turn, bench):
    turn(0.4)
    since_us = bench.uart.now_us
    bench.run_for(300)
    insist_that("times sent to", len(sends(circuit, since_us=since_us)), 0)


def shown(circuit):
    """Return the colours that are to be seen, each once."""
    return sorted({tuple(pixel) for pixel in circuit["ring"].pixels})


def sends(circuit, *, since_us):
    """Return when, in us, data began to go to the ring: after 1 ms of rest or more."""
    rises_us = [
        edge.at_ns / 1000
        for edge in circuit.edges("ring:DIN", since_us=since_us)
        if edge.level is Level.HIGH
    ]
    before_us = [-1e9, *rises_us]
    return [
        at_us
        for at_us, last_us in zip(rises_us, before_us, strict=False)
        if at_us - last_us > 1000
    ]
