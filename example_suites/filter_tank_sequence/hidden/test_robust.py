"""What a submission stands that its brief says nothing of; no part of the verdict.

Four tanks of cloudy liquid, one after the other, in which something is wrong from
0.2 s, when the filter runs, to 15 s. A controller that does what the brief says can
stand each fault.
"""

from functools import partial

import pytest

from pytest_embedbench.bench.loop import Coupling, Grouping
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

COUPLING = Coupling(grouping=Grouping.BURST)
RANGE_NTU, RANGE_PCT = (0, 100), (0, 100)
MURKY_NTU, LITTLE_PCT = 70, 40
SAFE = {
    "no murky liquid is drained": lambda state: (
        not state.drain_open
        or state.turbidity_ntu <= MURKY_NTU
        or state.level < LITTLE_PCT
    )
}
OBEYED = SAFE | {
    "the filter is off while the drain is open": lambda state: (
        not (state.filter_on and state.drain_open)
    )
}
"""Without faults of the actuators."""
WELL = {"nothing is left to filter": lambda state: state.level < LITTLE_PCT}
WELL_WITHIN_MS = 4_000
"""A tank of 100 NTU is filtered in a second, settled and drained in another."""

sensors, wire, actuators = (
    partial(Fault, place, from_ms=200, until_ms=15_000)
    for place in (Place.SENSORS, Place.WIRE, Place.ACTUATORS)
)
turbidity = partial(sensors, stream="SENSE TURB")
gauge = partial(sensors, stream="SENSE LEVEL")
HALF_A_FILTER = DutyLimit(
    on="ACT FILTER ON", off="ACT FILTER OFF", on_ticks=1, of_ticks=2
)
READINGS = {
    "turbidity-noise": [turbidity(Noise(up_to=10, within=RANGE_NTU))],
    "level-noise": [gauge(Noise(up_to=4, within=RANGE_PCT))],
    "turbidity-drift-up": [turbidity(Drift(per_s=3, within=RANGE_NTU))],
    "turbidity-drift-down": [turbidity(Drift(per_s=-1, within=RANGE_NTU))],
    "level-drift-down": [gauge(Drift(per_s=-2, within=RANGE_PCT))],
    "turbidity-stuck-high": [turbidity(Stuck(value="90"))],
    "level-stuck": [gauge(Stuck())],
    "turbidity-garbage": [turbidity(Stuck(value="?"))],
    "level-garbage": [gauge(Stuck(value="?"))],
    "frames-lost": [sensors(Loss(one_in=10))],
    "turbidity-slow": [turbidity(Thin(every=3))],
    "level-slow": [gauge(Thin(every=3))],
    "turbidity-silent": [turbidity(Loss())],
    "level-silent": [gauge(Loss())],
    "silence": [sensors(Loss())],
    "late-frames": [sensors(Delay(by_ms=100, jitter_ms=100))],
    "byte-errors": [wire(BitErrors(one_in=100))],
    "split-writes": [wire(Split(gap_ms=10))],
    "merged-writes": [wire(Merge(count=6))],
}
COMMANDS = {
    "commands-lost": [actuators(Loss(one_in=10))],
    "actuators-lag": [actuators(Delay(by_ms=200))],
    "half-a-filter": [actuators(HALF_A_FILTER)],
    "all-at-once": [
        turbidity(Noise(up_to=2, within=RANGE_NTU)),
        sensors(Loss(one_in=20)),
        wire(BitErrors(one_in=300)),
        wire(Split(gap_ms=10)),
        actuators(Loss(one_in=20)),
    ],
}
RESETS_MS = (300, 1_050, 5_777, 5_900, 14_500)


@pytest.fixture
def stands(bench, scenario, plant, fault_seed):
    """A function that runs the tank with faults: safe always, and well in time."""

    def run(*faults, safe):
        disturbed = scenario("disturbed").with_faults(*faults, seed=fault_seed)
        bench.wait_for_boot()
        tank = partial(plant, "filter_tank_sequence")
        seen = bench.run(disturbed, tank, coupling=COUPLING, invariants=safe)
        seen.check_recovered(WELL, within_ms=WELL_WITHIN_MS)

    return run


@pytest.mark.parametrize("faults", READINGS.values(), ids=READINGS)
def test_the_tank_stands_bad_readings(stands, faults):
    stands(*faults, safe=OBEYED)


@pytest.mark.parametrize("faults", COMMANDS.values(), ids=COMMANDS)
def test_the_tank_stands_bad_actuators(stands, faults):
    stands(*faults, safe=SAFE)


@pytest.mark.needs("reset")
def test_the_tank_stands_resets(stands):
    stands(Fault(Place.BUTTON, Reset(at_ms=RESETS_MS)), safe=OBEYED)
