"""Step by step: every boundary of the brief, from both sides, in value and in time."""

import pytest

from pytest_embedbench.grading.checks import history_checks, step_checks

pytestmark = pytest.mark.profile("full")

OFF = {"heater_on": False, "state": "SAFE_OFF"}
ON = {"heater_on": True, "state": "HEATING"}
HELD_ON = {"heater_on": True, "state": "HOLDING"}
HELD_OFF = {"heater_on": False, "state": "HOLDING"}

COLD = ("TEMPERATURE", 100, 20)
"""Switches the heater on at 100 ms."""
LOSSES = {
    "malformed": ("INVALID_TEMPERATURE", 200),
    "fault": ("SENSOR_TIMEOUT", 200),
    "stale": ("NONE", 1101),
}
safe_checks = step_checks.SafeChecks(
    safe=OFF, bad_kinds=["INVALID_TEMPERATURE", "SENSOR_TIMEOUT"], beside=(20,)
)
after_a_loss = pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)


test_the_heater_is_off_at_the_start = safe_checks.at_the_start("C1", "C11")


@pytest.mark.brief("C1", "C3", "C4", "C6", "C17")
@pytest.mark.parametrize("temperature_c", [47, 49, 50, 52, 53, 80])
def test_no_first_temperature_but_a_low_one_starts_the_heater(
    controller, temperature_c
):
    expected = HELD_OFF if temperature_c <= 52 else OFF
    controller.expect(("TEMPERATURE", 100, temperature_c), **expected)
    controller.expect(("NONE", 150), **expected)


test_a_fault_at_the_start_leaves_the_heater_off = safe_checks.bad_line_at_the_start(
    "C1", "C7", "C8"
)


@pytest.mark.brief("C2")
@pytest.mark.parametrize("temperature_c", [15, 16, 20, 40, 45, 46])
def test_a_low_temperature_starts_the_heater(controller, temperature_c):
    controller.expect(("TEMPERATURE", 100, temperature_c), **ON)


@pytest.mark.brief("C2")
@pytest.mark.parametrize("temperature_c", [50, 53])
def test_a_low_temperature_starts_the_heater_again(controller, temperature_c):
    controller.run([COLD, ("TEMPERATURE", 200, temperature_c)])
    controller.expect(("TEMPERATURE", 300, 46), **ON)


@pytest.mark.brief("C3")
@pytest.mark.parametrize("temperature_c", [53, 54, 60, 79, 80])
def test_a_high_temperature_stops_the_heater(controller, temperature_c):
    controller.expect(COLD, ("TEMPERATURE", 200, temperature_c), **OFF)


@pytest.mark.brief("C4", "C17")
@pytest.mark.parametrize("temperature_c", [47, 48, 49])
def test_a_temperature_low_in_the_band_changes_nothing(controller, temperature_c):
    controller.expect(COLD, ("TEMPERATURE", 200, temperature_c), **HELD_ON)
    controller.step("TEMPERATURE", temperature_c=53, now_ms=300)
    controller.expect(("TEMPERATURE", 400, temperature_c), **HELD_OFF)


@pytest.mark.brief("C5")
@pytest.mark.parametrize("temperature_c", [50, 51, 52])
@pytest.mark.parametrize("before_c", [20, 46, 47, 49])
def test_a_rising_temperature_high_in_the_band_stops_the_heater_early(
    controller, before_c, temperature_c
):
    before = ("TEMPERATURE", 200, before_c)
    controller.expect(COLD, before, ("TEMPERATURE", 300, temperature_c), **HELD_OFF)


@pytest.mark.brief("C6", "C17")
@pytest.mark.parametrize("before_c", [80, 53, 52])
@pytest.mark.parametrize("temperature_c", [52, 51, 50])
def test_a_falling_temperature_high_in_the_band_changes_nothing(
    controller, before_c, temperature_c
):
    controller.run([COLD, ("TEMPERATURE", 200, before_c)])
    controller.expect(("TEMPERATURE", 300, temperature_c), **HELD_OFF)
    controller.expect(("TEMPERATURE", 400, temperature_c), **HELD_OFF)


@pytest.mark.brief("C2", "C3", "C4", "C5", "C6", "C17")
@pytest.mark.parametrize("before_c", [20, 80])
def test_every_temperature_is_answered_as_the_brief_says(controller, before_c):
    now_ms, was_on = 100, before_c < 47
    for temperature_c in range(15, 81):
        expected = OFF
        if temperature_c < 47:
            expected = ON
        elif temperature_c <= 52:
            expected = HELD_ON if was_on and temperature_c < 50 else HELD_OFF
        controller.run([("TEMPERATURE", now_ms, before_c)])
        controller.expect(("TEMPERATURE", now_ms + 100, temperature_c), **expected)
        now_ms += 200


@pytest.mark.brief("C7", "C8", "C9")
@after_a_loss
@pytest.mark.parametrize("temperature_c", [20, 48])
def test_a_loss_stops_the_heater(controller, loss, temperature_c):
    controller.run([COLD, ("TEMPERATURE", 100, temperature_c)])
    controller.expect(loss, **OFF)
    controller.expect(("NONE", 1150), **OFF)


