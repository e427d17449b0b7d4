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
TARGET_C = range(45, 49)
HARD_LIMIT_C = 51


@pytest.mark.brief("L1")
def test_a_temperature_is_parsed(protocol):
    parsed = protocol.parse("SENSE TEMP 42")
    assert (parsed.result, parsed.temperature_c) == ("TEMPERATURE", 42)


@pytest.mark.brief("L3")
def test_a_level_is_parsed(protocol):
    parsed = protocol.parse("SENSE LEVEL 67")
    assert (parsed.result, parsed.level) == ("LEVEL", 67)


@pytest.mark.brief("L2")
def test_a_bad_temperature_is_invalid(protocol):
    assert protocol.parse("SENSE TEMP banana").result == "INVALID_TEMPERATURE"


@pytest.mark.brief("L4")
def test_a_bad_level_is_invalid(protocol):
    assert protocol.parse("SENSE LEVEL -1").result == "INVALID_LEVEL"


@pytest.mark.brief("L5")
def test_a_fault_is_parsed(protocol):
    assert protocol.parse("FAULT SENSOR_TIMEOUT").result == "SENSOR_TIMEOUT"


@pytest.mark.brief("L8")
def test_the_inlet_line_is_written(protocol):
    assert protocol.serialise("inlet", on=True) == "ACT INLET OPEN\n"


@pytest.mark.brief("L8")
def test_the_heater_line_is_written(protocol):
    assert protocol.serialise("heater", on=True) == "ACT HEATER ON\n"


def temp(now_ms, temperature_c):
    return ("TEMPERATURE", now_ms, temperature_c, 0)


def level(now_ms, percent):
    return ("LEVEL", now_ms, 0, percent)


SAFE = (False, False, "SAFE_IDLE")
FILLING = (True, False, "FILLING")
HEATED = [level(100, 65), temp(200, 30)]


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        pytest.param([("NONE", 0)], SAFE, id="idle", marks=pytest.mark.brief("M1")),
        pytest.param(
            [level(100, 40)], SAFE, id="level-alone", marks=pytest.mark.brief("M2")
        ),
        pytest.param(
            [temp(100, 30), level(200, 40)],
            FILLING,
            id="low-level",
            marks=pytest.mark.brief("M3"),
        ),
        pytest.param(
            HEATED,
            (False, True, "HEATING"),
            id="cold",
            marks=pytest.mark.brief("M4", "M5"),
        ),
        pytest.param(
            [*HEATED, level(300, 50)],
            FILLING,
            id="low-level-again",
            marks=pytest.mark.brief("M3"),
        ),
        pytest.param(
            [level(100, 65), temp(200, 40), temp(300, 46), temp(400, 47)],
            (False, False, "HOLDING"),
            id="early-off",
            marks=pytest.mark.brief("M7"),
        ),
        pytest.param(
            [*HEATED, ("NONE", 1301)],
            SAFE,
            id="stale",
            marks=pytest.mark.brief("M14", "M15"),
        ),
        pytest.param(
            [*HEATED, ("INVALID_LEVEL", 300)],
            SAFE,
            id="invalid",
            marks=pytest.mark.brief("M12"),
        ),
    ],
)
def test_the_controller(controller, steps, expected):
    inlet_open, heater_on, state = expected
    controller.expect(*steps, inlet_open=inlet_open, heater_on=heater_on, state=state)


@pytest.mark.brief("M3")
def test_smoke(paper_run):
    assert exchanged(paper_run("smoke", exchanged))


@pytest.mark.brief("M3", "M5", "M7", "M24")
def test_fill_then_heat(paper_run):
    run = paper_run("fill_then_heat")
    temperatures = [sample.state.temp_c for sample in run.samples]
    assert said(run, "ACT INLET OPEN"), "the inlet was never opened"
    assert said(run, "ACT HEATER ON"), "the heater never ran"
    assert any(temperature in TARGET_C for temperature in temperatures)
    assert never_heated_low(run)
    assert max(temperatures) <= HARD_LIMIT_C


@pytest.mark.brief("M3", "M20")
def test_low_level_guard(paper_run):
    run = paper_run("low_level_guard")
    assert said(run, "ACT INLET OPEN"), "the inlet was never opened"
    assert never_heated_low(run)


@pytest.mark.brief("M5", "M7", "M24")
def test_anticipation_control(paper_run):
    run = paper_run("anticipation_control")
    off_at = [
        reply.state.temp_c for reply in run.replies if "ACT HEATER OFF" in reply.lines
    ]
    assert said(run, "ACT HEATER ON"), "the heater never ran"
    assert any(temperature in TARGET_C for temperature in off_at), off_at
    assert max(sample.state.temp_c for sample in run.samples) <= HARD_LIMIT_C


@pytest.mark.brief("M14", "M15", "M21")
def test_sensor_timeout(paper_run):
    run = paper_run(
        "sensor_timeout", lambda seen: stale_reaction_ms(seen, is_safe) is not None
    )
    assert said(run, "ACT HEATER ON"), "the heater never ran"
    assert reacted_in_time(run, is_safe), stale_reaction(run, is_safe)


@pytest.mark.brief("M11")
def test_malformed_frame(paper_run):
    run = paper_run(
        "malformed_frame", lambda seen: went_safe(seen, is_safe, since_ms=BAD_LINE_MS)
    )
    assert went_safe(run, is_safe, since_ms=BAD_LINE_MS), "the bad line changed nothing"


def is_safe(state):
    return not state.inlet_open and not state.heater_on


def never_heated_low(run):
    return run.metrics["low_level_heating_violations"] == 0
