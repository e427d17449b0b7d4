"""In closed loop: firmware and plant in one time, the heater at every sample."""

import pytest

from pytest_embedbench.grading.checks import (
    answer_checks,
    insist_bound,
    insist_that,
    loop_checks,
    switches,
)

pytestmark = [pytest.mark.profile("full"), pytest.mark.needs("virtual-time")]

LOW_C, EARLY_OFF_C, HARD_LIMIT_C = 47, 50, 56
TICK_MS = 100
LIMITS = {"C16: warmer than 56": lambda state: state.temperature_c <= HARD_LIMIT_C}
BAD_LINES = [
    "SENSE TEMP banana",
    "SENSE TEMP",
    "SENSE TEMP 14",
    "SENSE TEMP 81",
    "SENSE TEMP -20",
    "SENSE TEMP 999",
    "SENSE TEMP 20.5",
    "SENSE TEMP 20 5",
]


def is_safe(state):
    return not state.heater_on


loops = loop_checks.LoopChecks(is_safe=is_safe, limits=LIMITS)
run = loops.runs_scenarios()
connect = loops.connects_plants()


@pytest.fixture
def loop(bench, connect):
    """A chamber that warms up: it is at 45 and the heater runs."""
    loop = connect(temperature_c=28)
    bench.run_for(4 * TICK_MS)
    insist_that(
        "(temperature_c, heater_on)",
        (loop.state.temperature_c, loop.state.heater_on),
        (45, True),
        at_ms=loop.plant_ms,
    )
    return loop


@pytest.fixture
def cold_loop(bench, connect):
    """A chamber so cold that its sensor may fail while the heater runs."""
    loop = connect(temperature_c=15, limits={})
    bench.run_for(2 * TICK_MS)
    insist_that("heater_on", loop.state.heater_on, at_ms=loop.plant_ms)
    return loop


def heated_until_lower(bench, loop):
    """Insist that the heater stays off down to 47, and runs below."""
    while loop.state.temperature_c >= LOW_C:
        bench.run_for(TICK_MS)
        insist_that(
            "heater_on",
            loop.state.heater_on,
            due=False,
            at_ms=loop.plant_ms,
            why=f"on again at {loop.state.temperature_c}",
        )
    bench.run_for(TICK_MS)
    insist_that(
        "heater_on",
        loop.state.heater_on,
        at_ms=loop.plant_ms,
        why="a low temperature did not bring the heater back",
    )


@pytest.mark.brief("C2", "C4", "C5", "C16")
@pytest.mark.parametrize("start_c", [18, 20, 24, 28, 38, 42, 46])
def test_the_chamber_warms_up_and_gets_never_too_warm(bench, plant, start_c):
    bench.wait_for_boot()
    loop = bench.connect(plant(temperature_c=start_c), invariants=LIMITS)
    bench.run_for(30 * TICK_MS)
    switched = switches(loop.samples, "heater_on")
    stopped_c = [s.temperature_c for s in switched if not s.heater_on]
    insist_that(
        "heater_on after the first frames",
        loop.samples[1].state.heater_on,
        at_ms=loop.plant_ms,
        why="the first frame did not start the heater",
    )
    insist_that("stops of the heater", bool(stopped_c), why="the heater never stopped")
    insist_bound(
        "the lowest temperature at a stop",
        min(stopped_c),
        at_least=EARLY_OFF_C,
        why="stopped too early",
    )


@pytest.mark.brief("C2", "C3", "C4", "C5", "C6", "C16")
def test_the_heater_switches_at_the_edges_only(bench, scenario, plant):
    bench.wait_for_boot()
    run = bench.run(scenario("day"), plant, invariants=LIMITS)
    switched = switches(run.samples, "heater_on")
    insist_bound(
        "number of switches",
        len(switched),
        at_least=11,
        why="the heater hardly ever switched",
    )
    insist_that(
        "temperature_c where heater_on was switched on",
        {s.temperature_c for s in switched if s.heater_on},
        {28, LOW_C - 1},
    )
    insist_that(
        "temperature_c where heater_on was switched off",
        {s.temperature_c for s in switched if not s.heater_on},
        {50, 53},
    )
    warm = [s.state.temperature_c for s in run.samples if s.at_ms >= 500]
    insist_that(
        "the lowest temperature once warm", min(warm), LOW_C - 1, why="not kept warm"
    )


test_a_silent_sensor_stops_the_heater_after_a_second = loops.silence(
    "C9", "C15", last="TEMP", limits={}
)
test_a_short_silence_is_no_fault = loops.short_silence(
    "C10", "C11", "C13", fixtures=["cold_loop"]
)


