"""Which LEDs are lit, and for how long."""

import itertools

import pytest

from pytest_embedbench import Level
from pytest_embedbench.grading.checks import insist_bound, insist_that

LEDS = range(1, 17)
SETTLED_US = 100_000


def history(circuit):
    """Return what was lit, and from when on in ns; what is at a moment is one."""
    edges = sorted(
        (at_ns, led, level is Level.HIGH)
        for led in LEDS
        for at_ns, level in circuit.edges(f"led{led}:A")
    )
    seen, lit = {}, set()
    for at_ns, led, is_lit in edges:
        lit = lit | {led} if is_lit else lit - {led}
        seen[at_ns] = lit
    return list(seen.items())


def steps(circuit):
    """Return each LED as it was lit, and from when on in ms; insists on R1 and R5."""
    told = history(circuit)
    for at_ns, lit in told[1:]:
        insist_that("how many LEDs are lit", len(lit), 1, at_ms=at_ns / 1e6)
    return [(at_ns / 1e6, *lit) for at_ns, lit in told if lit]


def check_durations(seen, due_ms):
    for (begin_ms, led), (end_ms, _) in itertools.pairwise(seen):
        what = f"led{led} is lit, in ms"
        lasts_ms = end_ms - begin_ms
        insist_bound(what, lasts_ms, at_least=0.95 * due_ms, at_most=1.05 * due_ms)


@pytest.mark.brief("R1", "R2", "R3", "R5")
def test_the_light_runs_and_begins_again(circuit):
    circuit["speed"].set(position=1)
    circuit.bench.run_for(100)
    brightness = {led: circuit[f"led{led}"].brightness for led in LEDS}
    insist_that("LEDs that are bright", sum(it > 0.5 for it in brightness.values()), 1)
    circuit.bench.run_for(1_700)
    seen = steps(circuit)
    insist_bound("steps", len(seen), at_least=33)
    order = [led for _, led in seen]
    insist_that("LEDs as they were lit", order[:33], [*LEDS, *LEDS, 1])
    check_durations(seen[2:], due_ms=50)


@pytest.mark.brief("R3", "R5")
@pytest.mark.parametrize(("position", "due_ms"), [(0, 500), (0.25, 387.5), (0.8, 140)])
def test_the_knob_says_how_fast(circuit, position, due_ms):
    circuit["speed"].set(position=position)
    circuit.bench.run_for(int(4.5 * due_ms))
    seen = steps(circuit)
    insist_bound("steps", len(seen), at_least=4)
    check_durations(seen[1:], due_ms)


@pytest.mark.brief("R4")
def test_a_turn_of_the_knob_counts_at_once(circuit):
    circuit.bench.run_for(700)
    _last_ms, before = steps(circuit)[-1]
    circuit["speed"].set(position=1)
    circuit.bench.run_for(10)
    now_ms, led = steps(circuit)[-1]
    insist_that("the LED that is lit", led, before + 1, at_ms=now_ms)
    circuit["speed"].set(position=0)
    circuit.bench.run_for(450)
    insist_that("the LED that is lit", steps(circuit)[-1][1], led)


@pytest.mark.brief("R1")
def test_the_light_is_there_at_the_start(circuit):
    circuit.bench.run_for(SETTLED_US // 1000)
    insist_that("the LED that is lit", [led for _, led in steps(circuit)], [1])
