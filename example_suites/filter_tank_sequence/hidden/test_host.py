"""Step by step: every boundary of the brief, from both sides, in value and in time."""

from functools import partial

import pytest

from pytest_embedbench.grading.checks import history_checks, insist_that, step_checks

pytestmark = pytest.mark.profile("full")

SAFE = {"filter_on": False, "drain_open": False, "state": "SAFE_IDLE"}
FILTERING = {"filter_on": True, "drain_open": False, "state": "FILTERING"}
SETTLING = {"filter_on": False, "drain_open": False, "state": "SETTLING"}
DRAINING = {"filter_on": False, "drain_open": True, "state": "DRAINING"}
COMPLETE = {"filter_on": False, "drain_open": False, "state": "COMPLETE"}


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


def low(*percents):
    """Levels below 40."""
    marks = pytest.mark.brief("F10", "F28")
    return [pytest.param(each, marks=marks) for each in percents]


FULL = level(0, 72)
safe_checks = step_checks.SafeChecks(safe=SAFE)
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


@pytest.mark.brief("F1")
@in_every_state
def test_the_actuators_follow_the_state(controller, steps, shown):
    controller.expect(*steps, **shown)


test_the_tank_is_safe_at_the_start = safe_checks.at_the_start("F2", "F18")


@pytest.mark.brief("F4", "F15", "F16")
@pytest.mark.parametrize("clear_ntu", [0, 20, 34, 35])
def test_three_clear_readings_in_a_row_let_it_settle(controller, clear_ntu):
    controller.run(CLOUDY)
    controller.expect(turb(100, clear_ntu), **FILTERING)
    controller.expect(turb(200, clear_ntu), **FILTERING)
    controller.expect(turb(300, clear_ntu), **SETTLING)


@pytest.mark.brief("F4", "F14", "F16")
@pytest.mark.parametrize("cloudy_ntu", [36, 37, 40, 41, 50, 51, 100])
@pytest.mark.parametrize("clear_count", [1, 2])
def test_a_cloudy_reading_ends_the_streak(controller, cloudy_ntu, clear_count):
    controller.run([*CLOUDY, *[turb(100, 20)] * clear_count])
    controller.expect(turb(200, cloudy_ntu), **FILTERING)
    controller.expect(turb(300, 35), **FILTERING)
    controller.expect(turb(400, 35), **FILTERING)
    controller.expect(turb(500, 35), **SETTLING)


@pytest.mark.brief("F4")
@pytest.mark.parametrize("percent", [*low(15, 39), 40, 100])
def test_a_level_neither_adds_to_the_streak_nor_ends_it(controller, percent):
    controller.run([*CLOUDY, turb(100, 20), level(150, percent), level(150, 72)])
    controller.expect(turb(200, 20), level(200, 72), drain_open=False)
    output = controller.expect(level(250, percent), level(250, 72), drain_open=False)
    insist_that(
        "not SETTLING",
        output.state != "SETTLING",
        why="a level has added to the streak",
    )
    controller.expect(turb(300, 20), **SETTLING)


@pytest.mark.brief("F5", "F17")
def test_a_liquid_that_was_never_cloudy_settles(controller):
    controller.run([FULL])
    controller.expect(turb(100, 34), **SAFE)
    controller.expect(turb(200, 28), **SAFE)
    controller.expect(turb(300, 20), **SETTLING)


@pytest.mark.brief("F5", "F10", "F15", "F28")
def test_the_streak_counts_below_the_level_for_filtering(controller):
    controller.run([level(0, 39), turb(0, 20), turb(100, 20)])
    controller.expect(turb(200, 20), **SAFE)
    controller.expect(level(300, 40), **SETTLING)


@pytest.mark.brief("F5", "F7", "F15", "F28", "F29")
def test_the_streak_counts_in_a_tank_that_is_complete(controller):
    controller.run([level(0, 14), turb(0, 20), turb(100, 20), turb(200, 20)])
    controller.expect(level(300, 72), **SETTLING)


@pytest.mark.brief("F5", "F10", "F28")
@pytest.mark.parametrize("count", [128, 130, 256, 258])
def test_the_streak_counts_for_as_long_as_it_is_clear(controller, count):
    """For longer than counts in 8 bits can tell."""
    for number in range(count):
        controller.run([level(100 * number, 39), turb(100 * number, 20)])
    controller.expect(level(100 * count, 40), **SETTLING)


@pytest.mark.brief("F7")
@in_every_state
@pytest.mark.parametrize("percent", [0, 1, 10, 13, 14])
def test_an_empty_tank_is_complete(controller, steps, shown, percent):
    controller.expect(*steps, **shown)
    controller.expect(level(550, percent), **COMPLETE)
    controller.expect(turb(600, 80), **COMPLETE)
    controller.expect(turb(650, 20), idle(1200), **COMPLETE)


