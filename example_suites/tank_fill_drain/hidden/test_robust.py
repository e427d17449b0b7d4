"""What a submission stands that its brief says nothing of; no part of the verdict.

Half a minute of filling and draining, in which something is wrong from 0.2 s, when the
pump runs, to 15 s. A controller that does what the brief says can stand each fault.
"""

from functools import partial

import pytest

from pytest_embedbench.faults import (
    BitErrors,
    Delay,
    Drift,
    DutyLimit,
    Fault,
    Loss,
    Merge,
    Noise,
    Place,
    Reset,
    Split,
    Stuck,
    Thin,
)

pytestmark = [pytest.mark.robust, pytest.mark.needs("step-time")]

RANGE_PCT = (0, 100)
SAFE = {"the tank never overflows": lambda state: state.level < RANGE_PCT[1]}
WELL = {"the level is within reach of its band": lambda state: 25 <= state.level <= 90}
WELL_WITHIN_MS = 3_000
"""From any level: the tank drains by 10 % in a second, or fills by 50 %."""

sensor, wire, pump = (
    partial(Fault, place, from_ms=200, until_ms=15_000)
    for place in (Place.SENSORS, Place.WIRE, Place.ACTUATORS)
)
HALF_A_PUMP = DutyLimit(on="ACT PUMP ON", off="ACT PUMP OFF", on_ticks=1, of_ticks=2)
FAULTS = {
    "noise": [sensor(Noise(up_to=14))],
    "drift-up": [sensor(Drift(per_s=2, within=RANGE_PCT))],
    "drift-down": [sensor(Drift(per_s=-1, within=RANGE_PCT), until_ms=10_000)],
    "stuck-high": [sensor(Stuck(value="95"))],
    "garbage": [sensor(Stuck(value="?"))],
    "frames-lost": [sensor(Loss(one_in=10))],
    "slow-sensor": [sensor(Thin(every=3))],
    "silence": [sensor(Loss())],
    "late-frames": [sensor(Delay(by_ms=100, jitter_ms=100))],
    "byte-errors": [wire(BitErrors(one_in=100))],
    "split-writes": [wire(Split(gap_ms=60))],
    "merged-writes": [wire(Merge(count=3))],
    "commands-lost": [pump(Loss(one_in=10))],
    "pump-lags": [pump(Delay(by_ms=200))],
    "half-a-pump": [pump(HALF_A_PUMP)],
    "all-at-once": [
        sensor(Noise(up_to=2, within=RANGE_PCT)),
        sensor(Loss(one_in=20)),
        wire(BitErrors(one_in=300)),
        wire(Split(gap_ms=10)),
        pump(Loss(one_in=20)),
    ],
}
RESETS_MS = (300, 1_050, 7_777, 7_900, 14_000)


@pytest.fixture
def stands(bench, scenario, plant, fault_seed):
    """A function that runs the tank with faults, and insists on safety and recovery."""

    def run(*faults):
        half_a_minute = scenario("disturbed").with_faults(*faults, seed=fault_seed)
        bench.wait_for_boot()
        tank = partial(plant, "tank_fill_drain")
        seen = bench.run(half_a_minute, tank, invariants=SAFE)
        seen.check_recovered(WELL, within_ms=WELL_WITHIN_MS)

    return run


@pytest.mark.parametrize("faults", FAULTS.values(), ids=FAULTS)
def test_the_tank_stands(stands, faults):
    stands(*faults)


@pytest.mark.needs("reset")
def test_the_tank_stands_resets(stands):
    stands(Fault(Place.BUTTON, Reset(at_ms=RESETS_MS)))
