"""The published evaluator, check by check and scenario by scenario."""

import pytest

from pytest_embedbench.grading.checks import insist_that, paper_checks, said, went_safe

pytestmark = pytest.mark.profile("paper")

DOOR_OPENS_MS = 300
BAND_KPA = range(40, 61)
CLOSED = ("DOOR_CLOSED", 100, 0, True)
LOW = ("PRESSURE", 200, 20, True)
SAFE, RUNNING = [False, True, "SAFE_VENT"], [True, False, "PRESSURIZING"]


def is_safe(state):
    return state.vent_open and not state.compressor_on


test_a_pressure_is_parsed = paper_checks.parsed(
    "L1", line="SENSE PRESS 42", kind="PRESSURE", pressure_kpa=42
)
test_an_open_door_is_parsed = paper_checks.parsed(
    "L3", line="SENSE DOOR OPEN", kind="DOOR_OPEN", door_closed=False
)
test_a_bad_pressure_is_invalid = paper_checks.invalid(
    "L2", line="SENSE PRESS banana", kind="INVALID_PRESSURE"
)
test_a_bad_door_is_invalid = paper_checks.invalid(
    "L4", line="SENSE DOOR AJAR", kind="INVALID_DOOR"
)
test_a_fault_is_parsed = paper_checks.fault("L5")
test_the_compressor_line_is_written = paper_checks.written(
    "L8", actuator="compressor", word="ON"
)
test_the_vent_line_is_written = paper_checks.written("L8", actuator="vent", word="OPEN")
test_the_controller = paper_checks.controller(
    ["compressor_on", "vent_open", "state"],
    {
        "idle": ("V1", [("NONE", 0)], SAFE),
        "pressure-alone": ("V2", [("PRESSURE", 100, 20, True)], SAFE),
        "low": ("V4", [CLOSED, LOW], RUNNING),
        "high": (
            "V5",
            [CLOSED, ("PRESSURE", 200, 70, True)],
            [False, True, "RELIEVING"],
        ),
        "hold": (
            "V6",
            [CLOSED, LOW, ("PRESSURE", 300, 50, True)],
            [True, False, "HOLDING"],
        ),
        "door-open": ("V3", [CLOSED, LOW, ("DOOR_OPEN", 300, 0, False)], SAFE),
        "stale": ("V11 V12", [CLOSED, LOW, ("NONE", 1301)], SAFE),
        "invalid": ("V9", [CLOSED, LOW, ("INVALID_DOOR", 300)], SAFE),
    },
)
test_smoke = paper_checks.smoke("V4")


@pytest.mark.brief("V4", "V18")
def test_pressurize_control(paper_run):
    run = paper_run("pressurize_control", entered_band)
    insist_that(
        "ACT COMPRESSOR ON was said",
        said(run, "ACT COMPRESSOR ON"),
        why="the compressor never ran",
    )
    insist_that("pressure entered the band", entered_band(run))
    insist_that("compressor off while the vent was open", never_fought(run))


@pytest.mark.brief("V5", "V18")
def test_relief_control(paper_run):
    run = paper_run("relief_control", relieved)
    insist_that(
        "ACT VENT OPEN was said",
        said(run, "ACT VENT OPEN"),
        why="the vent was never opened",
    )
    insist_that("pressure was relieved", relieved(run))
    insist_that("compressor off while the vent was open", never_fought(run))


@pytest.mark.brief("V3", "V18")
def test_door_open_interlock(paper_run):
    run = paper_run(
        "door_open_interlock",
        lambda seen: went_safe(seen, is_safe, since_ms=DOOR_OPENS_MS),
    )
    insist_that(
        "ACT COMPRESSOR ON was said",
        said(run, "ACT COMPRESSOR ON"),
        why="the compressor never ran",
    )
    insist_that(
        "safe after the door was opened",
        went_safe(run, is_safe, since_ms=DOOR_OPENS_MS),
        why="the open door did nothing",
    )
    insist_that("compressor off while the vent was open", never_fought(run))


test_sensor_timeout = paper_checks.sensor_timeout(
    "V11", "V12", is_safe=is_safe, on="ACT COMPRESSOR ON"
)
test_malformed_frame = paper_checks.malformed_frame("V9", is_safe=is_safe)


def stepped(seen):
    """Return the pressures that the plant has stepped to."""
    return [s.state.pressure_kpa for s in seen.samples if s.at_ms > 0]


def entered_band(seen):
    return any(pressure in BAND_KPA for pressure in stepped(seen))


def relieved(seen):
    return any(pressure <= max(BAND_KPA) for pressure in stepped(seen))


def never_fought(run):
    return run.metrics["mutual_exclusion_violations"] == 0