@pytest.mark.brief("F7", "F9")
@pytest.mark.parametrize("percent", [15, 16, 38, 39, 40, 72])
@pytest.mark.parametrize("ntu", [0, 35, 36, 40, 41, 50])
def test_it_goes_on_draining_down_to_15(controller, percent, ntu):
    controller.run(OPEN)
    controller.expect(level(550, percent), **DRAINING)
    controller.expect(turb(600, ntu), **DRAINING)
    controller.expect(level(650, 14), **COMPLETE)


@pytest.mark.brief("F8")
@pytest.mark.parametrize("percent", [40, 41, 72, 100])
@pytest.mark.parametrize("ntu", [51, 52, 80, 100])
def test_a_disturbance_ends_the_draining(controller, percent, ntu):
    controller.run([*OPEN, level(550, percent)])
    controller.expect(turb(600, ntu), **FILTERING)
    controller.expect(turb(700, 20), turb(800, 20), **FILTERING)
    controller.expect(turb(900, 20), **SETTLING)


@pytest.mark.brief("F8", "F9", "F28")
@pytest.mark.parametrize("percent", [15, 38, 39])
def test_a_low_tank_is_drained_whatever_disturbs_it(controller, percent):
    controller.run([*OPEN, level(550, percent)])
    controller.expect(turb(600, 51), **DRAINING)
    controller.expect(turb(650, 100), **DRAINING)
    controller.expect(level(700, 40), **FILTERING)


@pytest.mark.brief("F10")
@pytest.mark.parametrize("percent", [15, 16, 38, 39])
@pytest.mark.parametrize("name", ["safe", "filtering", "settling", "complete"])
def test_a_low_tank_is_neither_filtered_nor_left_to_settle(controller, name, percent):
    steps, _ = STATES[name]
    controller.run(steps)
    controller.expect(level(150, percent), **SAFE)
    controller.expect(turb(200, 80), **SAFE)
    controller.expect(turb(300, 20), turb(310, 20), turb(320, 20), **SAFE)
    controller.expect(idle(1100), **SAFE)


@pytest.mark.brief("F10", "F14")
def test_a_tank_that_is_filled_up_is_filtered_again(controller):
    controller.expect(*CLOUDY, level(100, 39), **SAFE)
    controller.expect(level(200, 40), **FILTERING)
    controller.expect(level(300, 14), level(400, 40), **FILTERING)


@pytest.mark.brief("F10", "F13", "F15", "F18")
def test_the_settling_begins_anew_after_a_low_level(controller):
    controller.expect(*CLEAR, level(400, 39), **SAFE)
    controller.expect(level(450, 40), **SETTLING)
    controller.expect(idle(849), **SETTLING)
    controller.expect(idle(850), **DRAINING)


@pytest.mark.brief("F11", "F4")
@pytest.mark.parametrize("ntu", [41, 42, 50, 51, 100])
def test_a_disturbance_ends_the_settling(controller, ntu):
    controller.expect(*CLEAR, turb(200, ntu), **FILTERING)
    controller.expect(idle(600), **FILTERING)
    controller.expect(turb(650, 20), turb(700, 20), **FILTERING)
    controller.expect(turb(750, 20), level(750, 72), **SETTLING)
    controller.expect(idle(1149), **SETTLING)
    controller.expect(idle(1150), **DRAINING)


@pytest.mark.brief("F4", "F11", "F15")
def test_a_disturbance_ends_the_settling_however_often(controller):
    """More often than a count in 8 bits can tell."""
    controller.run([FULL])
    for at_ms in range(10, 2610, 10):
        refreshed = [level(at_ms, 72), *[turb(at_ms, 20)] * 3]
        controller.expect(*refreshed, **SETTLING)
        controller.expect(turb(at_ms, 41), **FILTERING)


@pytest.mark.brief("F12", "F13", "F18")
@pytest.mark.parametrize("ntu", [36, 37, 39, 40])
def test_a_slight_clouding_only_keeps_the_drain_closed(controller, ntu):
    controller.expect(*CLEAR, turb(200, ntu), **SETTLING)
    controller.expect(idle(500), **SETTLING)
    controller.expect(level(550, 72), **SETTLING)
    controller.expect(turb(600, ntu), idle(650), **SETTLING)
    controller.expect(turb(700, 35), **DRAINING)


@pytest.mark.brief("F4", "F12", "F16")
def test_a_slight_clouding_ends_the_streak(controller):
    controller.run([*CLEAR, turb(150, 36), level(200, 39), turb(250, 20)])
    controller.expect(level(300, 72), **SAFE)
    controller.expect(turb(350, 20), **SAFE)
    controller.expect(turb(400, 20), **SETTLING)


@pytest.mark.brief("F13", "F18")
@step_checks.each_start("S1")
def test_it_settles_for_exactly_400_ms(controller, start_ms):
    at_ms = start_ms - START_MS
    controller.run([level(at_ms, 72), *[turb(at_ms, 20)] * 3])
    for elapsed_ms in (1, 50, 300, 390, 398, 399):
        controller.expect(idle(at_ms + elapsed_ms), **SETTLING)
    controller.expect(idle(at_ms + 400), **DRAINING)


