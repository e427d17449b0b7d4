"""In closed loop: firmware and plant in one time, the pump's state at every sample."""

from functools import partial

import pytest

from pytest_embedbench.grading.checks import (
    answer_checks,
    insist_bound,
    insist_that,
    loop_checks,
    safe_after_ms,
)

pytestmark = pytest.mark.profile("full")

LOW_PCT, HIGH_PCT = 30, 80
STALE_MS, STALE_AT_LATEST_MS = 1000, 1150
TICK_MS = 100
# A level above 80 is answered before the next step: by then it has risen once.
INVARIANTS = {
    "T3: the pump is off a frame after the level has passed 80": lambda state: (
        state.level <= HIGH_PCT + 5 or not state.pump_on
    ),
}
BAD_LINES = [
    "SENSE LEVEL banana",
    "SENSE LEVEL",
    "SENSE LEVEL 101",
    "SENSE LEVEL -1",
    "SENSE LEVEL 999",
    "SENSE LEVEL 20.5",
    "SENSE LEVEL 20 5",
]


def is_safe(state):
    return not state.pump_on


loops = loop_checks.LoopChecks(is_safe=is_safe, limits=INVARIANTS)
connect = loops.connects_plants()


@pytest.fixture
def tank(plant):
    return partial(plant, "tank_fill_drain")


@pytest.fixture
def loop(bench, tank):
    """A tank that fills: the level is 40 and the pump runs."""
    bench.wait_for_boot()
    loop = bench.connect(tank(level=20))
    bench.run_for(4 * TICK_MS)
    insist_that(
        "pump_on",
        loop.state.pump_on,
        at_ms=loop.plant_ms,
        why="a level of 20 did not start the pump",
    )
    insist_that(
        "level",
        loop.state.level,
        40,
        at_ms=loop.plant_ms,
        why="the pump did not run all the time",
    )
    return loop


@pytest.mark.brief("T2", "T3", "T4")
def test_the_tank_fills_and_stops_above_the_band(bench, scenario, tank):
    bench.wait_for_boot()
    run = bench.run(scenario("fill"), tank, invariants=INVARIANTS)
    levels = {sample.at_ms: sample.state.level for sample in run.samples}
    insist_that(
        "level at 100 ms",
        levels[TICK_MS],
        25,
        why="the first frame did not start the pump",
    )
    insist_that("the highest level", max(levels.values()), 85)
    insist_that("level at 1300 ms", levels[1300], 85)
    insist_that("level at 1400 ms", levels[1400], 84, why="the pump ran on above 80")
    insist_that("pump_transitions", run.metrics["pump_transitions"], 2)


@pytest.mark.brief("T2", "T3", "T4")
def test_the_pump_switches_at_the_edges_of_the_band_only(bench, scenario, tank):
    bench.wait_for_boot()
    run = bench.run(scenario("day"), tank, invariants=INVARIANTS)
    switched = [
        (before.state, after.state)
        for before, after in zip(run.samples, run.samples[1:], strict=False)
        if before.state.pump_on != after.state.pump_on
    ]
    insist_bound(
        "number of switches",
        len(switched),
        at_least=11,
        why="the pump hardly ever switched",
    )
    for before, after in switched:
        edge = after.level < LOW_PCT if after.pump_on else after.level > HIGH_PCT
        insist_that(
            "switched at an edge",
            edge,
            why=f"switched {'on' if after.pump_on else 'off'} at {before.level} %",
        )
    insist_that(
        "values of level after switches",
        {state.level for _, state in switched},
        {LOW_PCT - 1, HIGH_PCT + 4},
    )


@pytest.mark.brief("T7", "T8", "T13")
def test_a_silent_sensor_stops_the_pump_after_a_second(bench, scenario, tank):
    bench.wait_for_boot()
    run = bench.run(scenario("silence"), tank)
    insist_that(
        "pump_on after the first frames",
        run.samples[1].state.pump_on,
        why="the pump never ran",
    )
    after_ms = safe_after_ms(run, "LEVEL", is_safe)
    insist_that(
        "off at the end", after_ms is not None, why="the pump was on at the end"
    )
    insist_bound(
        "time from the last level to off in ms",
        after_ms,
        at_least=STALE_MS,
        at_most=STALE_AT_LATEST_MS,
        why=f"off after {after_ms} ms",
    )


@pytest.mark.brief("T8", "T9", "T11")
def test_a_short_silence_is_no_fault(bench, loop):
    loop.frames_until_ms = loop.plant_ms - 1
    bench.run_for(8 * TICK_MS)
    insist_that(
        "pump_on",
        loop.state.pump_on,
        at_ms=loop.plant_ms,
        why="off before 1000 ms of silence",
    )
    insist_that(
        "level",
        loop.state.level,
        80,
        at_ms=loop.plant_ms,
        why="off for a while before 1000 ms of silence",
    )