@pytest.mark.brief("C2", "C9", "C12")
def test_the_heater_stays_off_when_the_sensor_comes_back_too_warm(bench, cold_loop):
    cold_loop.frames_until_ms = cold_loop.plant_ms
    bench.run_for(20 * TICK_MS)
    insist_that(
        "heater_on", cold_loop.state.heater_on, due=False, at_ms=cold_loop.plant_ms
    )
    cold_loop.frames_until_ms = None
    heated_until_lower(bench, cold_loop)


@pytest.mark.brief("C9", "C12")
def test_the_heater_stays_off_when_the_sensor_comes_back_within_the_band(bench, loop):
    loop.inject("SENSE TEMP 60")
    loop.frames_until_ms = loop.plant_ms - 1
    bench.run_for(15 * TICK_MS)
    loop.change(temperature_c=49)
    loop.frames_until_ms = None
    heated_until_lower(bench, loop)


test_a_malformed_temperature_stops_the_heater_until_it_may_run_again = loops.malformed(
    *("C7", "C12", "L1", "L2"),
    fixture="loop",
    lines=BAD_LINES,
    change={"temperature_c": 49},
    then=heated_until_lower,
)
test_a_bad_line_stops_the_heater_within_a_frame_and_for_good = loops.bad_line_for_good(
    "C7", "C8", "C13", "L3", names=["fault", "malformed"]
)
test_lines_of_others_neither_count_nor_disturb = loops.nobodys_lines(
    "C13", "L4", fixture="cold_loop", lines=["SENSE LEVEL 20"], ticks=8
)


@pytest.mark.brief("C1", "L6")
@pytest.mark.parametrize("start_c", [None, 49, 50, 52, 56])
def test_the_heater_is_off_after_start_up(bench, plant, start_c):
    bench.wait_for_boot()
    bench.expect("^ACT HEATER OFF$", within_ms=TICK_MS)
    loop = bench.connect(plant(temperature_c=start_c or 20), invariants=LIMITS)
    if start_c is None:
        loop.frames_until_ms = -1
    bench.run_for((15 if start_c is None else 2) * TICK_MS)
    insist_that(
        "heater_on at any time",
        any(sample.state.heater_on for sample in loop.samples),
        due=False,
        at_ms=loop.plant_ms,
    )


test_the_heater_is_off_after_a_restart = loops.restart(
    *("C1", "C12"),
    fixture="loop",
    change={"temperature_c": 49},
    then=heated_until_lower,
)
test_every_line_is_answered_whether_anything_has_changed_or_not = answer_checks.answers(
    "L4",
    "L7",
    actuators=["HEATER"],
    rows=[
        ("SENSE TEMP 20", "ON HEATING"),
        ("SENSE TEMP 20", "ON HEATING"),
        ("SENSE TEMP 49", "ON HOLDING"),
        ("SENSE TEMP 50", "OFF HOLDING"),
        ("SENSE TEMP 50", "OFF HOLDING"),
        ("SENSE TEMP 60", "OFF SAFE_OFF"),
        ("SENSE TEMP banana", "OFF SAFE_OFF"),
        ("SENSE TEMP 46", "ON HEATING"),
        ("FAULT SENSOR_TIMEOUT", "OFF SAFE_OFF"),
    ],
    ignored="SENSE LEVEL 20",
)
test_a_stale_temperature_is_said_just_once = answer_checks.stale_is_said_once(
    *("C9", "C14", "C15"),
    lines=["SENSE TEMP 20", "SENSE TEMP 50"],
    steady="HOLDING",
    said=["ACT HEATER OFF", "DBG STATE SAFE_OFF"],
)
test_a_sensor_that_is_silent_for_long_does_not_count_again = loops.long_silence(
    *("C2", "C9", "C13"), fixture="cold_loop", cases=[("TEMP", "HELLO WORLD")]
)
test_the_ends_of_the_range_are_temperatures = loops.extremes(
    *("C2", "C3", "L1"),
    cases={
        "cold": ({"temperature_c": 15}, True),
        "hot": ({"temperature_c": 80}, False),
    },
)
test_whatever_is_said_is_answered_as_the_brief_says = answer_checks.any_lines(
    *("C2", "C3", "C4", "C5", "C6", "C7", "C8", "C9", "C11", "C12"),
    *("C13", "C14", "C17"),
    *("L1", "L2", "L3", "L4", "L5", "L7"),
)
