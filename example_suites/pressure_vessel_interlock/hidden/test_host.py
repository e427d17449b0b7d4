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

SAFE = {"compressor_on": False, "vent_open": True, "state": "SAFE_VENT"}
PRESSURIZING = {"compressor_on": True, "vent_open": False, "state": "PRESSURIZING"}
RELIEVING = {"compressor_on": False, "vent_open": True, "state": "RELIEVING"}
HELD_ON = {"compressor_on": True, "vent_open": False, "state": "HOLDING"}
HELD_OFF = {"compressor_on": False, "vent_open": True, "state": "HOLDING"}


def pressure(now_ms, kpa):
    return ("PRESSURE", now_ms, kpa, False)


def door(now_ms, *, closed):
    return ("DOOR_CLOSED" if closed else "DOOR_OPEN", now_ms, 0, closed)


CLOSED = door(100, closed=True)
RUNNING = [CLOSED, pressure(100, 20)]
"""The compressor is on at 100 ms."""
BAD_KINDS = ["INVALID_PRESSURE", "INVALID_DOOR", "SENSOR_TIMEOUT"]
safe_checks = step_checks.SafeChecks(safe=SAFE, bad_kinds=BAD_KINDS, beside=(20, True))


test_the_vessel_is_safe_at_the_start = safe_checks.at_the_start("V1", "V14")
test_a_pressure_alone_leaves_it_safe = safe_checks.alone(
    "V2", row=pressure, values=[0, 20, 39, 40, 50, 60, 61, 120]
)
test_a_door_alone_leaves_it_safe = safe_checks.alone(
    "V2", row=lambda at_ms, closed: door(at_ms, closed=closed), values=[True, False]
)
test_a_bad_line_at_the_start_leaves_it_safe = safe_checks.bad_line_at_the_start(
    "V1", "V8", "V9", "V10"
)


@pytest.mark.brief("V3")
@pytest.mark.parametrize("kpa", [0, 20, 39, 40, 50, 60, 61, 120])
def test_an_open_door_makes_it_safe(controller, kpa):
    controller.run([*RUNNING, pressure(200, kpa)])
    controller.expect(door(300, closed=False), **SAFE)
    controller.expect(pressure(400, kpa), **SAFE)
    controller.expect(("NONE", 450), **SAFE)


@pytest.mark.brief("V3", "V18")
def test_it_stays_safe_while_the_door_is_open(controller):
    controller.run([*RUNNING, door(200, closed=False)])
    for now_ms in range(300, 3000, 100):
        controller.expect(pressure(now_ms, 20), **SAFE)
        controller.expect(door(now_ms, closed=False), **SAFE)
        controller.expect(("NONE", now_ms), **SAFE)


@pytest.mark.brief("V4")
@pytest.mark.parametrize("kpa", [0, 1, 20, 35, 38, 39])
def test_a_low_pressure_starts_the_compressor(controller, kpa):
    controller.expect(CLOSED, pressure(200, kpa), **PRESSURIZING)


@pytest.mark.brief("V5")
@pytest.mark.parametrize("kpa", [61, 62, 70, 119, 120])
def test_a_high_pressure_opens_the_vent(controller, kpa):
    controller.expect(*RUNNING, pressure(200, kpa), **RELIEVING)


@pytest.mark.brief("V6", "V16")
@pytest.mark.parametrize("kpa", [40, 41, 50, 59, 60])
def test_a_pressure_in_the_band_changes_nothing(controller, kpa):
    controller.expect(*RUNNING, pressure(200, kpa), **HELD_ON)
    controller.expect(pressure(300, 61), pressure(400, kpa), **HELD_OFF)


@pytest.mark.brief("V4", "V5", "V6")
@pytest.mark.parametrize("before_kpa", [20, 90])
def test_every_pressure_is_answered_as_the_brief_says(controller, before_kpa):
    for kpa in range(121):
        now_ms = 1000 + kpa * 100
        expected = HELD_ON if before_kpa < 40 else HELD_OFF
        if kpa < 40:
            expected = PRESSURIZING
        elif kpa > 60:
            expected = RELIEVING
        controller.run([door(now_ms, closed=True), pressure(now_ms, before_kpa)])
        controller.expect(pressure(now_ms, kpa), **expected)


@pytest.mark.brief("V7", "V16", "V23")
@pytest.mark.parametrize(
    ("kpa", "expected"),
    [(39, PRESSURIZING), (40, HELD_OFF), (60, HELD_OFF), (61, RELIEVING)],
)
def test_the_known_pressure_decides_when_the_door_is_closed_again(
    controller, kpa, expected
):
    controller.run([*RUNNING, door(200, closed=False), pressure(300, kpa)])
    controller.expect(door(400, closed=True), **expected)
    controller.expect(("NONE", 450), **expected)


@pytest.mark.brief("V7")
def test_a_door_that_stays_closed_changes_nothing(controller):
    controller.expect(*RUNNING, door(200, closed=True), **PRESSURIZING)
    controller.expect(pressure(250, 50), door(300, closed=True), **HELD_ON)
    controller.expect(pressure(350, 70), door(400, closed=True), **RELIEVING)


@pytest.mark.brief("V8", "V9", "V10")
@pytest.mark.parametrize("kind", BAD_KINDS)
@pytest.mark.parametrize("kpa", [20, 50, 70])
def test_a_bad_line_makes_it_safe(controller, kind, kpa):
    controller.run([*RUNNING, pressure(150, kpa)])
    controller.expect((kind, 200), **SAFE)
    controller.expect(("NONE", 250), **SAFE)


