"""In closed loop: firmware and plant in one time, every actuator at every sample."""

from itertools import pairwise

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

CLEAR_NTU, DISTURBED_NTU = 35, 50
COMPLETE_PCT, PROCESS_PCT = 15, 40
STALE_MS = 1000
SETTLED_AT_LEAST_MS = 380
TICK_MS = 100
LIMITS = {
    "F1: the filter runs with the drain open": lambda state: (
        not (state.filter_on and state.drain_open)
    ),
    "F8: drains what is cloudier than 50": lambda state: (
        not state.drain_open
        or state.turbidity_ntu <= DISTURBED_NTU + 4
        or state.level < PROCESS_PCT
    ),
}
BAD_LINES = [
    "SENSE TURB banana",
    "SENSE TURB",
    "SENSE TURB -1",
    "SENSE TURB 101",
    "SENSE TURB 20.5",
    "SENSE TURB 20 5",
    "SENSE LEVEL banana",
    "SENSE LEVEL",
    "SENSE LEVEL -1",
    "SENSE LEVEL 999",
]


def is_safe(state):
    return not state.filter_on and not state.drain_open


def is_complete(state):
    return is_safe(state) and state.level < COMPLETE_PCT


def settled_before_draining(seen):
    """F27: clear and at rest for 400 ms, whenever the drain is opened."""
    at_rest_us, was_open = 0, False
    for reply in seen.replies:
        state = reply.state
        if state.drain_open and not was_open:
            insist_bound(
                "turbidity_ntu as the drain opens",
                state.turbidity_ntu,
                at_most=CLEAR_NTU,
                why=f"drained what is cloudy: {state}",
            )
            insist_that(
                "settled before it was drained",
                at_rest_us is not None,
                why="drained without having settled",
            )
            settled_ms = (reply.at_us - at_rest_us) / 1000
            insist_bound(
                "settled for, in ms",
                settled_ms,
                at_least=SETTLED_AT_LEAST_MS,
                why=f"drained after {settled_ms} ms",
            )
        if not is_safe(state):
            at_rest_us = None
        elif at_rest_us is None:
            at_rest_us = reply.at_us
        was_open = state.drain_open


loops = loop_checks.LoopChecks(is_safe=is_safe, limits=LIMITS, in_bursts=True)
run = loops.runs_scenarios(also=settled_before_draining)
connect = loops.connects_plants()


@pytest.fixture
def filtering(bench, connect):
    """A tank that is filtered: it is at 72 NTU and the filter runs."""
    loop = connect(turbidity_ntu=100, level=72)
    bench.run_for(2 * TICK_MS)
    insist_that(
        "(turbidity_ntu, filter_on)",
        (loop.state.turbidity_ntu, loop.state.filter_on),
        (72, True),
        at_ms=loop.plant_ms,
    )
    return loop


@pytest.fixture
def draining(bench, connect):
    """A tank that is drained: it was clear from the start."""
    loop = connect(turbidity_ntu=0, level=100)
    bench.run_for(8 * TICK_MS)
    insist_that(
        "drain_open",
        loop.state.drain_open,
        at_ms=loop.plant_ms,
        why="a clear liquid was not drained",
    )
    return loop


def switched_at(seen, actuator):
    """Return at which plant times an actuator was switched."""
    return [
        after.at_ms
        for before, after in pairwise(seen.samples)
        if getattr(before.state, actuator) != getattr(after.state, actuator)
    ]


def begins_anew(bench, loop):
    """Insist that a clear liquid has to be seen three times, and then to settle."""
    loop.change(turbidity_ntu=0, level=72)
    loop.frames_until_ms = None
    for _ in range(6):
        bench.run_for(TICK_MS)
        insist_that(
            "safe",
            is_safe(loop.state),
            at_ms=loop.plant_ms,
            why="it did not begin anew",
        )
    bench.run_for(2 * TICK_MS)
    insist_that(
        "drain_open",
        loop.state.drain_open,
        at_ms=loop.plant_ms,
        why="it was not drained in the end",
    )


@pytest.mark.brief("F1", "F4", "F7", "F9", "F14", "F15", "F16", "F18", "F27")
def test_a_cloudy_tank_is_filtered_settles_and_is_drained(run):
    cycle = run("cycle")
    insist_that("times of filter_on in ms", switched_at(cycle, "filter_on"), [0, 600])
    insist_that(
        "times of drain_open in ms",
        switched_at(cycle, "drain_open"),
        [1000, 1500],
    )
    insist_that("complete at the end", is_complete(cycle.samples[-1].state))


@pytest.mark.brief("F5", "F15", "F18", "F27")
def test_a_clear_tank_is_drained_without_being_filtered(run):
    clear = run("never_cloudy")
    insist_that("times of filter_on in ms", switched_at(clear, "filter_on"), [])
    opened, closed = switched_at(clear, "drain_open")
    insist_bound("opened", opened, at_least=600, at_most=700)
    insist_that("closed", closed, opened + 700)
    insist_that("complete at the end", is_complete(clear.samples[-1].state))


