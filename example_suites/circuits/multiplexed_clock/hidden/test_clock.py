"""What somebody sees who looks at the clock and sets it."""

import itertools

import pytest

from pytest_embedbench import Level
from pytest_embedbench.grading.checks import insist_bound, insist_that

DIGITS = ["DIG1", "DIG2", "DIG3", "DIG4"]
SEGMENTS = ["A", "B", "C", "D", "E", "F", "G", "DP"]


def press(circuit, button, times, duration_ms=40):
    for _ in range(times):
        circuit[button].press(duration_ms=duration_ms)
        circuit.bench.run_for(40)


def show(circuit, due):
    insist_that("the display", circuit["display"].text, due, at_ms=now_ms(circuit))


def now_ms(circuit):
    return circuit.bench.uart.now_us // 1000


def run_until(circuit, at_ms):
    circuit.bench.run_for(at_ms - now_ms(circuit))


@pytest.mark.brief("C1", "C2")
def test_it_counts_seconds(circuit):
    for at_ms, due in [
        (100, "00.00"),
        (900, "00.00"),
        (1100, "00.01"),
        (3900, "00.03"),
    ]:
        run_until(circuit, at_ms)
        show(circuit, due)


@pytest.mark.brief("C3", "C5")
def test_a_press_adds_a_minute(circuit):
    run_until(circuit, 100)
    press(circuit, "minutes", 3)
    show(circuit, "03.00")
    circuit["minutes"].press(duration_ms=400)
    circuit.bench.run_for(40)
    show(circuit, "04.00")


@pytest.mark.brief("C4", "C5")
def test_a_press_adds_ten_seconds_within_the_minute(circuit):
    run_until(circuit, 1100)
    press(circuit, "seconds", 5)
    show(circuit, "00.51")
    press(circuit, "seconds", 1)
    run_until(circuit, 2100)
    show(circuit, "00.02")


@pytest.mark.brief("C3")
def test_minute_59_is_followed_by_0(circuit):
    run_until(circuit, 100)
    press(circuit, "minutes", 59)
    run_until(circuit, 5_100)
    show(circuit, "59.05")
    press(circuit, "minutes", 1)
    show(circuit, "00.05")


@pytest.mark.brief("C2", "C3", "C4", "C6")
def test_an_hour_is_followed_by_zero(circuit):
    run_until(circuit, 100)
    press(circuit, "seconds", 5)
    press(circuit, "minutes", 59)
    for at_ms, due in [(9_900, "59.59"), (10_100, "00.00")]:
        run_until(circuit, at_ms)
        show(circuit, due)


@pytest.mark.brief("C7", "C8")
def test_digits_take_turns_so_fast_that_nobody_sees_it(circuit):
    run_until(circuit, 300)
    turns = []
    for digit in DIGITS:
        edges = circuit.edges(f"display:{digit}", since_us=100_000)
        starts = [at_ns for at_ns, level in edges if level is Level.LOW]
        gaps_ms = [(b - a) / 1e6 for a, b in itertools.pairwise(starts)]
        insist_bound(
            f"longest gap of {digit} in ms", max(gaps_ms, default=None), at_most=20
        )
        turns += [(at_ns, level is Level.LOW) for at_ns, level in edges]
    is_on = 0
    for at_ns, begins in sorted(turns):
        is_on += 1 if begins else -1
        insist_bound("digits that are on", is_on, at_most=1, at_ms=at_ns / 1e6)


@pytest.mark.brief("C9")
def test_segments_change_in_the_dark(circuit):
    run_until(circuit, 200)
    changes = [
        at_ns
        for segment in SEGMENTS
        for at_ns, _ in circuit.edges(f"display:{segment}", since_us=100_000)
    ]
    for digit in DIGITS:
        on_ns = None
        for at_ns, level in circuit.edges(f"display:{digit}", since_us=100_000):
            if level is Level.LOW:
                on_ns = at_ns
            elif on_ns is not None:
                within = [change for change in changes if on_ns < change < at_ns]
                insist_that(f"changes of segments while {digit} is on", len(within), 0)
