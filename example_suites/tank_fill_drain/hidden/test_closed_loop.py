"""The tank's closed-loop evaluator: any board, one time base."""

from functools import partial

import pytest

pytestmark = pytest.mark.needs("step-time")

LOW_PCT, HIGH_PCT = 30, 80
STALE_MS, STALE_AT_LATEST_MS = 1000, 1150


@pytest.fixture
def tank(plant):
    return partial(plant, "tank_fill_drain")


def test_the_pump_fills_below_the_band_and_stops_above_it(bench, scenario, tank):
    bench.wait_for_boot()
    run = bench.run(scenario("happy_path"), tank, stop_when=stopped_above_the_band)
    assert run.stopped_early, "the pump never stopped above 80 %"
    assert any(sample.state.pump_on for sample in run.samples), "the pump never ran"
    assert run.metrics["max_level"] == 85


def test_a_silent_sensor_stops_the_pump_after_a_second(bench, scenario, tank):
    bench.wait_for_boot()
    run = bench.run(scenario("sensor_timeout"), tank)
    assert any(sample.state.pump_on for sample in run.samples), "the pump never ran"
    reaction_ms = run.reaction_ms(is_safe=pump_is_off)
    assert reaction_ms is not None, "the pump was still on at the end"
    assert STALE_MS <= reaction_ms <= STALE_AT_LATEST_MS


@pytest.mark.parametrize("name", ["malformed_frame", "sensor_fault"])
def test_a_bad_frame_stops_the_pump_at_once(bench, scenario, tank, name):
    bench.wait_for_boot()
    run = bench.run(scenario(name), tank)
    after = [sample.state for sample in run.samples if sample.at_ms > 100]
    assert run.samples[1].state.pump_on, "the pump never ran"
    assert not any(state.pump_on for state in after), "the pump ran on"


def test_the_level_stays_within_limits_for_a_minute(bench, scenario, tank):
    bench.wait_for_boot()
    run = bench.run(scenario("day"), tank)
    levels = [sample.state.level for sample in run.samples]
    assert LOW_PCT - 1 <= min(levels) <= LOW_PCT, "never drained to the lower edge"
    assert max(levels) <= HIGH_PCT + 5
    assert run.metrics["duration_ms"] == 60_000


def stopped_above_the_band(loop):
    return loop.state.level > HIGH_PCT and not loop.state.pump_on


def pump_is_off(state):
    return not state.pump_on
