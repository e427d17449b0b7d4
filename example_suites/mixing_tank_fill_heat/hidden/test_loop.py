"""In closed loop: firmware and plant in one time, every actuator at every sample."""

import pytest

from pytest_embedbench.grading.checks import (
    answer_checks,
    insist_bound,
    insist_that,
    loop_checks,
    repeat_only,
    switches,
)

pytestmark = [pytest.mark.profile("full"), pytest.mark.needs("virtual-time")]

LOW_C, EARLY_OFF_C, HARD_LIMIT_C = 45, 47, 51
BURNS_PCT, FILLED_PCT = 55, 60
TICK_MS = 100
ALWAYS = {
    "M20: heater on at a level that burns it": lambda state: (
        state.level >= BURNS_PCT or not state.heater_on
    ),
    "M20: heater on with the inlet open": lambda state: (
        not (state.heater_on and state.inlet_open)
    ),
}
WHILE_SENT = ALWAYS | {
    "M24: warmer than 51": lambda state: state.temp_c <= HARD_LIMIT_C
}
BAD_LINES = [
    "SENSE TEMP banana",
    "SENSE TEMP",
    "SENSE TEMP 19",
    "SENSE TEMP 81",
    "SENSE TEMP 30.5",
    "SENSE TEMP 30 5",
    "SENSE LEVEL banana",
    "SENSE LEVEL",
    "SENSE LEVEL -1",
    "SENSE LEVEL 101",
]


def is_safe(state):
    return not state.inlet_open and not state.heater_on


loops = loop_checks.LoopChecks(is_safe=is_safe, limits=WHILE_SENT, in_bursts=True)
run = loops.runs_scenarios()


connect = loops.connects_plants()


@pytest.fixture
def loop(bench, connect):
    """A tank that is heated while its sensors may fail: it is at 29 and 73."""
    loop = connect(temp_c=20, level=75, limits=ALWAYS)
    bench.run_for(2 * TICK_MS)
    insist_that(
        "(temp_c, heater_on)",
        (loop.state.temp_c, loop.state.heater_on),
        (29, True),
        at_ms=loop.plant_ms,
    )
    return loop


def unheated_until_cold(bench, loop):
    """Insist that the heater stays off down to 45, and runs below."""
    while loop.state.temp_c >= LOW_C:
        bench.run_for(TICK_MS)
        insist_that(
            "safe",
            is_safe(loop.state),
            at_ms=loop.plant_ms,
            why=f"not safe at {loop.state.temp_c}",
        )
    bench.run_for(TICK_MS)
    insist_that(
        "heater_on",
        loop.state.heater_on,
        at_ms=loop.plant_ms,
        why="a low temperature did not start the heater",
    )


@pytest.mark.brief("M3", "M4", "M5", "M6", "M7", "M9", "M10", "M20", "M24")
def test_the_tank_is_filled_and_heated_and_kept_so(run):
    kept = run("fill_and_heat")
    levels = {sample.at_ms: sample.state.level for sample in kept.samples}
    insist_that(
        "readings at (100, 800, 900, 1000) ms",
        [levels[at_ms] for at_ms in (100, 800, 900, 1000)],
        [7, 56, 63, 62],
    )
    inlet = switches(kept.samples, "inlet_open")
    heater = switches(kept.samples, "heater_on")
    insist_bound(
        "number of switches of the inlet",
        len(inlet),
        at_least=21,
        why="the inlet hardly ever switched",
    )
    insist_bound(
        "number of switches of the heater",
        len(heater),
        at_least=21,
        why="the heater hardly ever switched",
    )
    for state in inlet:
        edge = state.inlet_open == (state.level < FILLED_PCT)
        insist_that("switched at an edge", edge, why=f"the inlet switched in {state}")
    for state in heater:
        edge = (
            state.temp_c < LOW_C
            if state.heater_on
            else state.temp_c >= EARLY_OFF_C or state.level < FILLED_PCT
        )
        insist_that("switched at an edge", edge, why=f"the heater switched in {state}")
    warm = [s.state.temp_c for s in kept.samples if s.at_ms >= 3000]
    insist_bound(
        "the lowest temperature once warm",
        min(warm),
        at_least=LOW_C - 3,
        why="not kept warm",
    )