@pytest.mark.brief("F5", "F6", "F15", "F18")
def test_a_clear_tank_settles_once_both_readings_have_come_in(run):
    insist_that(
        "times of drain_open in ms",
        switched_at(run("never_cloudy"), "drain_open"),
        [700, 1400],
    )


@pytest.mark.brief("F10")
def test_a_tank_with_too_little_in_it_is_left_alone(run):
    low = run("low")
    insist_that("times of filter_on in ms", switched_at(low, "filter_on"), [])
    insist_that("times of drain_open in ms", switched_at(low, "drain_open"), [])


@pytest.mark.brief("F4", "F11", "F27")
def test_what_is_stirred_up_while_it_settles_is_filtered_again(run):
    stirred = run("stirred_while_settling")
    insist_that(
        "times of filter_on in ms",
        switched_at(stirred, "filter_on"),
        [0, 400, 600, 900],
    )
    insist_that(
        "times of drain_open in ms",
        switched_at(stirred, "drain_open"),
        [1300, 1800],
    )
    insist_that("complete at the end", is_complete(stirred.samples[-1].state))


@pytest.mark.brief("F12", "F13", "F27")
def test_what_is_stirred_up_slightly_only_settles_for_longer(run):
    stirred = run("stirred_slightly_while_settling")
    insist_that("times of filter_on in ms", switched_at(stirred, "filter_on"), [0, 400])
    insist_that(
        "times of drain_open in ms",
        switched_at(stirred, "drain_open"),
        [900, 1400],
    )
    insist_that("complete at the end", is_complete(stirred.samples[-1].state))


@pytest.mark.brief("F4", "F8", "F27")
def test_what_is_stirred_up_while_it_is_drained_is_filtered_again(run):
    stirred = run("stirred_while_draining")
    insist_that(
        "times of filter_on in ms",
        switched_at(stirred, "filter_on"),
        [0, 400, 900, 1300],
    )
    insist_that(
        "times of drain_open in ms",
        switched_at(stirred, "drain_open"),
        [800, 900, 1700, 2100],
    )
    insist_that("complete at the end", is_complete(stirred.samples[-1].state))


@pytest.mark.brief("F9")
@pytest.mark.parametrize(
    "name", ["stirred_slightly_while_draining", "stirred_near_the_end"]
)
def test_what_is_stirred_up_less_or_late_is_drained_all_the_same(run, name):
    stirred = run(name)
    insist_that("times of filter_on in ms", switched_at(stirred, "filter_on"), [0, 400])
    insist_that(
        "times of drain_open in ms",
        switched_at(stirred, "drain_open"),
        [800, 1300],
    )
    insist_that("complete at the end", is_complete(stirred.samples[-1].state))


@pytest.mark.brief("F7", "F14", "F15", "F27", "F29")
def test_a_tank_that_is_filled_again_goes_through_it_again(run):
    refilled = run("refilled")
    filters = switches(refilled.samples, "filter_on")
    drains = switches(refilled.samples, "drain_open")
    insist_that(
        "filter_on as it switched",
        [state.filter_on for state in filters],
        [True, False],
    )
    insist_that(
        "drain_open as it switched",
        [state.drain_open for state in drains],
        [True, False, True, False],
    )
    insist_that(
        "complete at the end",
        is_complete(refilled.samples[-1].state),
    )


test_silence_makes_it_safe_after_a_second = loops.silence(
    "F20", "F21", "F26", names=["silence", "silence_while_draining"], last="LEVEL"
)
test_each_sensor_goes_stale_on_its_own = loops.one_silent(
    *("F20", "F21", "F25", "F26"),
    fixture="filtering",
    cases=[("TURB", "SENSE LEVEL 72"), ("LEVEL", "SENSE TURB 80")],
)
test_a_sensor_that_goes_stale_closes_the_drain = loops.one_silent(
    *("F20", "F21", "F26"),
    fixture="draining",
    cases=[("TURB", "SENSE LEVEL 72"), ("LEVEL", "SENSE TURB 20")],
)


@pytest.mark.brief("F6", "F20", "F21", "F23")
@pytest.mark.parametrize("line", ["SENSE LEVEL 72", "SENSE TURB 20", "HELLO WORLD"])
def test_it_begins_anew_when_a_sensor_comes_back(bench, draining, line):
    repeat_only(bench, draining, line, ticks=20)
    insist_that("safe", is_safe(draining.state), at_ms=draining.plant_ms)
    begins_anew(bench, draining)


