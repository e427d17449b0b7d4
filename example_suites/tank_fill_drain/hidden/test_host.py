"""Step by step: every boundary of the brief, from both sides, in value and in time."""

import pytest

from pytest_embedbench.grading.checks import history_checks, insist_that, step_checks

pytestmark = pytest.mark.profile("full")

ON = ("LEVEL", 100, 20)
"""Switches the pump on at 100 ms."""
STALE = ("NONE", 1101)
BAD = ("INVALID_LEVEL", 200)
FAULT = ("SENSOR_TIMEOUT", 200)
safe_checks = step_checks.SafeChecks(
    safe={"pump_on": False}, bad_kinds=["INVALID_LEVEL", "SENSOR_TIMEOUT"]
)


test_the_pump_is_off_at_the_start = safe_checks.at_the_start("T1")


@pytest.mark.brief("T1")
@pytest.mark.parametrize("level", [30, 31, 50, 79, 80, 81, 100])
def test_no_first_level_but_a_low_one_starts_the_pump(controller, level):
    controller.expect(("LEVEL", 100, level), pump_on=False)
    controller.expect(("NONE", 150), pump_on=False)


test_a_fault_at_the_start_leaves_the_pump_off = safe_checks.bad_line_at_the_start(
    "T1", "T5", "T6"
)


@pytest.mark.brief("T2")
@pytest.mark.parametrize("level", [0, 1, 15, 28, 29])
def test_a_low_level_starts_the_pump(controller, level):
    controller.expect(("LEVEL", 100, level), pump_on=True)


@pytest.mark.brief("T2", "T3")
def test_a_low_level_starts_the_pump_again_after_a_high_one(controller):
    controller.expect(ON, ("LEVEL", 200, 81), ("LEVEL", 300, 29), pump_on=True)


@pytest.mark.brief("T2", "T3")
@pytest.mark.parametrize("level", [81, 82, 90, 99, 100])
def test_a_high_level_stops_the_pump(controller, level):
    controller.expect(ON, pump_on=True)
    controller.expect(("LEVEL", 200, level), pump_on=False)


@pytest.mark.brief("T2", "T3", "T4")
@pytest.mark.parametrize("level", [30, 31, 34, 35, 36, 50, 75, 79, 80])
def test_a_level_in_the_band_changes_nothing(controller, level):
    controller.expect(ON, ("LEVEL", 200, level), pump_on=True)
    controller.expect(("LEVEL", 300, 81), ("LEVEL", 400, level), pump_on=False)


@pytest.mark.brief("T2", "T3", "T4")
def test_every_level_is_answered_as_the_brief_says(controller):
    now_ms = 0
    for level in range(101):
        for before, was_on in ((20, True), (90, False)):
            now_ms += 200
            controller.expect(
                ("LEVEL", now_ms - 100, before),
                ("LEVEL", now_ms, level),
                pump_on=level < 30 or (was_on and level <= 80),
            )


@pytest.mark.brief("T2", "T5", "T6")
@pytest.mark.parametrize("kind", ["INVALID_LEVEL", "SENSOR_TIMEOUT"])
def test_a_bad_line_stops_the_pump(controller, kind):
    controller.expect(ON, pump_on=True)
    controller.expect((kind, 200), pump_on=False)
    controller.expect(("NONE", 250), pump_on=False)


@pytest.mark.brief("T2", "T7", "T8")
@step_checks.each_start("S1")
@pytest.mark.parametrize("level", [20, 50])
def test_a_level_counts_for_exactly_1000_ms(controller, start_ms, level):
    controller.run([("LEVEL", start_ms, 20), ("LEVEL", start_ms, level)])
    for age_ms in (1, 50, 900, 990, 999, 1000):
        controller.expect(("NONE", start_ms + age_ms), pump_on=True)
    controller.expect(("NONE", start_ms + 1001), pump_on=False)


test_an_old_level_stops_the_pump = safe_checks.silence(
    "T2",
    "T7",
    after=[ON],
    working={"pump_on": True},
    ages_ms=[1001, 1002, 1010, 1050, 1100, 5000, 66_000, 100_000],
)
test_idle_steps_change_nothing_in_time = step_checks.idle_steps(
    "T2", "T8", "T9", states={"on": ([ON], {"pump_on": True})}
)


@pytest.mark.brief("T4", "T9")
def test_a_level_in_the_band_changes_nothing_for_as_long_as_it_comes(controller):
    """For longer than what counts in 16 bits can tell."""
    controller.step("LEVEL", level=20, now_ms=0)
    outputs = controller.run(("LEVEL", now_ms, 50) for now_ms in range(50, 70_000, 50))
    insist_that(
        "pump_on at all times to 70 s",
        all(output.pump_on for output in outputs),
    )


@pytest.mark.brief("T2", "T7", "T9", "T11")
def test_each_level_starts_the_time_anew(controller):
    controller.run([ON, ("LEVEL", 1000, 50), ("NONE", 1500), ("LEVEL", 1900, 60)])
    controller.expect(("NONE", 2900), pump_on=True)
    controller.expect(("NONE", 2901), pump_on=False)


@pytest.mark.brief("T10")
@pytest.mark.parametrize("step", [BAD, FAULT, STALE], ids=["invalid", "fault", "stale"])
@pytest.mark.parametrize("level", [30, 50, 80])
def test_a_level_in_the_band_does_not_bring_the_pump_back(controller, step, level):
    controller.expect(ON, step, ("LEVEL", 1200, level), pump_on=False)
    controller.expect(("NONE", 1250), pump_on=False)


@pytest.mark.brief("T2", "T7", "T8", "T10")
@pytest.mark.parametrize("step", [BAD, FAULT, STALE], ids=["invalid", "fault", "stale"])
def test_a_low_level_brings_the_pump_back(controller, step):
    controller.expect(ON, step, ("LEVEL", 1200, 29), ("NONE", 2200), pump_on=True)
    controller.expect(("NONE", 2201), pump_on=False)


@pytest.mark.brief("T5", "T6", "T11")
@pytest.mark.parametrize("kind", ["INVALID_LEVEL", "SENSOR_TIMEOUT"])
def test_a_bad_line_is_no_sign_of_life(controller, kind):
    controller.run([ON, (kind, 900)])
    for now_ms in (950, 1100, 1101, 1150, 1900, 2000):
        controller.expect(("NONE", now_ms), pump_on=False)


test_changed_is_said_of_what_time_switches_and_of_nothing_else = (
    step_checks.changed_in_idle_steps(
        "T12",
        cases={f"{level}": ([ON, ("LEVEL", 200, level)], [1250]) for level in (20, 50)},
        from_ms=250,
    )
)
test_changed_is_not_said_again_of_what_a_line_has_changed = (
    step_checks.changed_not_again(
        "T12",
        lines=[
            *(
                ("LEVEL", 100 + i * 100, value)
                for i, value in enumerate((20, 50, 90, 50, 20))
            ),
            ("INVALID_LEVEL", 700),
        ],
    )
)


PARTS = (
    *([("LEVEL", 100, value)] for value in (0, 29, 30, 80, 81, 100)),
    [("LEVEL", 0, 50)],
    [("INVALID_LEVEL", 50, 20)],
    [("SENSOR_TIMEOUT", 50, 20)],
    *([("NONE", after_ms)] for after_ms in (0, 10, 500, 1000, 1001)),
)

in_all_respects = step_checks.every("T", 12)


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
    *in_all_respects, situation=[("LEVEL", 50)]
)
