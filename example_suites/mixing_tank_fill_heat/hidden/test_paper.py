"""The published evaluator, check by check and scenario by scenario."""

import pytest

from pytest_embedbench.grading.checks import (
    insist_bound,
    insist_that,
    paper_checks,
    said,
)

pytestmark = pytest.mark.profile("paper")

TARGET_C = range(45, 49)
HARD_LIMIT_C = 51
SAFE, FILLING = [False, False, "SAFE_IDLE"], [True, False, "FILLING"]


def temp(now_ms, temperature_c):
    return ("TEMPERATURE", now_ms, temperature_c, 0)


def level(now_ms, percent):
    return ("LEVEL", now_ms, 0, percent)


def is_safe(state):
    return not state.inlet_open and not state.heater_on


HEATED = [level(100, 65), temp(200, 30)]
test_a_temperature_is_parsed = paper_checks.parsed(
    "L1", line="SENSE TEMP 42", kind="TEMPERATURE", temperature_c=42
)
test_a_level_is_parsed = paper_checks.parsed(
    "L3", line="SENSE LEVEL 67", kind="LEVEL", level=67
)
test_a_bad_temperature_is_invalid = paper_checks.invalid(
    "L2", line="SENSE TEMP banana", kind="INVALID_TEMPERATURE"
)
test_a_bad_level_is_invalid = paper_checks.invalid(
    "L4", line="SENSE LEVEL -1", kind="INVALID_LEVEL"
)
test_a_fault_is_parsed = paper_checks.fault("L5")
test_the_inlet_line_is_written = paper_checks.written(
    "L8", actuator="inlet", word="OPEN"
)
test_the_heater_line_is_written = paper_checks.written(
    "L8", actuator="heater", word="ON"
)
test_the_controller = paper_checks.controller(
    ["inlet_open", "heater_on", "state"],
    {
        "idle": ("M1", [("NONE", 0)], SAFE),
        "level-alone": ("M2", [level(100, 40)], SAFE),
        "low-level": ("M3", [temp(100, 30), level(200, 40)], FILLING),
        "cold": ("M4 M5", HEATED, [False, True, "HEATING"]),
        "low-level-again": ("M3", [*HEATED, level(300, 50)], FILLING),
        "early-off": (
            "M7",
            [level(100, 65), temp(200, 40), temp(300, 46), temp(400, 47)],
            [False, False, "HOLDING"],
        ),
        "stale": ("M14 M15", [*HEATED, ("NONE", 1301)], SAFE),
        "invalid": ("M12", [*HEATED, ("INVALID_LEVEL", 300)], SAFE),
    },
)
test_smoke = paper_checks.smoke("M3")


@pytest.mark.brief("M3", "M5", "M7", "M24")
def test_fill_then_heat(paper_run):
    run = paper_run("fill_then_heat")
    temperatures = [sample.state.temp_c for sample in run.samples]
    insist_that(
        "ACT INLET OPEN was said",
        said(run, "ACT INLET OPEN"),
        why="the inlet was never opened",
    )
    insist_that(
        "ACT HEATER ON was said",
        said(run, "ACT HEATER ON"),
        why="the heater never ran",
    )
    insist_that(
        "ever within the band",
        any(temperature in TARGET_C for temperature in temperatures),
    )
    insist_that("heated with enough in it only", never_heated_low(run))
    insist_bound("the highest temperature", max(temperatures), at_most=HARD_LIMIT_C)


@pytest.mark.brief("M3", "M20")
def test_low_level_guard(paper_run):
    run = paper_run("low_level_guard")
    insist_that(
        "ACT INLET OPEN was said",
        said(run, "ACT INLET OPEN"),
        why="the inlet was never opened",
    )
    insist_that("heated with enough in it only", never_heated_low(run))


@pytest.mark.brief("M5", "M7", "M24")
def test_anticipation_control(paper_run):
    run = paper_run("anticipation_control")
    off_at = [
        reply.state.temp_c for reply in run.replies if "ACT HEATER OFF" in reply.lines
    ]
    insist_that(
        "ACT HEATER ON was said",
        said(run, "ACT HEATER ON"),
        why="the heater never ran",
    )
    insist_that(
        "ever within the band",
        any(temperature in TARGET_C for temperature in off_at),
        why=str(off_at),
    )
    insist_bound(
        "the highest temp_c",
        max(sample.state.temp_c for sample in run.samples),
        at_most=HARD_LIMIT_C,
    )


test_sensor_timeout = paper_checks.sensor_timeout(
    "M14", "M15", "M21", is_safe=is_safe, on="ACT HEATER ON"
)
test_malformed_frame = paper_checks.malformed_frame("M11", is_safe=is_safe)


def never_heated_low(run):
    return run.metrics["low_level_heating_violations"] == 0
