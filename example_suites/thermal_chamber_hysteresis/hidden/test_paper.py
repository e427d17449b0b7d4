"""The published evaluator, check by check and scenario by scenario."""

import pytest

from pytest_embedbench.grading.checks import (
    insist_bound,
    insist_that,
    paper_checks,
    said,
)

pytestmark = pytest.mark.profile("paper")

ON, OFF = "ACT HEATER ON", "ACT HEATER OFF"
BAND_C = range(47, 53)
HARD_LIMIT_C = 56
COLD, HELD = ("TEMPERATURE", 100, 35), ("TEMPERATURE", 200, 48)
SAFE, HEATING = [False, "SAFE_OFF"], [True, "HEATING"]


def is_safe(state):
    return not state.heater_on


test_a_temperature_is_parsed = paper_checks.parsed(
    "L1", line="SENSE TEMP 25", kind="TEMPERATURE", temperature_c=25
)
test_a_bad_temperature_is_invalid = paper_checks.invalid_each(
    "L2", begin="SENSE TEMP", values=["banana", "999"], kind="INVALID_TEMPERATURE"
)
test_an_unknown_line_is_ignored = paper_checks.ignored("L4")
test_a_fault_is_parsed = paper_checks.fault("L3")
test_the_heater_line_is_written = paper_checks.written(
    "L6", actuator="heater", word="ON"
)
test_the_controller = paper_checks.controller(
    ["heater_on", "state"],
    {
        "idle": ("C1", [("NONE", 0)], SAFE),
        "cold": ("C2", [COLD], HEATING),
        "hot": ("C3", [COLD, ("TEMPERATURE", 200, 54)], SAFE),
        "hold": ("C4", [COLD, HELD], [True, "HOLDING"]),
        "early-off": (
            "C5",
            [COLD, HELD, ("TEMPERATURE", 300, 50)],
            [False, "HOLDING"],
        ),
        "stale": ("C9", [COLD, ("NONE", 1201)], SAFE),
        "invalid": ("C7", [COLD, ("INVALID_TEMPERATURE", 200)], SAFE),
    },
)
test_smoke = paper_checks.smoke("C2")


@pytest.mark.brief("C2", "C5", "C16")
def test_warmup_control(paper_run):
    run = paper_run("warmup_control")
    temperatures = [sample.state.temperature_c for sample in run.samples]
    insist_that(f"{ON} was said", said(run, ON), why="the heater never ran")
    insist_that(
        "ever within the band",
        any(temperature in BAND_C for temperature in temperatures),
    )
    insist_bound("the highest temperature", max(temperatures), at_most=HARD_LIMIT_C)


@pytest.mark.brief("C2", "C5", "C16")
def test_overshoot_guard(paper_run):
    run = paper_run("overshoot_guard")
    insist_that(f"{ON} was said", said(run, ON), why="the heater never ran")
    insist_that(f"{OFF} was said", said(run, OFF), why="the heater never stopped")
    insist_bound(
        "the highest temperature_c",
        max(sample.state.temperature_c for sample in run.samples),
        at_most=HARD_LIMIT_C,
    )


test_sensor_timeout = paper_checks.sensor_timeout(
    "C9", "C14", is_safe=is_safe, on=ON, goal=True
)
test_malformed_frame = paper_checks.malformed_frame("C7", off=OFF)