@pytest.mark.brief("F13")
@pytest.mark.parametrize(
    "step",
    [partial(turb, ntu=20), partial(turb, ntu=35), partial(level, percent=72)],
    ids=["clear", "just-clear", "level"],
)
def test_a_line_opens_the_drain_after_exactly_400_ms(controller, step):
    controller.expect(*CLEAR, step(499), **SETTLING)
    controller.expect(step(500), **DRAINING)


@pytest.mark.brief("F13", "F18")
def test_clear_readings_do_not_make_it_settle_anew(controller):
    controller.run([*CLEAR, turb(200, 0), turb(300, 35), level(400, 72)])
    controller.expect(idle(499), **SETTLING)
    controller.expect(idle(500), **DRAINING)


@pytest.mark.brief("F7", "F13")
def test_an_empty_tank_is_complete_and_not_drained(controller):
    controller.expect(*CLEAR, level(500, 14), **COMPLETE)


@pytest.mark.brief("F14", "F16")
@pytest.mark.parametrize("percent", [40, 41, 72, 100])
@pytest.mark.parametrize("ntu", [36, 37, 80, 100])
def test_a_cloudy_liquid_is_filtered(controller, percent, ntu):
    controller.expect(level(0, percent), turb(0, ntu), **FILTERING)
    controller.expect(turb(100, 35), **FILTERING)


@pytest.mark.brief("F14", "F17")
@pytest.mark.parametrize("ntu", [0, 34, 35])
def test_a_clear_liquid_is_not_filtered(controller, ntu):
    controller.expect(FULL, turb(100, ntu), **SAFE)


@pytest.mark.brief("F7", "F14", "F17", "F28", "F29")
def test_a_tank_that_is_filled_again_begins_anew(controller):
    complete = [level(0, 10), turb(0, 20)]
    controller.expect(*complete, level(100, 72), **SAFE)
    controller.expect(turb(200, 80), **FILTERING)


@pytest.mark.brief("F18", "F22")
@pytest.mark.parametrize("name", ["safe", "filtering", "draining", "complete"])
def test_idle_steps_change_nothing_in_time(controller, name):
    steps, shown = STATES[name]
    controller.run(steps)
    for at_ms in range(500, 1001, 10):
        controller.expect(idle(at_ms), **shown)


test_changed_is_said_of_what_time_changes_and_of_nothing_else = (
    step_checks.changed_in_idle_steps(
        "F24",
        cases={
            "filtering": (CLOUDY, [2050]),
            "settling": (CLEAR, [1500, 2050]),
            "safe": ([FULL, turb(0, 20)], []),
            "complete": ([level(0, 10), turb(0, 20)], [2050]),
        },
        from_ms=START_MS + 150,
    )
)
test_changed_is_not_said_again_of_what_a_line_has_changed = (
    step_checks.changed_not_again(
        "F24",
        lines=[
            level(0, 72),
            turb(100, 80),
            *(turb(at_ms, 20) for at_ms in (200, 300, 400, 850)),
            *(level(900 + 50 * i, percent) for i, percent in enumerate((14, 39, 72))),
            bad(1050, "INVALID_LEVEL"),
        ],
    )
)


PARTS = (
    *([("TURBIDITY", 100, ntu, 72)] for ntu in (35, 36, 40, 41, 50, 51)),
    *([("LEVEL", 50, 80, percent)] for percent in (14, 15, 39, 40)),
    [("LEVEL", 50, 0, 72), *[("TURBIDITY", 50, 20, 10)] * 3],
    [("LEVEL", 0, 0, 72), ("TURBIDITY", 0, 20)],
    [("INVALID_TURBIDITY", 50, 20, 72)],
    [("INVALID_LEVEL", 50, 20, 72)],
    [("SENSOR_TIMEOUT", 50, 20, 72)],
    *([("NONE", after_ms)] for after_ms in (0, 399, 400, 1001)),
)

in_all_respects = step_checks.every("F", 25, *range(28, 32))


test_any_three_things_in_a_row_go_as_the_brief_says = step_checks.any_in_a_row(
    *in_all_respects, parts=PARTS
)
test_long_ways_go_as_the_brief_says = step_checks.long_histories(*in_all_respects)
test_any_value_may_follow_any_other = history_checks.jumps(*in_all_respects)
test_a_first_line_counts_whenever_it_comes = history_checks.starts(
    "S1", *in_all_respects
)
test_what_goes_on_goes_on_for_minutes = history_checks.long_states(*in_all_respects)
test_a_long_silence_is_no_reading = history_checks.long_silences(*in_all_respects)
test_lines_may_come_between_steps = history_checks.between_steps(*in_all_respects)
test_a_sensor_comes_back_whenever_it_does = history_checks.returns(*in_all_respects)
test_bad_lines_are_bad_however_many = history_checks.many_bad_lines(*in_all_respects)
test_readings_count_however_many = history_checks.many_readings(
    *in_all_respects, situation=[("TURBIDITY", 20, 0), ("LEVEL", 0, 39)]
)
