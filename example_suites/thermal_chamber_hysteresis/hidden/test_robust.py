"""What a submission stands that its brief says nothing of; no part of the verdict.

Half a minute from the cold, in which something is wrong from 0.1 s, when the heater
runs, to 15 s. A controller that does what the brief says can stand each fault.
"""

from pytest_embedbench import (
    Decimate,
    Drift,
    InjectionPoint,
    Noise,
    StuckAt,
)
from pytest_embedbench.grading.checks import disturbances, tolerance_checks

RANGE_C = (15, 80)
SAFE = {"the chamber does not burn": lambda state: state.temperature_c < RANGE_C[1]}
WELL = {"the band is within reach": lambda state: 40 <= state.temperature_c <= 60}
WELL_WITHIN_MS = 3_000
"""From any temperature: the chamber cools by 10 in a second, or warms by 50."""

sensor = disturbances.at(InjectionPoint.SENSORS, from_ms=100)
FAULTS = {
    "noise": [sensor(Noise(up_to=8))],
    "drift-up": [sensor(Drift(per_s=2, within=RANGE_C))],
    "drift-down": [sensor(Drift(per_s=-1, within=RANGE_C), until_ms=10_000)],
    "stuck-high": [sensor(StuckAt(value="70"))],
    "garbage": [sensor(StuckAt(value="?"))],
    "slow-sensor": [sensor(Decimate(every=3))],
    **disturbances.of_readings(from_ms=100),
    **disturbances.of_commands("HEATER", sensor(Noise(up_to=2)), from_ms=100),
}

test_the_chamber_stands = tolerance_checks.faults(
    FAULTS, invariants=SAFE, recovered=WELL, within_ms=WELL_WITHIN_MS
)
test_the_chamber_stands_resets = tolerance_checks.resets(
    invariants=SAFE, recovered=WELL, within_ms=WELL_WITHIN_MS
)
