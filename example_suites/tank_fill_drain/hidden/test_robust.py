"""What a submission stands that its brief says nothing of; no part of the verdict.

Half a minute of filling and draining, in which something is wrong from 0.2 s, when the
pump runs, to 15 s. A controller that does what the brief says can stand each fault.
"""

from pytest_embedbench import (
    Decimate,
    Drift,
    InjectionPoint,
    Noise,
    StuckAt,
)
from pytest_embedbench.grading.checks import disturbances, tolerance_checks

RANGE_PCT = (0, 100)
SAFE = {"the tank never overflows": lambda state: state.level < RANGE_PCT[1]}
WELL = {"the level is within reach of its band": lambda state: 25 <= state.level <= 90}
WELL_WITHIN_MS = 3_000
"""From any level: the tank drains by 10 % in a second, or fills by 50 %."""

sensor = disturbances.at(InjectionPoint.SENSORS)
FAULTS = {
    "noise": [sensor(Noise(up_to=14))],
    "drift-up": [sensor(Drift(per_s=2, within=RANGE_PCT))],
    "drift-down": [sensor(Drift(per_s=-1, within=RANGE_PCT), until_ms=10_000)],
    "stuck-high": [sensor(StuckAt(value="95"))],
    "garbage": [sensor(StuckAt(value="?"))],
    "slow-sensor": [sensor(Decimate(every=3))],
    **disturbances.of_readings(),
    **disturbances.of_commands("PUMP", sensor(Noise(up_to=2, within=RANGE_PCT))),
}

test_the_tank_stands = tolerance_checks.faults(
    FAULTS, invariants=SAFE, recovered=WELL, within_ms=WELL_WITHIN_MS
)
test_the_tank_stands_resets = tolerance_checks.resets(
    invariants=SAFE, recovered=WELL, within_ms=WELL_WITHIN_MS
)