test_a_short_silence_is_no_fault = loops.short_silence(
    "F18", "F22", "F25", fixtures=["filtering", "draining"]
)
test_a_malformed_reading_closes_the_drain_and_all_begins_anew = loops.malformed(
    *("F6", "F19", "F30", "L1", "L2", "L3", "L4"),
    fixture="draining",
    lines=BAD_LINES,
    then=begins_anew,
)
test_a_malformed_reading_closes_the_drain_within_a_frame = loops.malformed(
    *("F19", "L1", "L2", "L3", "L4"),
    fixture="draining",
    lines=BAD_LINES,
    then=lambda _bench, _loop: None,
)
test_the_other_sensor_does_not_end_what_a_malformed_reading_began = loops.other_goes_on(
    *("F19", "F30"),
    fixture="filtering",
    cases=[("SENSE TURB 101", "SENSE LEVEL 72"), ("SENSE LEVEL 101", "SENSE TURB 80")],
)
test_a_bad_line_makes_it_safe_within_a_frame_and_for_good = loops.bad_line_for_good(
    *("F19", "L5"),
    names=["fault", "malformed_turbidity", "malformed_level"],
)
test_lines_of_others_neither_count_nor_disturb = loops.nobodys_lines(
    *("F25", "L6"),
    fixture="filtering",
    lines=["SENSE PRESS 20", "SENSE", "sense turb 20"],
)
test_it_is_safe_after_start_up_until_both_have_come_in = loops.until_both(
    *("F2", "F3", "L8"),
    state={"turbidity_ntu": 80, "level": 72},
    lines=["HELLO WORLD", "SENSE LEVEL 72", "SENSE TURB 80"],
)
test_it_begins_anew_after_a_restart = loops.restart(
    "F2", "F6", fixture="draining", then=begins_anew
)
test_every_line_is_answered_whether_anything_has_changed_or_not = answer_checks.answers(
    *("F1", "L6", "L9"),
    actuators=["FILTER", "DRAIN"],
    rows=[
        ("SENSE LEVEL 40", "OFF CLOSED SAFE_IDLE"),
        ("SENSE TURB 36", "ON CLOSED FILTERING"),
        ("SENSE LEVEL 40", "ON CLOSED FILTERING"),
        ("SENSE TURB 35", "ON CLOSED FILTERING"),
        ("SENSE TURB 35", "ON CLOSED FILTERING"),
        ("SENSE TURB 35", "OFF CLOSED SETTLING"),
        ("SENSE TURB 35", "OFF CLOSED SETTLING"),
        ("SENSE LEVEL 14", "OFF CLOSED COMPLETE"),
        ("SENSE LEVEL 14", "OFF CLOSED COMPLETE"),
        ("FAULT SENSOR_TIMEOUT", "OFF CLOSED SAFE_IDLE"),
    ],
    ignored="SENSE PRESS 20",
)


@pytest.mark.brief("F18", "F20", "F21", "F24", "F26")
def test_what_time_changes_is_said_just_once(bench):
    bench.wait_for_boot()
    bench.run_for(TICK_MS)
    bench.uart.skip()
    for line in ("LEVEL 72", "TURB 20", "TURB 20", "TURB 20"):
        bench.send(f"SENSE {line}")
    bench.expect("^DBG STATE SETTLING$", within_ms=TICK_MS)
    bench.expect_silence(for_ms=370, ignoring="^DBG HEARTBEAT$")
    bench.expect("^ACT DRAIN OPEN$", within_ms=TICK_MS)
    bench.expect("^DBG STATE DRAINING$", within_ms=5)
    bench.expect_silence(for_ms=450, ignoring="^DBG HEARTBEAT$")
    bench.expect("^ACT DRAIN CLOSED$", within_ms=250)
    bench.expect("^DBG STATE SAFE_IDLE$", within_ms=5)
    bench.expect_silence(for_ms=2 * STALE_MS, ignoring="^DBG HEARTBEAT$")


test_a_sensor_that_is_silent_for_long_does_not_count_again = loops.long_silence(
    *("F14", "F20", "F21", "F25"),
    fixture="filtering",
    cases=[("TURB", "SENSE LEVEL 72"), ("LEVEL", "SENSE TURB 80")],
)
test_the_ends_of_the_ranges_are_readings = loops.extremes(
    *("F7", "F14", "F17", "L1", "L3"),
    cases={
        "cloudy-and-full": ({"turbidity_ntu": 100, "level": 100}, True),
        "clear-and-full": ({"turbidity_ntu": 0, "level": 100}, False),
        "cloudy-and-empty": ({"turbidity_ntu": 100, "level": 0}, False),
        "clear-and-empty": ({"turbidity_ntu": 0, "level": 0}, False),
    },
)


@pytest.mark.brief("F7", "F14", "F15", "F29")
def test_the_fourteenth_tank_goes_as_the_first(run):
    drained = switched_at(run("many_tanks"), "drain_open")
    first = [1000, 1500]
    due = [10_000 * tank + at_ms for tank in range(14) for at_ms in first]
    insist_that("times of drain_open in ms", drained, due)


test_whatever_is_said_is_answered_as_the_brief_says = answer_checks.any_lines(
    *("F3", "F4", "F5", "F6", "F7", "F8", "F9", "F10", "F11", "F12"),
    *("F13", "F14", "F15", "F16", "F17", "F18", "F19", "F20", "F21", "F23"),
    *("F24", "F25", "F28", "F29", "F30", "F31"),
    *("L1", "L2", "L3", "L4", "L5", "L6", "L7", "L9"),
)