@pytest.mark.brief("M5", "M6", "M7", "M9", "M24")
@pytest.mark.parametrize("start_c", [20, 33, 38, 40, 41, 42, 43, 44])
def test_the_tank_warms_up_and_gets_never_too_warm(bench, connect, start_c):
    loop = connect(temp_c=start_c, level=75)
    bench.run_for(14 * TICK_MS)
    heater = switches(loop.samples, "heater_on")
    insist_that(
        "heater_on after the first frames",
        loop.samples[1].state.heater_on,
        at_ms=loop.plant_ms,
        why="the first frames did not start the heater",
    )
    insist_bound(
        "temp_c where heater_on was switched off",
        heater[1].temp_c,
        at_least=EARLY_OFF_C,
        why="stopped too early",
    )


@pytest.mark.brief("M3", "M20")
def test_the_heater_stops_when_liquid_is_let_out(run):
    let_out = run("let_out")
    states = {sample.at_ms: sample.state for sample in let_out.samples}
    insist_that("heater_on at 300 ms", states[300].heater_on, due=False, why="it burns")
    insist_that(
        "inlet_open at 300 ms", states[300].inlet_open, why="the inlet stayed closed"
    )
    insist_that("level at 400 ms", states[400].level, 61)
    insist_that(
        "heater_on at 400 ms",
        states[400].heater_on,
        why="the heater did not come back",
    )


@pytest.mark.brief("M4", "M25")
def test_a_tank_that_is_too_full_is_heated_all_the_same(run):
    overfilled = run("overfilled")
    states = {sample.at_ms: sample.state for sample in overfilled.samples}
    insist_that("heater_on at 400 ms", states[400].heater_on, why="the heater stopped")
    insist_that(
        "inlet_open at any time",
        any(state.inlet_open for state in states.values()),
        due=False,
        why="filled further",
    )
    insist_that(
        "heater_transitions",
        overfilled.metrics["heater_transitions"],
        2,
    )


test_silence_makes_it_safe_after_a_second = loops.silence(
    *("M14", "M15", "M23"),
    names=["silence", "silence_while_filling"],
    last="LEVEL",
    limits=ALWAYS,
)
test_each_sensor_goes_stale_on_its_own = loops.one_silent(
    *("M14", "M15", "M22", "M23"),
    fixture="loop",
    cases=[
        ("TEMP", "SENSE LEVEL 65"),
        ("TEMP", "SENSE LEVEL 40"),
        ("LEVEL", "SENSE TEMP 30"),
        ("LEVEL", "SENSE TEMP 46"),
    ],
)


@pytest.mark.brief("M14", "M15", "M18", "M19")
@pytest.mark.parametrize("line", ["SENSE LEVEL 65", "SENSE TEMP 30"])
def test_a_sensor_that_comes_back_in_the_band_starts_nothing(bench, loop, line):
    repeat_only(bench, loop, line, ticks=20)
    insist_that("safe", is_safe(loop.state), at_ms=loop.plant_ms)
    loop.change(temp_c=46, level=75)
    loop.frames_until_ms = None
    unheated_until_cold(bench, loop)