test_the_values_of_a_bad_line_do_not_count = safe_checks.values_of_a_bad_line(
    "V8", "V9", "V10", after=RUNNING
)


@pytest.mark.brief("V16", "V23")
@pytest.mark.parametrize("kind", BAD_KINDS)
@pytest.mark.parametrize("kpa", [40, 60])
def test_the_band_does_not_bring_the_compressor_back(controller, kind, kpa):
    controller.run([*RUNNING, pressure(150, kpa), (kind, 200)])
    controller.expect(door(300, closed=True), pressure(300, kpa), **HELD_OFF)
    controller.expect(("NONE", 350), **HELD_OFF)


@pytest.mark.brief("V11", "V13", "V19")
@pytest.mark.parametrize(("kpa", "shown"), [(20, PRESSURIZING), (50, HELD_ON)])
def test_a_pressure_counts_for_exactly_1000_ms(controller, kpa, shown):
    controller.run([door(100, closed=True), pressure(100, 20)])
    controller.run([pressure(100, kpa)])
    for age_ms in (500, 999, 1000):
        now_ms = 100 + age_ms
        controller.expect(door(now_ms, closed=True), ("NONE", now_ms), **shown)
    controller.expect(("NONE", 1101), **SAFE)
    controller.expect(door(1101, closed=True), **SAFE)


@pytest.mark.brief("V12", "V13", "V19")
@pytest.mark.parametrize(("kpa", "shown"), [(20, PRESSURIZING), (50, HELD_ON)])
def test_a_door_counts_for_exactly_1000_ms(controller, kpa, shown):
    controller.run([door(100, closed=True), pressure(100, 20)])
    controller.run([pressure(100, kpa)])
    for age_ms in (500, 999, 1000):
        now_ms = 100 + age_ms
        controller.expect(pressure(now_ms, kpa), ("NONE", now_ms), **shown)
    controller.expect(("NONE", 1101), **SAFE)
    controller.expect(pressure(1101, 20), **SAFE)


@pytest.mark.brief("V16", "V23")
@pytest.mark.parametrize("stale", ["pressure", "door"])
def test_what_went_stale_within_the_band_stays_vented(controller, stale):
    again = [door(1100, closed=True), pressure(1100, 50)]
    other = again[0 if stale == "pressure" else 1]
    controller.run([*RUNNING, pressure(100, 50), other, ("NONE", 1101)])
    controller.run([door(1200, closed=True)])
    controller.expect(pressure(1200, 50), **HELD_OFF)


test_silence_makes_it_safe = safe_checks.silence(
    "V11", "V12", after=RUNNING, ages_ms=[1001, 1010, 1050, 5000, 66_000, 100_000]
)
test_idle_steps_change_nothing_in_time = step_checks.idle_steps(
    "V13",
    "V14",
    states={
        "20-shown0": ([*RUNNING, pressure(100, 20)], PRESSURIZING),
        "50-shown1": ([*RUNNING, pressure(100, 50)], HELD_ON),
        "70-shown2": ([*RUNNING, pressure(100, 70)], RELIEVING),
    },
)
test_changed_is_said_of_going_stale_and_of_nothing_else = (
    step_checks.changed_in_idle_steps(
        "V17",
        cases={
            f"{kpa}": ([*RUNNING, pressure(200, kpa), door(200, closed=True)], [1250])
            for kpa in (20, 50, 70)
        },
        from_ms=250,
    )
)
test_changed_is_not_said_again_of_what_a_line_has_changed = (
    step_checks.changed_not_again(
        "V17",
        lines=[
            CLOSED,
            *(pressure(200 + i * 100, kpa) for i, kpa in enumerate((20, 50, 70, 20))),
            door(600, closed=False),
            door(700, closed=True),
            ("INVALID_DOOR", 800),
        ],
    )
)


READINGS = TwoReadings(
    one=Reading(lambda at_ms: pressure(at_ms, 20), "INVALID_PRESSURE"),
    other=Reading(lambda at_ms: door(at_ms, closed=True), "INVALID_DOOR"),
    safe=SAFE,
    working=PRESSURIZING,
)
alike = reading_checks.ReadingChecks(READINGS, "pressure", "door")
test_both_readings_start_it_in_either_order = alike.start("V2", "V4", "V7")
test_a_malformed_reading_has_to_come_again = alike.malformed("V8", "V9", "V21", "V22")
test_the_other_reading_goes_on_counting_and_aging = alike.aging("V19", "V22")
test_both_readings_have_to_come_again_after_a_fault = alike.fault("V10", "V21")
test_a_reading_that_went_stale_has_to_come_again = alike.stale(
    *("V11", "V12", "V15", "V22")
)
test_readings_count_for_exactly_1000_ms_at_any_time = alike.time(
    "V11", "V12", "V13", late="S1"
)


PARTS = (
    *([("PRESSURE", 100, kpa, True)] for kpa in (20, 39, 40, 60, 61)),
    [("DOOR_OPEN", 50, 20, False)],
    [("DOOR_CLOSED", 50, 70, True)],
    [("PRESSURE", 500, 50), ("DOOR_CLOSED", 0, 0, True)],
    [("INVALID_PRESSURE", 50, 20)],
    [("INVALID_DOOR", 50, 0, True)],
    [("SENSOR_TIMEOUT", 50, 20, True)],
    *([("NONE", after_ms)] for after_ms in (0, 500, 1000, 1001)),
)

in_all_respects = step_checks.every("V", 19, 21, 22, 23)


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
    *in_all_respects, situation=[("PRESSURE", 50, 0), ("DOOR_CLOSED", 0, 1)]
)
