"""Step by step: every boundary of the brief, from both sides, in value and in time."""

import pytest

from pytest_embedbench.grading.checks import (
    Reading,
    TwoReadings,
    history_checks,
    reading_checks,
    step_checks,
)

pytestmark = pytest.mark.profile("full")

SAFE = {"inlet_open": False, "heater_on": False, "state": "SAFE_IDLE"}
FILLING = {"inlet_open": True, "heater_on": False, "state": "FILLING"}
HEATING = {"inlet_open": False, "heater_on": True, "state": "HEATING"}
HELD_ON = {"inlet_open": False, "heater_on": True, "state": "HOLDING"}
HELD_OFF = {"inlet_open": False, "heater_on": False, "state": "HOLDING"}
OFF = {"inlet_open": False, "heater_on": False}
"""Whatever that is called: see M26 and M29."""
BAD_KINDS = ["INVALID_TEMPERATURE", "INVALID_LEVEL", "SENSOR_TIMEOUT"]


def temp(now_ms, temperature_c):
    return ("TEMPERATURE", now_ms, temperature_c, 0)


def level(now_ms, percent):
    return ("LEVEL", now_ms, 0, percent)


FULL = level(100, 65)
HEATED = [FULL, temp(100, 30)]
"""The heater is on at 100 ms."""


def over(*percents):
    """Levels above 75."""
    return [pytest.param(each, marks=pytest.mark.brief("M25")) for each in percents]


safe_checks = step_checks.SafeChecks(safe=SAFE, bad_kinds=BAD_KINDS, beside=(30, 65))


test_the_tank_is_safe_at_the_start = safe_checks.at_the_start("M1", "M17")
test_a_temperature_alone_leaves_it_safe = safe_checks.alone(
    "M2", row=temp, values=[20, 44, 45, 47, 48, 49, 80]
)
test_a_level_alone_leaves_it_safe = safe_checks.alone(
    "M2", row=level, values=[0, 40, 59, 60, 75, 76, 100]
)
test_a_bad_line_at_the_start_leaves_it_safe = safe_checks.bad_line_at_the_start(
    "M1", "M11", "M12", "M13"
)


@pytest.mark.brief("M3")
@pytest.mark.parametrize("percent", [0, 1, 30, 54, 55, 56, 58, 59])
@pytest.mark.parametrize("temperature_c", [20, 44, 45, 47, 49, 80])
def test_a_low_level_opens_the_inlet_and_stops_the_heater(
    controller, percent, temperature_c
):
    controller.run([*HEATED, temp(200, temperature_c)])
    controller.expect(level(200, percent), **FILLING)
    controller.expect(temp(300, temperature_c), **FILLING)


@pytest.mark.brief("M4", "M5")
@pytest.mark.parametrize("percent", [60, 61, 70, 74, 75, *over(76, 90, 100)])
def test_a_full_tank_closes_the_inlet_and_is_heated(controller, percent):
    controller.expect(temp(100, 30), level(100, 59), **FILLING)
    controller.expect(level(200, percent), **HEATING)


@pytest.mark.brief("M4", "M5", "M6", "M7", "M9")
@pytest.mark.parametrize("percent", [60, 75, *over(76, 100)])
def test_how_full_it_is_makes_no_difference_to_the_heater(controller, percent):
    controller.run([level(100, percent)])
    for number, (temperature_c, shown) in enumerate(
        [(44, HEATING), (45, HELD_ON), (46, HELD_ON), (47, HELD_OFF), (49, OFF)]
    ):
        controller.expect(temp(200 + 100 * number, temperature_c), **shown)


@pytest.mark.brief("M5")
@pytest.mark.parametrize("temperature_c", [20, 21, 40, 43, 44])
def test_a_cold_tank_is_heated(controller, temperature_c):
    controller.expect(FULL, temp(200, temperature_c), **HEATING)


@pytest.mark.brief("M5")
@pytest.mark.parametrize("temperature_c", [47, 49])
def test_a_tank_that_cools_down_is_heated_again(controller, temperature_c):
    controller.run([*HEATED, temp(200, temperature_c)])
    controller.expect(temp(300, 45), **OFF)
    controller.expect(temp(400, 44), **HEATING)


@pytest.mark.brief("M6")
@pytest.mark.parametrize("temperature_c", [45, 46])
def test_a_temperature_low_in_the_band_changes_nothing(controller, temperature_c):
    controller.expect(*HEATED, temp(200, temperature_c), **HELD_ON)
    controller.expect(temp(300, 49), temp(400, temperature_c), **OFF)


