"""In closed loop: firmware and plant in one time, the lamp at every sample."""

import pytest

from pytest_embedbench.grading.checks import answer, safe_after_ms, switches

pytestmark = [pytest.mark.profile("full"), pytest.mark.needs("virtual-time")]

STALE_MS, STALE_AT_LATEST_MS = 1000, 1150
LIMITS = {"R2: darker than 28": lambda state: state.light_pct >= 28}


@pytest.mark.brief("R2", "R3", "R4")
def test_the_room_is_kept_between_its_edges(bench, scenario, plant):
    bench.wait_for_boot()
    run = bench.run(scenario("evening"), plant, invariants=LIMITS)
    switched = [state.light_pct for state in switches(run.samples, "lamp_on")]
    assert len(switched) > 4, "the lamp hardly ever switched"
    assert set(switched) == {28, 64}


@pytest.mark.brief("R7")
def test_a_silent_sensor_switches_the_lamp_off(bench, scenario, plant):
    bench.wait_for_boot()
    run = bench.run(scenario("silence"), plant)
    assert run.samples[1].state.lamp_on, "the lamp was never on"
    after_ms = safe_after_ms(run, "LIGHT", lambda state: not state.lamp_on)
    assert after_ms is not None, "the lamp was on at the end"
    assert STALE_MS <= after_ms <= STALE_AT_LATEST_MS, f"off after {after_ms} ms"


@pytest.mark.brief("R5", "R6", "L4", "L5")
def test_lines_are_answered(bench):
    bench.wait_for_boot()
    bench.run_for(100)
    assert answer(bench, "SENSE LIGHT 20") == ["ACT LAMP ON", "DBG STATE LIT"]
    assert answer(bench, "SENSE LIGHT 101") == ["ACT LAMP OFF", "DBG STATE SAFE_OFF"]
    assert answer(bench, "SENSE NOISE 20") == []
