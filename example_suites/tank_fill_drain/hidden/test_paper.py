"""The published evaluator, check by check and scenario by scenario."""

import pytest

from pytest_embedbench.grading.checks import (
    exchanged,
    reacted_in_time,
    said,
    stale_reaction,
    stale_reaction_ms,
)

pytestmark = pytest.mark.profile("paper")

ON, OFF = "ACT PUMP ON", "ACT PUMP OFF"
BAD_LINE_MS = 100
HIGH_PCT = 80


@pytest.mark.brief("L1")
def test_a_level_is_parsed(protocol):
    parsed = protocol.parse("SENSE LEVEL 25")
    assert (parsed.result, parsed.level) == ("LEVEL", 25)


@pytest.mark.brief("L2")
@pytest.mark.parametrize("value", ["banana", "999"])
def test_a_bad_level_is_invalid(protocol, value):
    assert protocol.parse(f"SENSE LEVEL {value}").result == "INVALID_LEVEL"


@pytest.mark.brief("L4")
def test_an_unknown_line_is_ignored(protocol):
    parsed = protocol.parse("HELLO WORLD")
    assert (parsed.result, parsed.kind) == ("IGNORED", "NONE")


@pytest.mark.brief("L3")
def test_a_fault_is_parsed(protocol):
    assert protocol.parse("FAULT SENSOR_TIMEOUT").result == "SENSOR_TIMEOUT"


@pytest.mark.brief("L5")
def test_the_pump_line_is_written(protocol):
    assert protocol.serialise("pump", on=True) == "ACT PUMP ON\n"


@pytest.mark.parametrize(
    ("steps", "pump_on"),
    [
        pytest.param([("NONE", 0)], False, id="idle", marks=pytest.mark.brief("T1")),
        pytest.param(
            [("LEVEL", 100, 20)], True, id="low", marks=pytest.mark.brief("T2")
        ),
        pytest.param(
            [("LEVEL", 100, 20), ("LEVEL", 200, 85)],
            False,
            id="high",
            marks=pytest.mark.brief("T3"),
        ),
        pytest.param(
            [("LEVEL", 100, 20), ("LEVEL", 200, 50)],
            True,
            id="hold-on",
            marks=pytest.mark.brief("T4"),
        ),
        pytest.param(
            [("LEVEL", 100, 85), ("LEVEL", 200, 50)],
            False,
            id="hold-off",
            marks=pytest.mark.brief("T4"),
        ),
        pytest.param(
            [("LEVEL", 100, 20), ("NONE", 1201)],
            False,
            id="stale",
            marks=pytest.mark.brief("T7"),
        ),
        pytest.param(
            [("LEVEL", 100, 20), ("INVALID_LEVEL", 200)],
            False,
            id="invalid",
            marks=pytest.mark.brief("T5"),
        ),
    ],
)
def test_the_controller(controller, steps, pump_on):
    controller.expect(*steps, pump_on=pump_on)


@pytest.mark.brief("T2")
def test_smoke(paper_run):
    assert exchanged(paper_run("smoke", exchanged))


@pytest.mark.brief("T2", "T3")
def test_happy_path(paper_run):
    run = paper_run("happy_path", lambda seen: said(seen, ON) and stopped_above(seen))
    assert said(run, ON), "the pump never ran"
    assert stopped_above(run), "the pump was not stopped above 80"


@pytest.mark.brief("T7")
def test_sensor_timeout(paper_run):
    run = paper_run(
        "sensor_timeout",
        lambda seen: said(seen, ON) and stale_reaction_ms(seen, is_safe) is not None,
    )
    assert said(run, ON), "the pump never ran"
    assert reacted_in_time(run, is_safe), stale_reaction(run, is_safe)


@pytest.mark.brief("T5")
def test_malformed_frame(paper_run):
    run = paper_run(
        "malformed_frame", lambda seen: said(seen, OFF, since_ms=BAD_LINE_MS)
    )
    assert said(run, OFF, since_ms=BAD_LINE_MS), "the bad line changed nothing"


def is_safe(state):
    return not state.pump_on


def stopped_above(seen):
    """Say whether OFF was sent at or after the step that first went above 80."""
    crossed = (s.at_ms for s in seen.samples if s.state.level > HIGH_PCT)
    crossed_ms = next(crossed, None)
    return crossed_ms is not None and said(seen, OFF, since_ms=crossed_ms)