@pytest.mark.brief("T7", "T10")
def test_the_pump_stays_off_when_the_sensor_comes_back_within_the_band(bench, loop):
    loop.frames_until_ms = loop.plant_ms
    bench.run_for(20 * TICK_MS)
    insist_that("pump_on", loop.state.pump_on, due=False, at_ms=loop.plant_ms)
    loop.frames_until_ms = None
    while loop.state.level >= LOW_PCT:
        bench.run_for(TICK_MS)
        insist_that(
            "pump_on",
            loop.state.pump_on,
            due=False,
            at_ms=loop.plant_ms,
            why=f"on again at {loop.state.level} %",
        )
    bench.run_for(TICK_MS)
    insist_that(
        "pump_on",
        loop.state.pump_on,
        at_ms=loop.plant_ms,
        why="a low level did not bring the pump back",
    )


@pytest.mark.brief("T5", "T10", "L1", "L2")
@pytest.mark.parametrize("line", BAD_LINES)
def test_a_malformed_level_stops_the_pump_until_it_may_run_again(bench, loop, line):
    loop.inject(line)
    bench.run_for(TICK_MS)
    insist_that(
        "pump_on",
        loop.state.pump_on,
        due=False,
        at_ms=loop.plant_ms,
        why="the pump ran on after the malformed level",
    )
    while loop.state.level >= LOW_PCT:
        bench.run_for(TICK_MS)
        insist_that(
            "pump_on",
            loop.state.pump_on,
            due=False,
            at_ms=loop.plant_ms,
            why=f"on again at {loop.state.level} %",
        )
    bench.run_for(TICK_MS)
    insist_that(
        "pump_on",
        loop.state.pump_on,
        at_ms=loop.plant_ms,
        why="a low level did not bring the pump back",
    )


@pytest.mark.brief("T5", "T6", "T11", "L3")
@pytest.mark.parametrize("line", ["FAULT SENSOR_TIMEOUT", "SENSE LEVEL banana"])
def test_a_bad_line_stops_the_pump_within_a_frame_and_for_good(bench, loop, line):
    loop.frames_until_ms = loop.plant_ms - 1
    loop.inject(line)
    bench.run_for(TICK_MS)
    insist_that(
        "pump_on",
        loop.state.pump_on,
        due=False,
        at_ms=loop.plant_ms,
        why="the pump ran on for a frame",
    )
    for _ in range(20):
        bench.run_for(TICK_MS)
        insist_that(
            "pump_on",
            loop.state.pump_on,
            due=False,
            at_ms=loop.plant_ms,
            why="the pump came back without a level",
        )


@pytest.mark.brief("T11", "L4")
def test_lines_of_others_neither_count_nor_disturb(bench, loop):
    loop.frames_until_ms = loop.plant_ms - 1
    for _ in range(8):
        loop.inject("SENSE TEMP 20")
        bench.run_for(TICK_MS)
        insist_that(
            "pump_on",
            loop.state.pump_on,
            at_ms=loop.plant_ms,
            why="an ignored line stopped the pump",
        )
    for _ in range(4):
        loop.inject("HELLO WORLD")
        bench.run_for(TICK_MS)
    insist_that(
        "pump_on",
        loop.state.pump_on,
        due=False,
        at_ms=loop.plant_ms,
        why="an ignored line kept the pump running",
    )


@pytest.mark.brief("T1", "L5")
@pytest.mark.parametrize("level", [None, 50, 90])
def test_the_pump_is_off_after_start_up(bench, tank, level):
    bench.wait_for_boot()
    bench.expect("^ACT PUMP OFF$", within_ms=TICK_MS)
    loop = bench.connect(tank(level=level or 20))
    if level is None:
        loop.frames_until_ms = -1
    bench.run_for(15 * TICK_MS)
    insist_that(
        "pump_on at any time",
        any(sample.state.pump_on for sample in loop.samples),
        due=False,
        at_ms=loop.plant_ms,
    )


@pytest.mark.needs("reset")
@pytest.mark.brief("T1")
def test_the_pump_is_off_after_a_restart(bench, loop):
    loop.frames_until_ms = -1  # or they would keep an Arduino in its bootloader
    bench.reset()
    bench.wait_for_boot()
    loop.frames_until_ms = None
    bench.run_for(2 * TICK_MS)
    insist_that(
        "pump_on",
        loop.state.pump_on,
        due=False,
        at_ms=loop.plant_ms,
        why="on after a restart, within the band",
    )


test_a_sensor_that_is_silent_for_long_does_not_count_again = loops.long_silence(
    *("T2", "T7", "T11"), fixture="loop", cases=[("LEVEL", "HELLO WORLD")]
)
test_the_ends_of_the_range_are_levels = loops.extremes(
    *("T2", "T3", "L1"),
    cases={"empty": ({"level": 0}, True), "full": ({"level": 100}, False)},
)
test_whatever_is_said_is_answered_as_the_brief_says = answer_checks.any_lines(
    *("T2", "T3", "T4", "T5", "T6", "T7", "T9", "T10", "T11", "T12"),
    *("L1", "L2", "L3", "L4", "L5"),
)
