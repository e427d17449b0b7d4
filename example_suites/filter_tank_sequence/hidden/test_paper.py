"""The published evaluator, check by check and scenario by scenario."""

import pytest

from pytest_embedbench.grading.checks import (
    exchanged,
    reacted_in_time,
    said,
    stale_reaction,
    stale_reaction_ms,
    went_safe,
)

pytestmark = pytest.mark.profile("paper")

BAD_LINE_MS = 100
STIRRED_WHILE_SETTLING_MS = 600
STIRRED_WHILE_DRAINING_MS = 800
COMPLETE_PCT = 15


@pytest.mark.brief("L1")
def test_a_turbidity_is_parsed(protocol):
    parsed = protocol.parse("SENSE TURB 42")
    assert (parsed.result, parsed.turbidity_ntu) == ("TURBIDITY", 42)


@pytest.mark.brief("L3")
def test_a_level_is_parsed(protocol):
    parsed = protocol.parse("SENSE LEVEL 67")
    assert (parsed.result, parsed.level) == ("LEVEL", 67)


@pytest.mark.brief("L2")
def test_a_bad_turbidity_is_invalid(protocol):
    assert protocol.parse("SENSE TURB banana").result == "INVALID_TURBIDITY"


@pytest.mark.brief("L4")
def test_a_bad_level_is_invalid(protocol):
    assert protocol.parse("SENSE LEVEL 999").result == "INVALID_LEVEL"


@pytest.mark.brief("L5")
def test_a_fault_is_parsed(protocol):
    assert protocol.parse("FAULT SENSOR_TIMEOUT").result == "SENSOR_TIMEOUT"


@pytest.mark.brief("L8")
def test_the_filter_line_is_written(protocol):
    assert protocol.serialise("filter", on=True) == "ACT FILTER ON\n"


@pytest.mark.brief("L8")
def test_the_drain_line_is_written(protocol):
    assert protocol.serialise("drain", on=True) == "ACT DRAIN OPEN\n"


def turb(now_ms, ntu):
    return ("TURBIDITY", now_ms, ntu, 0)


def level(now_ms, percent):
    return ("LEVEL", now_ms, 0, percent)


SAFE = (False, False, "SAFE_IDLE")
FILTERING = (True, False, "FILTERING")
FULL = level(100, 72)
CLOUDY = [FULL, turb(200, 80)]
CLEAR = [FULL, turb(200, 34), turb(300, 28), turb(400, 20)]


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        pytest.param([("NONE", 0)], SAFE, id="idle", marks=pytest.mark.brief("F2")),
        pytest.param([FULL], SAFE, id="level-alone", marks=pytest.mark.brief("F3")),
        pytest.param(CLOUDY, FILTERING, id="cloudy", marks=pytest.mark.brief("F14")),
        pytest.param(
            CLEAR,
            (False, False, "SETTLING"),
            id="clear",
            marks=pytest.mark.brief("F4", "F5", "F15"),
        ),
        pytest.param(
            [*CLEAR, turb(500, 45)],
            FILTERING,
            id="settling-reset",
            marks=pytest.mark.brief("F11"),
        ),
        pytest.param(
            [*CLEAR, ("NONE", 800)],
            (False, True, "DRAINING"),
            id="settled",
            marks=pytest.mark.brief("F18"),
        ),
        pytest.param(
            [*CLEAR, ("NONE", 700), level(800, 10)],
            (False, False, "COMPLETE"),
            id="complete",
            marks=pytest.mark.brief("F7"),
        ),
        pytest.param(
            [*CLOUDY, ("NONE", 1301)],
            SAFE,
            id="stale",
            marks=pytest.mark.brief("F20", "F21"),
        ),
        pytest.param(
            [*CLOUDY, ("INVALID_TURBIDITY", 300)],
            SAFE,
            id="invalid",
            marks=pytest.mark.brief("F19"),
        ),
    ],
)
def test_the_controller(controller, steps, expected):
    filter_on, drain_open, state = expected
    controller.expect(*steps, filter_on=filter_on, drain_open=drain_open, state=state)


@pytest.mark.brief("F14")
def test_smoke(paper_run):
    assert exchanged(paper_run("smoke", exchanged))


@pytest.mark.brief("F7", "F13", "F14", "F15", "F27")
def test_clarification_cycle(paper_run):
    run = paper_run("clarification_cycle")
    assert said(run, "ACT FILTER ON"), "the filter never ran"
    assert settling_since_ms(run) is not None, "the liquid was never left to settle"
    assert draining_since_ms(run) is not None, "the drain was never opened"
    assert completed(run)
    assert drained_in_time(run)


@pytest.mark.brief("F7", "F11", "F27")
def test_settling_reset(paper_run):
    run = paper_run("settling_reset")
    stirred_ms = STIRRED_WHILE_SETTLING_MS
    assert settling_since_ms(run, until_ms=stirred_ms) is not None, "not yet settling"
    assert draining_since_ms(run, until_ms=stirred_ms) is None, "draining already"
    assert filters_again(run, since_ms=stirred_ms)
    assert completed(run)
    assert drained_in_time(run)


@pytest.mark.brief("F7", "F8", "F27")
def test_disturbance_recovery(paper_run):
    run = paper_run("disturbance_recovery")
    stirred_ms = STIRRED_WHILE_DRAINING_MS
    assert draining_since_ms(run, until_ms=stirred_ms) is not None, "not yet draining"
    assert filters_again(run, since_ms=stirred_ms)
    assert completed(run)
    assert drained_in_time(run)


@pytest.mark.brief("F20", "F21")
def test_sensor_timeout(paper_run):
    run = paper_run(
        "sensor_timeout", lambda seen: stale_reaction_ms(seen, is_safe) is not None
    )
    assert said(run, "ACT FILTER ON"), "the filter never ran"
    assert reacted_in_time(run, is_safe), stale_reaction(run, is_safe)


@pytest.mark.brief("F19")
def test_malformed_frame(paper_run):
    run = paper_run(
        "malformed_frame", lambda seen: went_safe(seen, is_safe, since_ms=BAD_LINE_MS)
    )
    assert went_safe(run, is_safe, since_ms=BAD_LINE_MS), "the bad line changed nothing"


def is_safe(state):
    return not state.filter_on and not state.drain_open


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
