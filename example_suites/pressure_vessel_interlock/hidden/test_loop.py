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

LOW_KPA, HIGH_KPA = 40, 60
TICK_MS = 100
LIMITS = {
    "V18: compressor on with the vent open": lambda state: (
        not (state.compressor_on and state.vent_open)
    ),
    "V18: compressor on with the door open": lambda state: (
        state.door_closed or not state.compressor_on
    ),
}
BAD_LINES = [
    "SENSE PRESS banana",
    "SENSE PRESS",
    "SENSE PRESS -1",
    "SENSE PRESS 121",
    "SENSE PRESS 20.5",
    "SENSE PRESS 20 5",
    "SENSE DOOR AJAR",
    "SENSE DOOR closed",
]


def is_safe(state):
    return state.vent_open and not state.compressor_on


loops = loop_checks.LoopChecks(is_safe=is_safe, limits=LIMITS, in_bursts=True)
run = loops.runs_scenarios()


connect = loops.connects_plants()


@pytest.fixture
def loop(bench, connect):
    """A vessel that fills: it is at 34 and the compressor runs."""
    loop = connect(pressure_kpa=18)
    bench.run_for(2 * TICK_MS)
    insist_that(
        "(pressure_kpa, compressor_on)",
        (loop.state.pressure_kpa, loop.state.compressor_on),
        (34, True),
        at_ms=loop.plant_ms,
    )
    return loop


def vented_until_low(bench, loop):
    """Insist that it stays safe down to 40, and that the compressor runs below."""
    while loop.state.pressure_kpa >= LOW_KPA:
        bench.run_for(TICK_MS)
        insist_that(
            "safe",
            is_safe(loop.state),
            at_ms=loop.plant_ms,
            why=f"not safe at {loop.state.pressure_kpa} kPa",
        )
    bench.run_for(TICK_MS)
    insist_that(
        "compressor_on",
        loop.state.compressor_on,
        at_ms=loop.plant_ms,
        why="a low pressure did not start the compressor",
    )


@pytest.mark.brief("V4", "V5", "V6", "V18")
def test_the_vessel_fills_and_is_kept_between_its_edges(run):
    filled = run("fill")
    levels = {sample.at_ms: sample.state.pressure_kpa for sample in filled.samples}
    insist_that(
        "readings at (100, 200, 300, 600) ms",
        [levels[at_ms] for at_ms in (100, 200, 300, 600)],
        [26, 34, 42, 66],
    )
    for actuator in ("compressor_on", "vent_open"):
        switched = switches(filled.samples, actuator)
        insist_bound(
            "number of switches",
            len(switched),
            at_least=21,
            why=f"{actuator} hardly ever switched",
        )
        for state in switched:
            edge = (
                state.pressure_kpa > HIGH_KPA
                if is_safe(state)
                else state.pressure_kpa < LOW_KPA
            )
            insist_that(
                "switched at an edge", edge, why=f"{actuator} switched in {state}"
            )
    insist_that("min_pressure_kpa", filled.metrics["min_pressure_kpa"], 18)
    insist_that("max_pressure_kpa", filled.metrics["max_pressure_kpa"], 66)


@pytest.mark.brief("V5", "V6", "V16")
def test_the_vessel_is_relieved_down_through_the_band(run):
    relieved = run("relieve")
    switched = switches(relieved.samples, "compressor_on")
    insist_that(
        "pressure_kpa at the first two switches",
        [state.pressure_kpa for state in switched[:2]],
        [24, 64],
    )


@pytest.mark.brief("V3", "V7", "V16", "V18")
def test_an_open_door_makes_it_safe_and_a_closed_one_lets_the_pressure_decide(run):
    opened = run("door")
    states = {sample.at_ms: sample.state for sample in opened.samples}
    insist_that(
        "compressor_on at 200 ms",
        states[200].compressor_on,
        why="the compressor never ran",
    )
    insist_that(
        "safe from 300 to 700 ms",
        all(is_safe(states[at_ms]) for at_ms in range(300, 800, 100)),
    )
    insist_that(
        "pressure_kpa at (600, 700, 800) ms",
        [states[at_ms].pressure_kpa for at_ms in (600, 700, 800)],
        [60, 44, 28],
    )
    insist_that(
        "compressor_on at 800 ms",
        states[800].compressor_on,
        why="a low pressure did not start the compressor",
    )


@pytest.mark.brief("V3", "V4", "V7")
def test_a_door_that_closes_at_low_pressure_starts_the_compressor_at_once(bench, loop):
    loop.change(door_closed=False)
    bench.run_for(TICK_MS)
    insist_that(
        "safe",
        is_safe(loop.state),
        at_ms=loop.plant_ms,
        why="the compressor ran on with the door open",
    )
    bench.run_for(TICK_MS)
    loop.change(door_closed=True)
    bench.run_for(TICK_MS)
    insist_that(
        "compressor_on",
        loop.state.compressor_on,
        at_ms=loop.plant_ms,
        why="the closed door did not start the compressor",
    )


