"""What a submission stands that its brief says nothing of; no part of the verdict.

Half a minute from the cold, in which something is wrong from 0.1 s, when the heater
runs, to 15 s. A controller that does what the brief says can stand each fault.
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

RANGE_C = (15, 80)
SAFE = {"the chamber does not burn": lambda state: state.temperature_c < RANGE_C[1]}
WELL = {"the band is within reach": lambda state: 40 <= state.temperature_c <= 60}
WELL_WITHIN_MS = 3_000
"""From any temperature: the chamber cools by 10 in a second, or warms by 50."""

sensor, wire, heater = (
    partial(Fault, place, from_ms=100, until_ms=15_000)
    for place in (Place.SENSORS, Place.WIRE, Place.ACTUATORS)
)
HALF_A_HEATER = DutyLimit(
    on="ACT HEATER ON", off="ACT HEATER OFF", on_ticks=1, of_ticks=2
)
FAULTS = {
    "noise": [sensor(Noise(up_to=8))],
    "drift-up": [sensor(Drift(per_s=2, within=RANGE_C))],
    "drift-down": [sensor(Drift(per_s=-1, within=RANGE_C), until_ms=10_000)],
    "stuck-high": [sensor(Stuck(value="70"))],
    "garbage": [sensor(Stuck(value="?"))],
    "frames-lost": [sensor(Loss(one_in=10))],
    "slow-sensor": [sensor(Thin(every=3))],
    "silence": [sensor(Loss())],
    "late-frames": [sensor(Delay(by_ms=100, jitter_ms=100))],
    "byte-errors": [wire(BitErrors(one_in=100))],
    "split-writes": [wire(Split(gap_ms=60))],
    "merged-writes": [wire(Merge(count=3))],
    "commands-lost": [heater(Loss(one_in=10))],
    "heater-lags": [heater(Delay(by_ms=200))],
    "half-a-heater": [heater(HALF_A_HEATER)],
    "all-at-once": [
        sensor(Noise(up_to=2)),
        sensor(Loss(one_in=20)),
        wire(BitErrors(one_in=300)),
        wire(Split(gap_ms=10)),
        heater(Loss(one_in=20)),
    ],
}
RESETS_MS = (300, 1_050, 7_777, 7_900, 14_000)


@pytest.fixture
def stands(bench, scenario, plant, fault_seed):
    """A function that runs the chamber with faults: safe always, and well in time."""

    def run(*faults):
        disturbed = scenario("disturbed").with_faults(*faults, seed=fault_seed)
        bench.wait_for_boot()
        chamber = partial(plant, "thermal_chamber_hysteresis")
        seen = bench.run(disturbed, chamber, invariants=SAFE)
        seen.check_recovered(WELL, within_ms=WELL_WITHIN_MS)

    return run


@pytest.mark.parametrize("faults", FAULTS.values(), ids=FAULTS)
def test_the_chamber_stands(stands, faults):
    stands(*faults)


@pytest.mark.needs("reset")
def test_the_chamber_stands_resets(stands):
    stands(Fault(Place.BUTTON, Reset(at_ms=RESETS_MS)))
