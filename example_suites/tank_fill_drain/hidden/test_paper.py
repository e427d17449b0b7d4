"""The published evaluator, check by check and scenario by scenario."""

import pytest

from pytest_embedbench.grading.checks import insist_that, paper_checks, said

ON, OFF = "ACT PUMP ON", "ACT PUMP OFF"
HIGH_PCT = 80
LOW, HIGH = ("LEVEL", 100, 20), ("LEVEL", 100, 85)
BAND = ("LEVEL", 200, 50)


def is_safe(state):
    return not state.pump_on


test_a_level_is_parsed = paper_checks.parsed(
    "L1", line="SENSE LEVEL 25", kind="LEVEL", level=25
)
test_a_bad_level_is_invalid = paper_checks.invalid_each(
    "L2", begin="SENSE LEVEL", values=["banana", "999"], kind="INVALID_LEVEL"
)
test_an_unknown_line_is_ignored = paper_checks.ignored("L4")
test_a_fault_is_parsed = paper_checks.fault("L3")
test_the_pump_line_is_written = paper_checks.written("L5", actuator="pump", word="ON")
test_the_controller = paper_checks.controller(
    ["pump_on"],
    {
        "idle": ("T1", [("NONE", 0)], [False]),
        "low": ("T2", [LOW], [True]),
        "high": ("T3", [LOW, ("LEVEL", 200, 85)], [False]),
        "hold-on": ("T4", [LOW, BAND], [True]),
        "hold-off": ("T4", [HIGH, BAND], [False]),
        "stale": ("T7", [LOW, ("NONE", 1201)], [False]),
        "invalid": ("T5", [LOW, ("INVALID_LEVEL", 200)], [False]),
    },
)
test_smoke = paper_checks.smoke("T2")


@pytest.mark.profile("paper")
@pytest.mark.brief("T2", "T3")
def test_happy_path(paper_run):
    run = paper_run("happy_path", lambda seen: said(seen, ON) and stopped_above(seen))
    insist_that(f"{ON} was said", said(run, ON), why="the pump never ran")
    insist_that(
        "the pump was stopped above 80",
        stopped_above(run),
        why="the pump was not stopped above 80",
    )


test_sensor_timeout = paper_checks.sensor_timeout(
    "T7", is_safe=is_safe, on=ON, goal=True
)
test_malformed_frame = paper_checks.malformed_frame("T5", off=OFF)


def stopped_above(seen):
    """Say whether OFF was sent at or after the step that first went above 80."""
    crossed = (s.at_ms for s in seen.samples if s.state.level > HIGH_PCT)
    crossed_ms = next(crossed, None)
    return crossed_ms is not None and said(seen, OFF, since_ms=crossed_ms)