@pytest.mark.brief("M7")
@pytest.mark.parametrize("temperature_c", [47, 48])
@pytest.mark.parametrize("before_c", [20, 44, 45, 46])
def test_a_rising_temperature_high_in_the_band_stops_the_heater_early(
    controller, before_c, temperature_c
):
    controller.run([*HEATED, temp(200, before_c)])
    controller.expect(temp(300, temperature_c), **HELD_OFF)
    controller.expect(level(300, 65), **HELD_OFF)


@pytest.mark.brief("M8")
@pytest.mark.parametrize("temperature_c", [48, 47])
@pytest.mark.parametrize("before_c", [80, 49, 48])
def test_a_falling_temperature_high_in_the_band_changes_nothing(
    controller, before_c, temperature_c
):
    controller.run([*HEATED, temp(200, before_c)])
    controller.expect(temp(300, temperature_c), **OFF)
    controller.expect(temp(400, temperature_c), level(400, 65), **OFF)


@pytest.mark.brief("M9")
@pytest.mark.parametrize("temperature_c", [49, 50, 51, 60, 80])
def test_a_hot_tank_is_not_heated(controller, temperature_c):
    controller.expect(*HEATED, temp(200, temperature_c), **OFF)


@pytest.mark.brief("M9", "M26")
@pytest.mark.parametrize("temperature_c", [49, 80])
def test_a_hot_tank_is_held(controller, temperature_c):
    controller.expect(*HEATED, temp(200, temperature_c), **HELD_OFF)


@pytest.mark.brief("M3", "M4", "M5", "M6", "M7", "M9", "M10", "M25", "M26", "M29")
@pytest.mark.parametrize("was_on", [True, False])
def test_every_pair_of_readings_is_answered_as_the_brief_says(controller, was_on):
    now_ms = 100
    for percent in range(0, 101, 5):
        for temperature_c in range(40, 52):
            expected = HELD_ON if was_on and temperature_c <= 46 else HELD_OFF
            if temperature_c < 45:
                expected = HEATING
            if percent < 60:
                expected = FILLING
            elif not was_on and temperature_c >= 45:
                expected = HELD_OFF
            controller.run([level(now_ms, 65), temp(now_ms, 30 if was_on else 80)])
            controller.run([temp(now_ms, temperature_c)])
            controller.expect(level(now_ms, percent), **expected)
            now_ms += 100


@pytest.mark.brief("M3", "M10", "M19")
@pytest.mark.parametrize("temperature_c", [45, 46, 47, 48])
def test_filling_up_again_leaves_the_heater_off_within_the_band(
    controller, temperature_c
):
    controller.run([*HEATED, temp(200, 46), level(300, 59)])
    controller.expect(temp(400, temperature_c), **FILLING)
    controller.expect(level(500, 60), **OFF)


@pytest.mark.brief("M10", "M20")
@pytest.mark.parametrize("percent", [54, 55, 59])
def test_a_falling_level_stops_the_heater_at_once(controller, percent):
    controller.expect(*HEATED, level(150, percent), **FILLING)
    controller.expect(level(250, 60), **HEATING)


@pytest.mark.brief("M11", "M12", "M13")
@pytest.mark.parametrize("kind", BAD_KINDS)
@pytest.mark.parametrize("reading", [temp(150, 46), temp(150, 49), level(150, 40)])
def test_a_bad_line_makes_it_safe(controller, kind, reading):
    controller.run([*HEATED, reading])
    controller.expect((kind, 200), **SAFE)
    controller.expect(("NONE", 250), **SAFE)


test_the_values_of_a_bad_line_do_not_count = safe_checks.values_of_a_bad_line(
    "M11", "M12", "M13", after=HEATED
)


@pytest.mark.brief("M19")
@pytest.mark.parametrize("kind", BAD_KINDS)
@pytest.mark.parametrize("temperature_c", [45, 46, 47, 48])
def test_the_band_does_not_bring_the_heater_back(controller, kind, temperature_c):
    controller.run([*HEATED, temp(150, 45), (kind, 200)])
    controller.run([level(300, 65)])
    controller.expect(temp(300, temperature_c), **OFF)
    controller.expect(("NONE", 350), **OFF)


