"""What a submission stands that its brief says nothing of; no part of the verdict.

Half a minute of keeping the pressure, with the door opened once, in which something is
wrong from 0.2 s, when the compressor runs, to 15 s. A controller that does what the
brief says can stand each fault.
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
RANGE_KPA = (0, 120)
SAFE = {"the vessel does not burst": lambda state: state.pressure_kpa < RANGE_KPA[1]}
OBEYED = SAFE | {
    "the compressor is off while the vent is open": lambda state: (
        not (state.compressor_on and state.vent_open)
    )
}
"""Without faults of the actuators."""
WELL = {"the band is within reach": lambda state: 20 <= state.pressure_kpa <= 80}
WELL_WITHIN_MS = 2_000
"""From any pressure: it falls by 160 in a second, or rises by 80."""

sensors, wire, actuators = (
    partial(Fault, place, from_ms=200, until_ms=15_000)
    for place in (Place.SENSORS, Place.WIRE, Place.ACTUATORS)
)
gauge = partial(sensors, stream="SENSE PRESS")
door = partial(sensors, stream="SENSE DOOR")
HALF_A_COMPRESSOR = DutyLimit(
    on="ACT COMPRESSOR ON", off="ACT COMPRESSOR OFF", on_ticks=1, of_ticks=2
)
READINGS = {
    "noise": [gauge(Noise(up_to=15))],
    "drift-up": [gauge(Drift(per_s=3, within=RANGE_KPA))],
    "drift-down": [gauge(Drift(per_s=-2, within=RANGE_KPA), until_ms=10_000)],
    "gauge-stuck-high": [gauge(Stuck(value="90"))],
    "door-stuck": [door(Stuck())],
    "gauge-garbage": [gauge(Stuck(value="?"))],
    "door-garbage": [door(Stuck(value="AJAR"))],
    "frames-lost": [sensors(Loss(one_in=10))],
    "gauge-slow": [gauge(Thin(every=3))],
    "door-slow": [door(Thin(every=5))],
    "gauge-silent": [gauge(Loss())],
    "door-silent": [door(Loss())],
    "silence": [sensors(Loss())],
    "late-frames": [sensors(Delay(by_ms=100, jitter_ms=100))],
    "byte-errors": [wire(BitErrors(one_in=100))],
    "split-writes": [wire(Split(gap_ms=10))],
    "merged-writes": [wire(Merge(count=6))],
}
COMMANDS = {
    "commands-lost": [actuators(Loss(one_in=10))],
    "actuators-lag": [actuators(Delay(by_ms=200))],
    "half-a-compressor": [actuators(HALF_A_COMPRESSOR)],
    "all-at-once": [
        gauge(Noise(up_to=3)),
        sensors(Loss(one_in=20)),
        wire(BitErrors(one_in=300)),
        wire(Split(gap_ms=10)),
        actuators(Loss(one_in=20)),
    ],
}
RESETS_MS = (300, 1_050, 7_777, 7_900, 14_000)


@pytest.fixture
def stands(bench, scenario, plant, fault_seed):
    """A function that runs the vessel with faults: safe always, and well in time."""

    def run(*faults, safe):
        disturbed = scenario("disturbed").with_faults(*faults, seed=fault_seed)
        bench.wait_for_boot()
        vessel = partial(plant, "pressure_vessel_interlock")
        seen = bench.run(disturbed, vessel, coupling=COUPLING, invariants=safe)
        seen.check_recovered(WELL, within_ms=WELL_WITHIN_MS)

    return run


@pytest.mark.parametrize("faults", READINGS.values(), ids=READINGS)
def test_the_vessel_stands_bad_readings(stands, faults):
    stands(*faults, safe=OBEYED)


@pytest.mark.parametrize("faults", COMMANDS.values(), ids=COMMANDS)
def test_the_vessel_stands_bad_actuators(stands, faults):
    stands(*faults, safe=SAFE)


@pytest.mark.needs("reset")
def test_the_vessel_stands_resets(stands):
    stands(Fault(Place.BUTTON, Reset(at_ms=RESETS_MS)), safe=OBEYED)
