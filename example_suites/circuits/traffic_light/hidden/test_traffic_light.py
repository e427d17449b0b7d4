"""What drivers and pedestrians see."""

import pytest

from pytest_embedbench import Level
from pytest_embedbench.grading.checks import insist_bound, insist_that

LAMPS = ["car_red", "car_yellow", "car_green", "walk_red", "walk_green", "wait"]
FOR_CARS = [{"car_red"}, {"car_yellow"}, {"car_green"}, {"car_red", "car_yellow"}]
SETTLED_US = 100_000
MOMENT_US = 2_000
"""What changes within it, changes at once."""
CYCLE = [
    ({"car_yellow", "walk_red"}, 500),
    ({"car_red", "walk_red"}, 300),
    ({"car_red", "walk_green"}, 1500),
    ({"car_red", "walk_red"}, 500),
    ({"car_red", "car_yellow", "walk_red"}, 300),
]
CYCLE_MS = sum(lasts_ms for _, lasts_ms in CYCLE)
AT_REST = {"car_green", "walk_red"}


def lit(circuit):
    return {lamp for lamp in LAMPS[:5] if circuit.level(f"{lamp}:A") is Level.HIGH}


def history(circuit):
    """Return what was lit, and from when on in us, moments of changing left out."""
    edges = sorted(
        (at_ns // 1000, lamp, level is Level.HIGH)
        for lamp in LAMPS
        for at_ns, level in circuit.edges(f"{lamp}:A")
    )
    seen, now_lit = [], set()
    for index, (at_us, lamp, is_lit) in enumerate(edges):
        now_lit = now_lit | {lamp} if is_lit else now_lit - {lamp}
        following = edges[index + 1 :]
        if following and following[0][0] - at_us < MOMENT_US:
            continue
        seen.append((at_us, now_lit))
    return seen


def phases(circuit):
    """Return the same without ``wait``, each for as long as it was."""
    told = []
    for at_us, shown in history(circuit):
        if not told or told[-1][1] != shown - {"wait"}:
            told.append((at_us, shown - {"wait"}))
    return told


def check_always(circuit):
    """L4 and L5, at all times up to now."""
    for at_us, shown in history(circuit):
        if at_us < SETTLED_US:
            continue
        cars = {lamp for lamp in shown if lamp.startswith("car")}
        walkers = {lamp for lamp in shown if lamp.startswith("walk")}
        insist_that("one light for cars", cars in FOR_CARS, at_ms=at_us / 1000)
        insist_that("lamps for pedestrians", len(walkers), 1, at_ms=at_us / 1000)
        if "walk_green" in walkers:
            insist_that("lamps for cars", cars, {"car_red"}, at_ms=at_us / 1000)


@pytest.mark.brief("L1", "L4")
def test_cars_have_green_for_as_long_as_nobody_comes(circuit):
    circuit.bench.run_for(100)
    insist_that("what is lit", lit(circuit), AT_REST)
    circuit.bench.run_for(4_000)
    insist_that("phases", len([p for p in phases(circuit) if p[0] > SETTLED_US]), 0)
    insist_that("wait is dark", circuit.level("wait:A"), Level.LOW)


@pytest.mark.brief("L2", "L3", "L4", "L5")
def test_a_press_lets_pedestrians_go(circuit):
    circuit.bench.run_for(1_500)
    circuit["button"].press(duration_ms=100)
    circuit.bench.run_for(CYCLE_MS)
    insist_that("what is lit", lit(circuit), AT_REST)
    cycle = [phase for phase in phases(circuit) if phase[0] > SETTLED_US]
    insist_that(
        "phases", [shown for _, shown in cycle], [*[s for s, _ in CYCLE], AT_REST]
    )
    insist_bound("yellow in ms", cycle[0][0] / 1000, at_least=1500, at_most=1520)
    for (begin_us, shown), (end_us, _), (_, due_ms) in zip(
        cycle, cycle[1:], CYCLE, strict=False
    ):
        lasts_ms = (end_us - begin_us) / 1000
        what = f"{sorted(shown)} in ms"
        insist_bound(what, lasts_ms, at_least=due_ms - 20, at_most=due_ms + 20)
    check_always(circuit)


@pytest.mark.brief("L2", "L6", "L8")
def test_cars_have_green_for_a_second_first(circuit):
    circuit.bench.run_for(200)
    circuit["button"].press(duration_ms=5)
    circuit.bench.run_for(15)
    insist_that("wait is lit", circuit.level("wait:A"), Level.HIGH)
    yellow_ms = circuit.wait_pin("car_yellow:A", Level.HIGH, within_ms=1_000) / 1000
    insist_bound("yellow in ms", yellow_ms, at_least=980, at_most=1040)
    insist_that("wait is lit", circuit.level("wait:A"), Level.HIGH)
    walk_us = circuit.wait_pin("walk_green:A", Level.HIGH, within_ms=1_000)
    circuit.bench.run_for(10)
    ends = [at_ns for at_ns, level in circuit.edges("wait:A") if level is Level.LOW]
    insist_bound("wait ends in ms", ends[-1] / 1e6, at_most=walk_us / 1000 + 20)
    insist_that("wait is lit", circuit.level("wait:A"), Level.LOW)


@pytest.mark.brief("L7", "L9")
@pytest.mark.parametrize("duration_ms", [20, CYCLE_MS + 1_200])
def test_a_press_is_one_press(circuit, duration_ms):
    """Also one that ends, and bounces, when pedestrians have had their green."""
    circuit.bench.run_for(1_100)
    circuit["button"].press(duration_ms=duration_ms)
    circuit.bench.run_for(CYCLE_MS + 1_500)
    insist_that("what is lit", lit(circuit), AT_REST)
    greens = [p for p in phases(circuit) if "walk_green" in p[1]]
    insist_that("greens for pedestrians", len(greens), 1)
    insist_that("wait is dark", circuit.level("wait:A"), Level.LOW)


@pytest.mark.brief("L2", "L4", "L5", "L7", "L8")
@pytest.mark.parametrize(
    ("after_ms", "greens"),
    [(300, 1), (1_000, 1), (2_000, 1), (2_500, 2), (2_950, 2)],
    ids=["yellow", "walk", "walk-ends", "red", "red-and-yellow"],
)
def test_presses_at_any_other_time_than_green_are_kept(circuit, after_ms, greens):
    circuit.bench.run_for(1_100)
    circuit["button"].press(duration_ms=5)
    circuit.bench.run_for(after_ms - 5)
    circuit["button"].press(duration_ms=5)
    circuit.bench.run_for(CYCLE_MS - after_ms + 1_000 + CYCLE_MS)
    seen = [p for p in phases(circuit) if "walk_green" in p[1]]
    insist_that("greens for pedestrians", len(seen), greens)
    check_always(circuit)
    if greens == 2:
        all_phases = phases(circuit)
        begins = next(at for at, s in all_phases if at > 2_000_000 and s == AT_REST)
        ends = next(at for at, _ in all_phases if at > begins)
        green_ms = (ends - begins) / 1000
        insist_bound("green for cars in ms", green_ms, at_least=980, at_most=1020)
