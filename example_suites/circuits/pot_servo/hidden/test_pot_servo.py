"""Where the servo is, and what it is sent, while the knob is turned."""

import itertools

import pytest

from pytest_embedbench import Level
from pytest_embedbench.grading.checks import insist_bound, insist_that

WAY_DEG = 180


def turn(circuit, position, run_ms=1_000):
    circuit["pot"].set(position=position)
    circuit.bench.run_for(run_ms)


def check_angle(circuit, position, within_deg):
    angle_deg, due_deg = circuit["servo"].angle_deg, position * WAY_DEG
    insist_bound(
        f"angle in degrees with the knob at {position}",
        angle_deg,
        at_least=due_deg - within_deg,
        at_most=due_deg + within_deg,
    )


def pulses(circuit):
    """Return when each whole pulse began, and for how long it was, in us."""
    edges = list(circuit.edges("servo:PWM"))
    return [
        (begin_ns / 1000, (end_ns - begin_ns) / 1000)
        for (begin_ns, level), (end_ns, _) in itertools.pairwise(edges)
        if level is Level.HIGH
    ]


def check_pulses(circuit):
    """S1, S2 and S7, of all pulses up to now."""
    seen = pulses(circuit)
    insist_bound("pulses", len(seen), at_least=circuit.bench.uart.now_us // 20_500 - 10)
    for _, width_us in seen:
        insist_bound("a pulse in us", width_us, at_least=540, at_most=2405)
    most_us = 10 * (2400 - 544) / WAY_DEG + 1
    for (begin_us, before_us), (next_us, width_us) in itertools.pairwise(seen):
        if begin_us >= 200_000:
            gap_us = next_us - begin_us
            insist_bound("a period in us", gap_us, at_least=19_500, at_most=20_500)
        insist_bound("a step in us", abs(width_us - before_us), at_most=most_us)


@pytest.mark.brief("S1", "S2", "S3", "S7")
def test_the_servo_follows_the_knob(circuit):
    for position in (0.5, 0.1, 0.9, 0.33):
        turn(circuit, position)
        check_angle(circuit, position, within_deg=4)
    check_pulses(circuit)


@pytest.mark.brief("S3")
def test_it_goes_to_where_the_knob_is_at_the_start(circuit):
    turn(circuit, 0.7)
    check_angle(circuit, 0.7, within_deg=4)


@pytest.mark.brief("S4")
@pytest.mark.parametrize("rest", [0.2, 0.5, 0.81])
def test_it_does_not_tremble(circuit, rest):
    turn(circuit, rest)
    angle_deg = circuit["servo"].angle_deg
    for off in (0.009, -0.009, 0.005, -0.008, 0.009, -0.009):
        turn(circuit, rest + off, run_ms=100)
        insist_that("angle in degrees", circuit["servo"].angle_deg, angle_deg)


@pytest.mark.brief("S3", "S5")
@pytest.mark.parametrize("by", [0.004, -0.004])
def test_a_knob_that_creeps_is_followed(circuit, by):
    turn(circuit, 0.5)
    position = 0.5
    for _ in range(60):
        position += by
        turn(circuit, position, run_ms=40)
    circuit.bench.run_for(960)
    check_angle(circuit, position, within_deg=4)


@pytest.mark.brief("S2", "S6")
def test_it_reaches_both_ends(circuit):
    for end in (1, 0):
        turn(circuit, 0.5)
        for off in (0.015, 0.012, 0.004, 0):
            turn(circuit, abs(end - off), run_ms=400)
        check_angle(circuit, end, within_deg=1)
        turn(circuit, abs(end - 0.2))
        turn(circuit, abs(end - 0.004))
        check_angle(circuit, end, within_deg=1)
    check_pulses(circuit)