STEADY = {
    "heating": (HEATED, HEATING),
    "held-on": ([*HEATED, temp(100, 46)], HELD_ON),
    "held-off": ([*HEATED, temp(100, 49)], OFF),
    "filling": ([temp(100, 30), level(100, 40)], FILLING),
}
in_every_state = pytest.mark.parametrize(
    ("steps", "shown"), STEADY.values(), ids=STEADY
)


@pytest.mark.brief("M14", "M16", "M22")
@in_every_state
def test_a_temperature_counts_for_exactly_1000_ms(controller, steps, shown):
    controller.run(steps)
    again = next(step for step in reversed(steps) if step[0] == "LEVEL")
    for now_ms in (600, 1099, 1100):
        controller.expect(level(now_ms, again[3]), ("NONE", now_ms), **shown)
    controller.expect(("NONE", 1101), **SAFE)
    controller.expect(level(1101, again[3]), **SAFE)


@pytest.mark.brief("M15", "M16", "M22")
@in_every_state
def test_a_level_counts_for_exactly_1000_ms(controller, steps, shown):
    controller.run(steps)
    again = next(step for step in reversed(steps) if step[0] == "TEMPERATURE")
    for now_ms in (600, 1099, 1100):
        controller.expect(temp(now_ms, again[2]), ("NONE", now_ms), **shown)
    controller.expect(("NONE", 1101), **SAFE)
    controller.expect(temp(1101, again[2]), **SAFE)


@pytest.mark.brief("M19")
@pytest.mark.parametrize("reading", [level(1100, 65), temp(1100, 46)])
def test_what_went_stale_within_the_band_stays_unheated(controller, reading):
    controller.run([*HEATED, temp(100, 46), reading, ("NONE", 1101)])
    controller.expect(level(1200, 65), temp(1200, 46), **OFF)


test_silence_makes_it_safe = safe_checks.silence(
    "M14", "M15", after=HEATED, ages_ms=[1001, 1010, 1050, 5000, 66_000, 100_000]
)
test_idle_steps_change_nothing_in_time = step_checks.idle_steps(
    "M16", "M17", states=STEADY
)
test_changed_is_said_of_going_stale_and_of_nothing_else = (
    step_checks.changed_in_idle_steps(
        "M21",
        cases={name: (steps, [1150]) for name, (steps, _) in STEADY.items()},
        from_ms=150,
    )
)
test_changed_is_not_said_again_of_what_a_line_has_changed = (
    step_checks.changed_not_again(
        "M21",
        lines=[
            level(100, 40),
            temp(200, 30),
            level(300, 60),
            *(temp(400 + i * 100, value) for i, value in enumerate((45, 47, 30))),
            ("INVALID_LEVEL", 700),
            level(800, 60),
            ("SENSOR_TIMEOUT", 900),
        ],
    )
)


READINGS = TwoReadings(
    one=Reading(lambda at_ms: temp(at_ms, 30), "INVALID_TEMPERATURE"),
    other=Reading(lambda at_ms: level(at_ms, 65), "INVALID_LEVEL"),
    safe=SAFE,
    working=HEATING,
)
alike = reading_checks.ReadingChecks(READINGS, "temperature", "level")
test_both_readings_start_it_in_either_order = alike.start("M2", "M5", "M10")
test_a_malformed_reading_has_to_come_again = alike.malformed(
    *("M11", "M12", "M27", "M28")
)
test_the_other_reading_goes_on_counting_and_aging = alike.aging("M22", "M28")
test_both_readings_have_to_come_again_after_a_fault = alike.fault("M13", "M27")
test_a_reading_that_went_stale_has_to_come_again = alike.stale(
    *("M14", "M15", "M18", "M28")
)
test_readings_count_for_exactly_1000_ms_at_any_time = alike.time(
    "M14", "M15", "M16", late="S1"
)


PARTS = (
    *([("TEMPERATURE", 100, value, 65)] for value in (30, 44, 45, 46, 47, 48, 49)),
    *([("LEVEL", 100, 30, percent)] for percent in (54, 59, 60, 76)),
    [("TEMPERATURE", 500, 46), ("LEVEL", 0, 0, 65)],
    [("INVALID_TEMPERATURE", 50, 30, 65)],
    [("INVALID_LEVEL", 50, 30, 65)],
    [("SENSOR_TIMEOUT", 50, 30, 65)],
    *([("NONE", after_ms)] for after_ms in (0, 500, 1001)),
)

in_all_respects = step_checks.every("M", 22, *range(25, 30))


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
    *in_all_respects, situation=[("TEMPERATURE", 46, 0), ("LEVEL", 0, 65)]
)