test_silence_makes_it_safe_after_a_second = loops.silence(
    "V11", "V12", "V20", last="DOOR"
)
test_each_sensor_goes_stale_on_its_own = loops.one_silent(
    *("V11", "V12", "V19", "V20"),
    fixture="loop",
    cases=[("PRESS", "SENSE DOOR CLOSED"), ("DOOR", "SENSE PRESS 50")],
)


@pytest.mark.brief("V11", "V12", "V15", "V16")
@pytest.mark.parametrize("line", ["SENSE DOOR CLOSED", "SENSE PRESS 50"])
def test_a_sensor_that_comes_back_in_the_band_starts_nothing(bench, loop, line):
    repeat_only(bench, loop, line, ticks=20)
    insist_that("safe", is_safe(loop.state), at_ms=loop.plant_ms)
    loop.change(pressure_kpa=58)
    loop.frames_until_ms = None
    vented_until_low(bench, loop)


test_a_short_silence_is_no_fault = loops.short_silence(
    "V13", "V14", "V19", fixtures=["loop"]
)
test_a_malformed_reading_makes_it_safe_until_it_may_run_again = loops.malformed(
    *("V8", "V9", "V16", "L1", "L2", "L3", "L4"),
    fixture="loop",
    lines=BAD_LINES,
    change={"pressure_kpa": 58},
    then=vented_until_low,
)
test_the_other_sensor_does_not_end_what_a_malformed_reading_began = loops.other_goes_on(
    *("V8", "V9", "V21"),
    fixture="loop",
    cases=[
        ("SENSE PRESS 121", "SENSE DOOR CLOSED"),
        ("SENSE DOOR AJAR", "SENSE PRESS 20"),
    ],
)
test_a_bad_line_makes_it_safe_within_a_frame_and_for_good = loops.bad_line_for_good(
    *("V8", "V9", "V10", "L5"),
    names=["fault", "malformed_pressure", "malformed_door"],
)
test_lines_of_others_neither_count_nor_disturb = loops.nobodys_lines(
    *("V19", "L6"),
    fixture="loop",
    lines=["SENSE TEMP 20", "SENSE DOOR", "SENSE DOOR OPEN NOW"],
)
test_it_is_safe_after_start_up_until_both_have_come_in = loops.until_both(
    *("V1", "V2", "L8"),
    state={"pressure_kpa": 50},
    lines=["HELLO WORLD", "SENSE PRESS 20", "SENSE DOOR CLOSED"],
)


@pytest.mark.brief("V1", "V16")
def test_a_vessel_that_starts_within_the_band_is_vented_first(bench, connect):
    loop = connect(pressure_kpa=60)
    vented_until_low(bench, loop)


test_it_is_safe_after_a_restart = loops.restart(
    "V1", "V16", fixture="loop", change={"pressure_kpa": 58}, then=vented_until_low
)
test_every_line_is_answered_whether_anything_has_changed_or_not = answer_checks.answers(
    "L6",
    "L9",
    actuators=["COMPRESSOR", "VENT"],
    rows=[
        ("SENSE DOOR CLOSED", "OFF OPEN SAFE_VENT"),
        ("SENSE PRESS 39", "ON CLOSED PRESSURIZING"),
        ("SENSE PRESS 39", "ON CLOSED PRESSURIZING"),
        ("SENSE PRESS 60", "ON CLOSED HOLDING"),
        ("SENSE PRESS 61", "OFF OPEN RELIEVING"),
        ("SENSE PRESS 40", "OFF OPEN HOLDING"),
        ("SENSE DOOR OPEN", "OFF OPEN SAFE_VENT"),
        ("SENSE DOOR OPEN", "OFF OPEN SAFE_VENT"),
        ("FAULT SENSOR_TIMEOUT", "OFF OPEN SAFE_VENT"),
    ],
    ignored="SENSE DOOR",
)
test_stale_readings_are_said_just_once = answer_checks.stale_is_said_once(
    *("V11", "V12", "V17", "V20"),
    lines=["SENSE DOOR CLOSED", "SENSE PRESS 50"],
    steady="HOLDING",
    said=["ACT VENT OPEN", "DBG STATE SAFE_VENT"],
)
test_a_sensor_that_is_silent_for_long_does_not_count_again = loops.long_silence(
    *("V4", "V11", "V12", "V19"),
    fixture="loop",
    cases=[("PRESS", "SENSE DOOR CLOSED"), ("DOOR", "SENSE PRESS 20")],
)
test_the_ends_of_the_range_are_pressures = loops.extremes(
    *("V4", "V5", "L1"),
    cases={
        "empty": ({"pressure_kpa": 0}, True),
        "full": ({"pressure_kpa": 120}, False),
    },
)
test_whatever_is_said_is_answered_as_the_brief_says = answer_checks.any_lines(
    *("V2", "V3", "V4", "V5", "V6", "V7", "V8", "V9", "V10", "V11"),
    *("V12", "V14", "V15", "V16", "V17", "V19", "V21", "V22", "V23"),
    *("L1", "L2", "L3", "L4", "L5", "L6", "L7", "L9"),
)
