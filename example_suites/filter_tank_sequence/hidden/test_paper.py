"""The published evaluator, check by check and scenario by scenario."""

import pytest

from pytest_embedbench.grading.checks import insist_that, paper_checks, said

pytestmark = pytest.mark.profile("paper")

STIRRED_WHILE_SETTLING_MS = 600
STIRRED_WHILE_DRAINING_MS = 800
COMPLETE_PCT = 15
SAFE, FILTERING = [False, False, "SAFE_IDLE"], [True, False, "FILTERING"]


def turb(now_ms, ntu):
    return ("TURBIDITY", now_ms, ntu, 0)


def level(now_ms, percent):
    return ("LEVEL", now_ms, 0, percent)


def is_safe(state):
    return not state.filter_on and not state.drain_open


FULL = level(100, 72)
CLOUDY = [FULL, turb(200, 80)]
CLEAR = [FULL, turb(200, 34), turb(300, 28), turb(400, 20)]
test_a_turbidity_is_parsed = paper_checks.parsed(
    "L1", line="SENSE TURB 42", kind="TURBIDITY", turbidity_ntu=42
)
test_a_level_is_parsed = paper_checks.parsed(
    "L3", line="SENSE LEVEL 67", kind="LEVEL", level=67
)
test_a_bad_turbidity_is_invalid = paper_checks.invalid(
    "L2", line="SENSE TURB banana", kind="INVALID_TURBIDITY"
)
test_a_bad_level_is_invalid = paper_checks.invalid(
    "L4", line="SENSE LEVEL 999", kind="INVALID_LEVEL"
)
test_a_fault_is_parsed = paper_checks.fault("L5")
test_the_filter_line_is_written = paper_checks.written(
    "L8", actuator="filter", word="ON"
)
test_the_drain_line_is_written = paper_checks.written(
    "L8", actuator="drain", word="OPEN"
)
test_the_controller = paper_checks.controller(
    ["filter_on", "drain_open", "state"],
    {
        "idle": ("F2", [("NONE", 0)], SAFE),
        "level-alone": ("F3", [FULL], SAFE),
        "cloudy": ("F14", CLOUDY, FILTERING),
        "clear": ("F4 F5 F15", CLEAR, [False, False, "SETTLING"]),
        "settling-reset": ("F11", [*CLEAR, turb(500, 45)], FILTERING),
        "settled": ("F18", [*CLEAR, ("NONE", 800)], [False, True, "DRAINING"]),
        "complete": (
            "F7",
            [*CLEAR, ("NONE", 700), level(800, 10)],
            [False, False, "COMPLETE"],
        ),
        "stale": ("F20 F21", [*CLOUDY, ("NONE", 1301)], SAFE),
        "invalid": ("F19", [*CLOUDY, ("INVALID_TURBIDITY", 300)], SAFE),
    },
)
test_smoke = paper_checks.smoke("F14")


@pytest.mark.brief("F7", "F13", "F14", "F15", "F27")
def test_clarification_cycle(paper_run):
    run = paper_run("clarification_cycle")
    insist_that(
        "ACT FILTER ON was said",
        said(run, "ACT FILTER ON"),
        why="the filter never ran",
    )
    insist_that(
        "left to settle in time",
        settling_since_ms(run) is not None,
        why="the liquid was never left to settle",
    )
    insist_that(
        "drained in time",
        draining_since_ms(run) is not None,
        why="the drain was never opened",
    )
    insist_that("the tank was emptied", completed(run))
    insist_that("drained clear and settled only", drained_in_time(run))


@pytest.mark.brief("F7", "F11", "F27")
def test_settling_reset(paper_run):
    run = paper_run("settling_reset")
    stirred_ms = STIRRED_WHILE_SETTLING_MS
    insist_that(
        "left to settle in time",
        settling_since_ms(run, until_ms=stirred_ms) is not None,
        why="not yet settling",
    )
    insist_that(
        "drained before it was stirred up, since ms",
        draining_since_ms(run, until_ms=stirred_ms),
        None,
        why="draining already",
    )
    insist_that(
        "the filter ran again",
        filters_again(run, since_ms=stirred_ms),
    )
    insist_that("the tank was emptied", completed(run))
    insist_that("drained clear and settled only", drained_in_time(run))


@pytest.mark.brief("F7", "F8", "F27")
def test_disturbance_recovery(paper_run):
    run = paper_run("disturbance_recovery")
    stirred_ms = STIRRED_WHILE_DRAINING_MS
    insist_that(
        "drained in time",
        draining_since_ms(run, until_ms=stirred_ms) is not None,
        why="not yet draining",
    )
    insist_that(
        "the filter ran again",
        filters_again(run, since_ms=stirred_ms),
    )
    insist_that("the tank was emptied", completed(run))
    insist_that("drained clear and settled only", drained_in_time(run))


test_sensor_timeout = paper_checks.sensor_timeout(
    "F20", "F21", is_safe=is_safe, on="ACT FILTER ON"
)
test_malformed_frame = paper_checks.malformed_frame("F19", is_safe=is_safe)


def settling_since_ms(run, until_ms=None):
    """Return when the filter first stopped with the drain closed, before a time."""
    was_on = False
    for reply in run.replies:
        if until_ms is not None and reply.plant_ms >= until_ms:
            return None
        if was_on and is_safe(reply.state):
            return reply.plant_ms
        was_on = reply.state.filter_on
    return None


def draining_since_ms(run, until_ms=None):
    """Return when the drain was first opened, before a time."""
    opened = (reply.plant_ms for reply in run.replies if reply.state.drain_open)
    opened_ms = next(opened, None)
    if opened_ms is None or (until_ms is not None and opened_ms >= until_ms):
        return None
    return opened_ms


def filters_again(run, since_ms):
    return any(
        reply.state.filter_on and not reply.state.drain_open
        for reply in run.replies
        if reply.plant_ms >= since_ms
    )


def completed(run):
    return any(
        sample.state.level < COMPLETE_PCT and not sample.state.drain_open
        for sample in run.samples
    )


def drained_in_time(run):
    return run.metrics["early_drain_violations"] == 0
