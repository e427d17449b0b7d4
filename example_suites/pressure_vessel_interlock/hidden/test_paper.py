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
DOOR_OPENS_MS = 300
BAND_KPA = range(40, 61)


@pytest.mark.brief("L1")
def test_a_pressure_is_parsed(protocol):
    parsed = protocol.parse("SENSE PRESS 42")
    assert (parsed.result, parsed.pressure_kpa) == ("PRESSURE", 42)


@pytest.mark.brief("L3")
def test_an_open_door_is_parsed(protocol):
    parsed = protocol.parse("SENSE DOOR OPEN")
    assert (parsed.result, parsed.door_closed) == ("DOOR_OPEN", False)


@pytest.mark.brief("L2")
def test_a_bad_pressure_is_invalid(protocol):
    assert protocol.parse("SENSE PRESS banana").result == "INVALID_PRESSURE"


@pytest.mark.brief("L4")
def test_a_bad_door_is_invalid(protocol):
    assert protocol.parse("SENSE DOOR AJAR").result == "INVALID_DOOR"


@pytest.mark.brief("L5")
def test_a_fault_is_parsed(protocol):
    assert protocol.parse("FAULT SENSOR_TIMEOUT").result == "SENSOR_TIMEOUT"


@pytest.mark.brief("L8")
def test_the_compressor_line_is_written(protocol):
    assert protocol.serialise("compressor", on=True) == "ACT COMPRESSOR ON\n"


@pytest.mark.brief("L8")
def test_the_vent_line_is_written(protocol):
    assert protocol.serialise("vent", on=True) == "ACT VENT OPEN\n"


CLOSED = ("DOOR_CLOSED", 100, 0, True)
LOW = ("PRESSURE", 200, 20, True)
SAFE = (False, True, "SAFE_VENT")


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        pytest.param([("NONE", 0)], SAFE, id="idle", marks=pytest.mark.brief("V1")),
        pytest.param(
            [("PRESSURE", 100, 20, True)],
            SAFE,
            id="pressure-alone",
            marks=pytest.mark.brief("V2"),
        ),
        pytest.param(
            [CLOSED, LOW],
            (True, False, "PRESSURIZING"),
            id="low",
            marks=pytest.mark.brief("V4"),
        ),
        pytest.param(
            [CLOSED, ("PRESSURE", 200, 70, True)],
            (False, True, "RELIEVING"),
            id="high",
            marks=pytest.mark.brief("V5"),
        ),
        pytest.param(
            [CLOSED, LOW, ("PRESSURE", 300, 50, True)],
            (True, False, "HOLDING"),
            id="hold",
            marks=pytest.mark.brief("V6"),
        ),
        pytest.param(
            [CLOSED, LOW, ("DOOR_OPEN", 300, 0, False)],
            SAFE,
            id="door-open",
            marks=pytest.mark.brief("V3"),
        ),
        pytest.param(
            [CLOSED, LOW, ("NONE", 1301)],
            SAFE,
            id="stale",
            marks=pytest.mark.brief("V11", "V12"),
        ),
        pytest.param(
            [CLOSED, LOW, ("INVALID_DOOR", 300)],
            SAFE,
            id="invalid",
            marks=pytest.mark.brief("V9"),
        ),
    ],
)
def test_the_controller(controller, steps, expected):
    compressor_on, vent_open, state = expected
    controller.expect(
        *steps, compressor_on=compressor_on, vent_open=vent_open, state=state
    )


@pytest.mark.brief("V4")
def test_smoke(paper_run):
    assert exchanged(paper_run("smoke", exchanged))


@pytest.mark.brief("V4", "V18")
def test_pressurize_control(paper_run):
    run = paper_run("pressurize_control", entered_band)
    assert said(run, "ACT COMPRESSOR ON"), "the compressor never ran"
    assert entered_band(run)
    assert never_fought(run)


@pytest.mark.brief("V5", "V18")
def test_relief_control(paper_run):
    run = paper_run("relief_control", relieved)
    assert said(run, "ACT VENT OPEN"), "the vent was never opened"
    assert relieved(run)
    assert never_fought(run)


@pytest.mark.brief("V3", "V18")
def test_door_open_interlock(paper_run):
    run = paper_run(
        "door_open_interlock",
        lambda seen: went_safe(seen, is_safe, since_ms=DOOR_OPENS_MS),
    )
    assert said(run, "ACT COMPRESSOR ON"), "the compressor never ran"
    assert went_safe(run, is_safe, since_ms=DOOR_OPENS_MS), "the open door did nothing"
    assert never_fought(run)


@pytest.mark.brief("V11", "V12")
def test_sensor_timeout(paper_run):
    run = paper_run(
        "sensor_timeout", lambda seen: stale_reaction_ms(seen, is_safe) is not None
    )
    assert said(run, "ACT COMPRESSOR ON"), "the compressor never ran"
    assert reacted_in_time(run, is_safe), stale_reaction(run, is_safe)


@pytest.mark.brief("V9")
def test_malformed_frame(paper_run):
    run = paper_run(
        "malformed_frame", lambda seen: went_safe(seen, is_safe, since_ms=BAD_LINE_MS)
    )
    assert went_safe(run, is_safe, since_ms=BAD_LINE_MS), "the bad line changed nothing"


def is_safe(state):
    return state.vent_open and not state.compressor_on


def stepped(seen):
    """Return the pressures that the plant has stepped to."""
    return [s.state.pressure_kpa for s in seen.samples if s.at_ms > 0]


def entered_band(seen):
    return any(pressure in BAND_KPA for pressure in stepped(seen))


def relieved(seen):
    return any(pressure <= max(BAND_KPA) for pressure in stepped(seen))


def never_fought(run):
    return run.metrics["mutual_exclusion_violations"] == 0
