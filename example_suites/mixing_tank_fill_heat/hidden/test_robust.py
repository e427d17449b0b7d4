"""What a submission stands that its brief says nothing of; no part of the verdict.

Half a minute of filling and heating, in which something is wrong from 0.2 s, when the
heater runs, to 15 s. A controller that does what the brief says can stand each fault.
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
RANGE_C, RANGE_PCT = (20, 80), (0, 100)
BURNS_PCT = 55
SAFE = {
    "the tank does not boil": lambda state: state.temp_c < RANGE_C[1],
    "the tank never overflows": lambda state: state.level < RANGE_PCT[1],
}
OBEYED = SAFE | {
    "the heater is covered": lambda state: (
        state.level >= BURNS_PCT or not state.heater_on
    ),
    "the heater is off while the inlet is open": lambda state: (
        not (state.heater_on and state.inlet_open)
    ),
}
"""Without faults of the actuators."""
WELL = {
    "the temperature is within reach": lambda state: 38 <= state.temp_c <= 56,
    "the heater can be covered": lambda state: state.level >= BURNS_PCT - 5,
}
WELL_WITHIN_MS = 4_000
"""From any state: the tank fills by 70 % in a second, warms by 40, or cools by 10."""

sensors, wire, actuators = (
    partial(Fault, place, from_ms=200, until_ms=15_000)
    for place in (Place.SENSORS, Place.WIRE, Place.ACTUATORS)
)
thermometer = partial(sensors, stream="SENSE TEMP")
gauge = partial(sensors, stream="SENSE LEVEL")
HALF_A_HEATER = DutyLimit(
    on="ACT HEATER ON", off="ACT HEATER OFF", on_ticks=1, of_ticks=2
)
READINGS = {
    "temperature-noise": [thermometer(Noise(up_to=8))],
    "level-noise": [gauge(Noise(up_to=4))],
    "temperature-drift-up": [thermometer(Drift(per_s=2, within=RANGE_C))],
    "temperature-drift-down": [
        thermometer(Drift(per_s=-1, within=RANGE_C), until_ms=10_000)
    ],
    "level-drift-down": [gauge(Drift(per_s=-2, within=RANGE_PCT), until_ms=10_000)],
    "thermometer-stuck-high": [thermometer(Stuck(value="70"))],
    "gauge-stuck-full": [gauge(Stuck(value="100"), until_ms=1_500)],
    "thermometer-garbage": [thermometer(Stuck(value="?"))],
    "gauge-garbage": [gauge(Stuck(value="?"))],
    "frames-lost": [sensors(Loss(one_in=10))],
    "thermometer-slow": [thermometer(Thin(every=3))],
    "gauge-slow": [gauge(Thin(every=3))],
    "thermometer-silent": [thermometer(Loss())],
    "gauge-silent": [gauge(Loss())],
    "silence": [sensors(Loss())],
    "late-frames": [sensors(Delay(by_ms=100, jitter_ms=100))],
    "byte-errors": [wire(BitErrors(one_in=100))],
    "split-writes": [wire(Split(gap_ms=10))],
    "merged-writes": [wire(Merge(count=6))],
}
COMMANDS = {
    "commands-lost": [actuators(Loss(one_in=10))],
    "actuators-lag": [actuators(Delay(by_ms=200))],
    "half-a-heater": [actuators(HALF_A_HEATER)],
    "all-at-once": [
        thermometer(Noise(up_to=2)),
        sensors(Loss(one_in=20)),
        wire(BitErrors(one_in=300)),
        wire(Split(gap_ms=10)),
        actuators(Loss(one_in=20)),
    ],
}
RESETS_MS = (300, 1_050, 7_777, 7_900, 14_000)


@pytest.fixture
def stands(bench, scenario, plant, fault_seed):
    """A function that runs the tank with faults: safe always, and well in time."""

    def run(*faults, safe):
        disturbed = scenario("disturbed").with_faults(*faults, seed=fault_seed)
        bench.wait_for_boot()
        tank = partial(plant, "mixing_tank_fill_heat")
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
