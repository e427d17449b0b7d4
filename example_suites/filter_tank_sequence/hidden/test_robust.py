"""What a submission stands that its brief says nothing of; no part of the verdict.

Four tanks of cloudy liquid, one after the other, in which something is wrong from
0.2 s, when the filter runs, to 15 s. A controller that does what the brief says can
stand each fault.
"""

from functools import partial

from pytest_embedbench import (
    Decimate,
    Drift,
    Drop,
    InjectionPoint,
    Noise,
    StuckAt,
)
from pytest_embedbench.grading.checks import disturbances, tolerance_checks

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

sensors = disturbances.at(InjectionPoint.SENSORS)
turbidity = partial(sensors, stream="SENSE TURB")
gauge = partial(sensors, stream="SENSE LEVEL")
READINGS = {
    "turbidity-noise": [turbidity(Noise(up_to=10, within=RANGE_NTU))],
    "level-noise": [gauge(Noise(up_to=4, within=RANGE_PCT))],
    "turbidity-drift-up": [turbidity(Drift(per_s=3, within=RANGE_NTU))],
    "turbidity-drift-down": [turbidity(Drift(per_s=-1, within=RANGE_NTU))],
    "level-drift-down": [gauge(Drift(per_s=-2, within=RANGE_PCT))],
    "turbidity-stuck-high": [turbidity(StuckAt(value="90"))],
    "level-stuck": [gauge(StuckAt())],
    "turbidity-garbage": [turbidity(StuckAt(value="?"))],
    "level-garbage": [gauge(StuckAt(value="?"))],
    "turbidity-slow": [turbidity(Decimate(every=3))],
    "level-slow": [gauge(Decimate(every=3))],
    "turbidity-silent": [turbidity(Drop())],
    "level-silent": [gauge(Drop())],
    **disturbances.of_readings(streams=2),
}
COMMANDS = disturbances.of_commands(
    "FILTER", turbidity(Noise(up_to=2, within=RANGE_NTU))
)
RESETS_MS = (300, 1_050, 5_777, 5_900, 14_500)

test_the_tank_stands_bad_readings = tolerance_checks.faults(
    READINGS, invariants=OBEYED, recovered=WELL, within_ms=WELL_WITHIN_MS
)
test_the_tank_stands_bad_actuators = tolerance_checks.faults(
    COMMANDS, invariants=SAFE, recovered=WELL, within_ms=WELL_WITHIN_MS
)
test_the_tank_stands_resets = tolerance_checks.resets(
    invariants=OBEYED, recovered=WELL, within_ms=WELL_WITHIN_MS, at_ms=RESETS_MS
)
