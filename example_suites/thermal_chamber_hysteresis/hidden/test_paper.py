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

ON, OFF = "ACT HEATER ON", "ACT HEATER OFF"
BAD_LINE_MS = 100
BAND_C = range(47, 53)
HARD_LIMIT_C = 56


@pytest.mark.brief("L1")
def test_a_temperature_is_parsed(protocol):
    parsed = protocol.parse("SENSE TEMP 25")
    assert (parsed.result, parsed.temperature_c) == ("TEMPERATURE", 25)


@pytest.mark.brief("L2")
@pytest.mark.parametrize("value", ["banana", "999"])
def test_a_bad_temperature_is_invalid(protocol, value):
    assert protocol.parse(f"SENSE TEMP {value}").result == "INVALID_TEMPERATURE"


@pytest.mark.brief("L4")
def test_an_unknown_line_is_ignored(protocol):
    parsed = protocol.parse("HELLO WORLD")
    assert (parsed.result, parsed.kind) == ("IGNORED", "NONE")


@pytest.mark.brief("L3")
def test_a_fault_is_parsed(protocol):
    assert protocol.parse("FAULT SENSOR_TIMEOUT").result == "SENSOR_TIMEOUT"


@pytest.mark.brief("L6")
def test_the_heater_line_is_written(protocol):
    assert protocol.serialise("heater", on=True) == "ACT HEATER ON\n"


COLD = ("TEMPERATURE", 100, 35)


@pytest.mark.parametrize(
    ("steps", "heater_on", "state"),
    [
        pytest.param(
            [("NONE", 0)], False, "SAFE_OFF", id="idle", marks=pytest.mark.brief("C1")
        ),
        pytest.param([COLD], True, "HEATING", id="cold", marks=pytest.mark.brief("C2")),
        pytest.param(
            [COLD, ("TEMPERATURE", 200, 54)],
            False,
            "SAFE_OFF",
            id="hot",
            marks=pytest.mark.brief("C3"),
        ),
        pytest.param(
            [COLD, ("TEMPERATURE", 200, 48)],
            True,
            "HOLDING",
            id="hold",
            marks=pytest.mark.brief("C4"),
        ),
        pytest.param(
            [COLD, ("TEMPERATURE", 200, 48), ("TEMPERATURE", 300, 50)],
            False,
            "HOLDING",
            id="early-off",
            marks=pytest.mark.brief("C5"),
        ),
        pytest.param(
            [COLD, ("NONE", 1201)],
            False,
            "SAFE_OFF",
            id="stale",
            marks=pytest.mark.brief("C9"),
        ),
        pytest.param(
            [COLD, ("INVALID_TEMPERATURE", 200)],
            False,
            "SAFE_OFF",
            id="invalid",
            marks=pytest.mark.brief("C7"),
        ),
    ],
)
def test_the_controller(controller, steps, heater_on, state):
    controller.expect(*steps, heater_on=heater_on, state=state)


@pytest.mark.brief("C2")
def test_smoke(paper_run):
    assert exchanged(paper_run("smoke", exchanged))


@pytest.mark.brief("C2", "C5", "C16")
def test_warmup_control(paper_run):
    run = paper_run("warmup_control")
    temperatures = [sample.state.temperature_c for sample in run.samples]
    assert said(run, ON), "the heater never ran"
    assert any(temperature in BAND_C for temperature in temperatures)
    assert max(temperatures) <= HARD_LIMIT_C


@pytest.mark.brief("C2", "C5", "C16")
def test_overshoot_guard(paper_run):
    run = paper_run("overshoot_guard")
    assert said(run, ON), "the heater never ran"
    assert said(run, OFF), "the heater never stopped"
    assert max(sample.state.temperature_c for sample in run.samples) <= HARD_LIMIT_C


@pytest.mark.brief("C9", "C14")
def test_sensor_timeout(paper_run):
    run = paper_run(
        "sensor_timeout", lambda seen: stale_reaction_ms(seen, is_safe) is not None
    )
    assert said(run, ON), "the heater never ran"
    assert reacted_in_time(run, is_safe), stale_reaction(run, is_safe)


@pytest.mark.brief("C7")
def test_malformed_frame(paper_run):
    run = paper_run(
        "malformed_frame", lambda seen: said(seen, OFF, since_ms=BAD_LINE_MS)
    )
    assert said(run, OFF, since_ms=BAD_LINE_MS), "the bad line changed nothing"


def is_safe(state):
    return not state.heater_on