test_a_short_silence_is_no_fault = loops.short_silence(
    "M16", "M17", "M22", fixtures=["loop"]
)
test_a_malformed_reading_makes_it_safe_until_it_may_run_again = loops.malformed(
    *("M11", "M12", "M19", "L1", "L2", "L3", "L4"),
    fixture="loop",
    lines=BAD_LINES,
    change={"temp_c": 46, "level": 75},
    then=unheated_until_cold,
)
test_the_other_sensor_does_not_end_what_a_malformed_reading_began = loops.other_goes_on(
    *("M11", "M12", "M27"),
    fixture="loop",
    cases=[("SENSE TEMP 19", "SENSE LEVEL 40"), ("SENSE LEVEL 101", "SENSE TEMP 30")],
)
test_a_bad_line_makes_it_safe_within_a_frame_and_for_good = loops.bad_line_for_good(
    *("M11", "M12", "M13", "L5"),
    names=["fault", "malformed_temperature", "malformed_level"],
)
test_lines_of_others_neither_count_nor_disturb = loops.nobodys_lines(
    *("M22", "L6"),
    fixture="loop",
    lines=["SENSE PRESS 20", "SENSE", "sense level 20"],
)
test_it_is_safe_after_start_up_until_both_have_come_in = loops.until_both(
    *("M1", "M2", "L8"),
    state={"temp_c": 30, "level": 65},
    lines=["HELLO WORLD", "SENSE LEVEL 40", "SENSE TEMP 30"],
)


@pytest.mark.brief("M1", "M19")
@pytest.mark.parametrize("temp_c", [46, 48])
def test_a_tank_that_starts_within_the_band_is_not_heated(bench, connect, temp_c):
    unheated_until_cold(bench, connect(temp_c=temp_c, level=75))


test_it_is_safe_after_a_restart = loops.restart(
    *("M1", "M19"),
    fixture="loop",
    change={"temp_c": 46, "level": 75},
    then=unheated_until_cold,
)
test_every_line_is_answered_whether_anything_has_changed_or_not = answer_checks.answers(
    "L6",
    "L9",
    actuators=["INLET", "HEATER"],
    rows=[
        ("SENSE TEMP 44", "CLOSED OFF SAFE_IDLE"),
        ("SENSE LEVEL 59", "OPEN OFF FILLING"),
        ("SENSE LEVEL 59", "OPEN OFF FILLING"),
        ("SENSE LEVEL 60", "CLOSED ON HEATING"),
        ("SENSE TEMP 46", "CLOSED ON HOLDING"),
        ("SENSE TEMP 47", "CLOSED OFF HOLDING"),
        ("SENSE TEMP 47", "CLOSED OFF HOLDING"),
        ("FAULT SENSOR_TIMEOUT", "CLOSED OFF SAFE_IDLE"),
    ],
    ignored="SENSE PRESS 20",
)
test_stale_readings_are_said_just_once = answer_checks.stale_is_said_once(
    *("M14", "M15", "M21", "M23"),
    lines=["SENSE LEVEL 65", "SENSE TEMP 49"],
    steady="HOLDING",
    said=["ACT HEATER OFF", "DBG STATE SAFE_IDLE"],
)
test_a_sensor_that_is_silent_for_long_does_not_count_again = loops.long_silence(
    *("M3", "M14", "M15", "M22"),
    fixture="loop",
    cases=[("TEMP", "SENSE LEVEL 65"), ("LEVEL", "SENSE TEMP 30")],
)
test_the_ends_of_the_ranges_are_readings = loops.extremes(
    *("M3", "M5", "M9", "L1", "L3"),
    cases={
        "empty-and-cold": ({"temp_c": 20, "level": 0}, True),
        "empty-and-hot": ({"temp_c": 80, "level": 0}, True),
        "filled-and-cold": ({"temp_c": 20, "level": 75}, True),
        "filled-and-hot": ({"temp_c": 80, "level": 75}, False),
    },
)
test_the_end_of_the_level_is_one = loops.extremes(
    *("M25", "L3"),
    cases={
        "full-and-cold": ({"temp_c": 20, "level": 100}, True),
        "full-and-hot": ({"temp_c": 80, "level": 100}, False),
    },
)
test_whatever_is_said_is_answered_as_the_brief_says = answer_checks.any_lines(
    *("M2", "M3", "M4", "M5", "M6", "M7", "M8", "M9", "M10", "M11"),
    *("M12", "M13", "M14", "M15", "M17", "M18", "M19", "M21", "M22", "M25"),
    *("M26", "M27", "M28", "M29"),
    *("L1", "L2", "L3", "L4", "L5", "L6", "L7", "L9"),
)
