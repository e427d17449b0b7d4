"""Step by step: every boundary of the brief, from both sides, in value and in time."""

import pytest

from pytest_embedbench.grading.checks import history_checks, line_checks, step_checks

pytestmark = pytest.mark.profile("full")

OFF = {"actuator_name_on": False, "state": "SAFE_OFF"}
RAISING = {"actuator_name_on": True, "state": "RAISING"}
HOLDING = {"actuator_name_on": False, "state": "HOLDING"}
LOW = ("SENSOR_NAME", 100, 20)
"""Switches the actuator name on at 100 ms."""
safe_checks = step_checks.SafeChecks(
    safe=OFF, bad_kinds=["INVALID_SENSOR_NAME", "SENSOR_TIMEOUT"], beside=(20,)
)

test_it_is_off_at_the_start = safe_checks.at_the_start("R1")


@pytest.mark.brief("R2")
@pytest.mark.parametrize("value", [0, 28, 29])
def test_a_low_value_switches_it_on(controller, value):
    controller.expect(("SENSOR_NAME", 100, value), **RAISING)


@pytest.mark.brief("R2", "R3")
@pytest.mark.parametrize("value", [61, 62, 100])
def test_a_high_value_switches_it_off(controller, value):
    controller.expect(LOW, ("SENSOR_NAME", 200, value), **HOLDING)


@pytest.mark.brief("R1", "R2", "R4")
@pytest.mark.parametrize("value", [30, 31, 59, 60])
def test_anything_between_changes_nothing(controller, value):
    controller.expect(("SENSOR_NAME", 50, value), **OFF)
    controller.expect(LOW, ("SENSOR_NAME", 200, value), **RAISING)


test_a_bad_line_switches_it_off = safe_checks.values_of_a_bad_line(
    "R5", "R6", after=[LOW]
)
test_a_value_counts_for_1000_ms = step_checks.idle_steps(
    "R7", states={"on": ([LOW], RAISING)}
)
test_an_old_value_switches_it_off = safe_checks.silence(
    "R7", after=[LOW], ages_ms=[1001, 1050, 66_000]
)
test_changed_is_said_of_going_stale_and_of_nothing_else = (
    step_checks.changed_in_idle_steps("R8", cases={"on": ([LOW], [1150])}, from_ms=150)
)

test_values_are_read = line_checks.readings("L1")
test_malformed_values_are_told_apart = line_checks.malformed("L2")
test_a_fault_is_read = line_checks.faults("L3")
test_any_other_line_is_ignored = line_checks.ignored("L4")
test_its_line_is_written_if_it_fits = line_checks.written(
    "L5", actuator_name=("ON", "OFF")
)

PARTS = (
    *([("SENSOR_NAME", 100, value)] for value in (29, 30, 60, 61)),
    [("INVALID_SENSOR_NAME", 50, 20)],
    [("SENSOR_TIMEOUT", 50, 20)],
    *([("NONE", after_ms)] for after_ms in (0, 500, 1000, 1001)),
)
in_all_respects = step_checks.every("R", 8)
test_any_three_things_in_a_row_go_as_the_brief_says = step_checks.any_in_a_row(
    *in_all_respects, parts=PARTS
)
test_long_ways_go_as_the_brief_says = step_checks.long_histories(*in_all_respects)
test_any_value_may_follow_any_other = history_checks.jumps(*in_all_respects)
test_a_first_line_counts_whenever_it_comes = history_checks.starts(
    "R9", *in_all_respects
)
test_what_goes_on_goes_on_for_minutes = history_checks.long_states(*in_all_respects)
test_a_long_silence_is_no_reading = history_checks.long_silences(*in_all_respects)
test_lines_may_come_between_steps = history_checks.between_steps(*in_all_respects)
test_bad_lines_are_bad_however_many = history_checks.many_bad_lines(*in_all_respects)
test_readings_count_however_many = history_checks.many_readings(
    *in_all_respects, situation=[("SENSOR_NAME", 45)]
)