@pytest.mark.brief("C7", "C8", "C9")
@after_a_loss
def test_a_loss_is_said_of_a_heater_that_is_off(controller, loss):
    controller.expect(COLD, ("TEMPERATURE", 100, 50), **HELD_OFF)
    controller.expect(loss, **OFF)


@pytest.mark.brief("C7", "C8")
@pytest.mark.parametrize("kind", ["INVALID_TEMPERATURE", "SENSOR_TIMEOUT"])
@pytest.mark.parametrize("value", [0, 20, 46, 80])
def test_the_value_of_a_bad_line_does_not_count(controller, kind, value):
    controller.expect(COLD, (kind, 200, value), ("NONE", 250, value), **OFF)


@pytest.mark.brief("C9", "C10")
@step_checks.each_start("S1")
@pytest.mark.parametrize(("temperature_c", "shown"), [(20, ON), (48, HELD_ON)])
def test_a_temperature_counts_for_exactly_1000_ms(
    controller, start_ms, temperature_c, shown
):
    cold = ("TEMPERATURE", start_ms, 20)
    controller.run([cold, ("TEMPERATURE", start_ms, temperature_c)])
    for age_ms in (1, 50, 900, 990, 999, 1000):
        controller.expect(("NONE", start_ms + age_ms), **shown)
    controller.expect(("NONE", start_ms + 1001), **OFF)


test_an_old_temperature_stops_the_heater = safe_checks.silence(
    "C9", after=[COLD], ages_ms=[1001, 1002, 1010, 1050, 1100, 5000, 66_000, 100_000]
)
test_idle_steps_change_nothing_in_time = step_checks.idle_steps(
    "C10",
    "C11",
    states={
        "20-shown0": ([COLD, ("TEMPERATURE", 100, 20)], ON),
        "49-shown1": ([COLD, ("TEMPERATURE", 100, 49)], HELD_ON),
        "51-shown2": ([COLD, ("TEMPERATURE", 100, 51)], HELD_OFF),
        "60-shown3": ([COLD, ("TEMPERATURE", 100, 60)], OFF),
    },
)


@pytest.mark.brief("C11", "C13")
@pytest.mark.parametrize("temperature_c", [20, 48])
def test_each_temperature_starts_the_time_anew(controller, temperature_c):
    again = ("TEMPERATURE", 1900, temperature_c)
    controller.run([COLD, ("TEMPERATURE", 1000, 47), ("NONE", 1500), again])
    controller.expect(("NONE", 2900), heater_on=True)
    controller.expect(("NONE", 2901), **OFF)


@pytest.mark.brief("C12", "C17")
@after_a_loss
@pytest.mark.parametrize("temperature_c", [47, 49, 50, 52])
def test_a_temperature_in_the_band_does_not_bring_the_heater_back(
    controller, loss, temperature_c
):
    controller.run([COLD, loss])
    controller.expect(("TEMPERATURE", 1200, temperature_c), **HELD_OFF)
    controller.expect(("NONE", 1250), **HELD_OFF)


@pytest.mark.brief("C2", "C12")
@after_a_loss
def test_a_low_temperature_brings_the_heater_back(controller, loss):
    controller.expect(COLD, loss, ("TEMPERATURE", 1200, 46), **ON)
    controller.expect(("NONE", 2200), **ON)
    controller.expect(("NONE", 2201), **OFF)


@pytest.mark.brief("C13")
@pytest.mark.parametrize("kind", ["INVALID_TEMPERATURE", "SENSOR_TIMEOUT"])
def test_a_bad_line_is_no_sign_of_life(controller, kind):
    controller.expect(COLD, (kind, 900, 20), ("NONE", 950), **OFF)
    controller.expect(("NONE", 1150), **OFF)


test_changed_is_said_of_going_stale_and_of_nothing_else = (
    step_checks.changed_in_idle_steps(
        "C14",
        cases={
            f"{value}": ([COLD, ("TEMPERATURE", 200, value)], [1250])
            for value in (20, 48, 50)
        },
        from_ms=250,
    )
)
test_changed_is_not_said_again_of_what_a_line_has_changed = (
    step_checks.changed_not_again(
        "C14",
        lines=[
            *(
                ("TEMPERATURE", 100 + i * 100, value)
                for i, value in enumerate((20, 48, 50, 60, 20))
            ),
            ("INVALID_TEMPERATURE", 700),
        ],
    )
)


PARTS = (
    *([("TEMPERATURE", 100, value)] for value in (15, 46, 47, 49, 50, 52, 53, 80)),
    [("TEMPERATURE", 0, 48)],
    [("INVALID_TEMPERATURE", 50, 20)],
    [("SENSOR_TIMEOUT", 50, 20)],
    *([("NONE", after_ms)] for after_ms in (0, 10, 500, 1000, 1001)),
)

in_all_respects = step_checks.every("C", 14, 17)


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
test_bad_lines_are_bad_however_many = history_checks.many_bad_lines(*in_all_respects)
test_readings_count_however_many = history_checks.many_readings(
    *in_all_respects, situation=[("TEMPERATURE", 48)]
)
