"""Reading by reading: each fails, gets too old and comes back on its own."""

import pytest

from pytest_embedbench.grading.checks import (
    Reading,
    TwoReadings,
    reading_checks,
    step_checks,
)

pytestmark = pytest.mark.profile("full")

SAFE = {"filter_on": False, "drain_open": False, "state": "SAFE_IDLE"}
FILTERING = {"filter_on": True, "drain_open": False, "state": "FILTERING"}
SETTLING = {"filter_on": False, "drain_open": False, "state": "SETTLING"}
DRAINING = {"filter_on": False, "drain_open": True, "state": "DRAINING"}
COMPLETE = {"filter_on": False, "drain_open": False, "state": "COMPLETE"}
BAD_KINDS = ["INVALID_TURBIDITY", "INVALID_LEVEL", "SENSOR_TIMEOUT"]


# No board takes up a line at once: times below count from here.
START_MS = 1000


def turb(at_ms, ntu):
    return ("TURBIDITY", START_MS + at_ms, ntu, 0)


def level(at_ms, percent):
    return ("LEVEL", START_MS + at_ms, 0, percent)


def idle(at_ms):
    return ("NONE", START_MS + at_ms)


def bad(at_ms, kind):
    return (kind, START_MS + at_ms, 20, 72)


FULL = level(0, 72)
safe_checks = step_checks.SafeChecks(safe=SAFE, bad_kinds=BAD_KINDS, beside=(20, 72))
CLOUDY = [FULL, turb(0, 80)]
CLEAR = [FULL, turb(0, 20), turb(50, 20), turb(100, 20)]
"""It settles since 100 ms."""
OPEN = [*CLEAR, idle(500)]
STATES = {
    "safe": ([FULL, turb(0, 20)], SAFE),
    "filtering": (CLOUDY, FILTERING),
    "settling": (CLEAR, SETTLING),
    "draining": (OPEN, DRAINING),
    "complete": ([level(0, 10), turb(0, 20)], COMPLETE),
}
in_every_state = pytest.mark.parametrize(
    ("steps", "shown"), STATES.values(), ids=STATES
)


test_a_turbidity_alone_leaves_it_safe = safe_checks.alone(
    "F3", row=turb, values=[0, 20, 35, 36, 51, 100]
)
test_a_level_alone_leaves_it_safe = safe_checks.alone(
    "F3", row=level, values=[0, 14, 15, 39, 40, 72, 100]
)
test_a_bad_line_at_the_start_leaves_it_safe = safe_checks.bad_line_at_the_start(
    "F2", "F19"
)


@pytest.mark.brief("F6")
def test_a_turbidity_without_a_level_is_not_counted(controller):
    controller.run([turb(0, 20), turb(100, 20), turb(200, 20)])
    controller.expect(level(250, 72), **SAFE)
    controller.expect(turb(300, 20), turb(400, 20), **SAFE)
    controller.expect(turb(500, 20), **SETTLING)


LOSSES = {
    "turbidity": [bad(200, "INVALID_TURBIDITY")],
    "level": [bad(200, "INVALID_LEVEL")],
    "fault": [bad(200, "SENSOR_TIMEOUT")],
    "stale-turbidity": [level(1100, 72), idle(1101)],
    "stale-level": [turb(950, 20), idle(1001)],
}


@pytest.mark.brief("F6", "F23", "F30")
@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
@pytest.mark.parametrize("clear_count", [1, 2, 3])
def test_a_loss_ends_the_streak(controller, loss, clear_count):
    controller.run([FULL, *[turb(100, 20)] * clear_count, *loss])
    ended_ms = loss[-1][1] - START_MS
    controller.expect(level(ended_ms + 50, 72), **SAFE)
    controller.expect(turb(ended_ms + 100, 20), **SAFE)
    controller.expect(turb(ended_ms + 200, 20), **SAFE)
    controller.expect(turb(ended_ms + 300, 20), **SETTLING)


@pytest.mark.brief("F19")
@in_every_state
@pytest.mark.parametrize("kind", BAD_KINDS)
def test_a_bad_line_makes_it_safe(controller, steps, shown, kind):
    controller.expect(*steps, **shown)
    controller.expect(bad(510, kind), **SAFE)
    controller.expect(bad(950, "NONE"), **SAFE)


@pytest.mark.brief("F6", "F13", "F18", "F19", "F30")
@pytest.mark.parametrize("kind", BAD_KINDS)
def test_a_bad_line_ends_the_settling(controller, kind):
    controller.run([*CLEAR, bad(300, kind), level(350, 72), turb(350, 20)])
    controller.expect(idle(500), **SAFE)
    controller.run([turb(550, 20)])
    controller.expect(turb(600, 20), **SETTLING)
    controller.expect(idle(999), **SETTLING)
    controller.expect(idle(1000), **DRAINING)


AGED = {
    "filtering": (80, 72, FILTERING),
    "settled": (20, 72, DRAINING),
    "complete": (20, 10, COMPLETE),
}
of_any_age = pytest.mark.parametrize(
    ("ntu", "percent", "shown"), AGED.values(), ids=AGED
)


@pytest.mark.brief("F20", "F22", "F25")
@of_any_age
def test_a_turbidity_counts_for_exactly_1000_ms(controller, ntu, percent, shown):
    controller.run([level(100, percent), *[turb(100, ntu)] * 3])
    for at_ms in (600, 1099, 1100):
        controller.expect(level(at_ms, percent), idle(at_ms), **shown)
    controller.expect(idle(1101), **SAFE)
    controller.expect(level(1101, percent), **SAFE)


@pytest.mark.brief("F21", "F22", "F25")
@of_any_age
def test_a_level_counts_for_exactly_1000_ms(controller, ntu, percent, shown):
    controller.run([level(100, percent), *[turb(100, ntu)] * 3])
    for at_ms in (600, 1099, 1100):
        controller.expect(turb(at_ms, ntu), idle(at_ms), **shown)
    controller.expect(idle(1101), **SAFE)
    controller.expect(turb(1101, ntu), **SAFE)


@pytest.mark.brief("F20", "F21")
@in_every_state
@pytest.mark.parametrize("age_ms", [1101, 1110, 5000, 66_000, 100_000])
def test_silence_makes_it_safe(controller, steps, shown, age_ms):
    controller.expect(*steps, **shown)
    controller.expect(idle(age_ms), **SAFE)


READINGS = TwoReadings(
    one=Reading(lambda at_ms: ("TURBIDITY", at_ms, 80, 0), "INVALID_TURBIDITY"),
    other=Reading(lambda at_ms: ("LEVEL", at_ms, 0, 72), "INVALID_LEVEL"),
    safe=SAFE,
    working=FILTERING,
)
alike = reading_checks.ReadingChecks(READINGS, "turbidity", "level")
test_both_readings_start_it_in_either_order = alike.start("F3", "F14", "F28")
test_a_malformed_reading_has_to_come_again = alike.malformed(
    *("F19", "F28", "F30", "F31")
)
test_the_other_reading_goes_on_counting_and_aging = alike.aging("F25", "F28", "F31")
test_both_readings_have_to_come_again_after_a_fault = alike.fault("F19", "F28", "F30")
test_a_reading_that_went_stale_has_to_come_again = alike.stale(
    *("F20", "F21", "F23", "F28", "F31")
)
test_readings_count_for_exactly_1000_ms_at_any_time = alike.time(
    "F20", "F21", "F22", late="S1"
)
