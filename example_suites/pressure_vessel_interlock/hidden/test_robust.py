"""What a submission stands that its brief says nothing of; no part of the verdict.

Half a minute of keeping the pressure, with the door opened once, in which something is
wrong from 0.2 s, when the compressor runs, to 15 s. A controller that does what the
brief says can stand each fault.
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

sensors = disturbances.at(InjectionPoint.SENSORS)
gauge = partial(sensors, stream="SENSE PRESS")
door = partial(sensors, stream="SENSE DOOR")
READINGS = {
    "noise": [gauge(Noise(up_to=15))],
    "drift-up": [gauge(Drift(per_s=3, within=RANGE_KPA))],
    "drift-down": [gauge(Drift(per_s=-2, within=RANGE_KPA), until_ms=10_000)],
    "gauge-stuck-high": [gauge(StuckAt(value="90"))],
    "door-stuck": [door(StuckAt())],
    "gauge-garbage": [gauge(StuckAt(value="?"))],
    "door-garbage": [door(StuckAt(value="AJAR"))],
    "gauge-slow": [gauge(Decimate(every=3))],
    "door-slow": [door(Decimate(every=5))],
    "gauge-silent": [gauge(Drop())],
    "door-silent": [door(Drop())],
    **disturbances.of_readings(streams=2),
}
COMMANDS = disturbances.of_commands("COMPRESSOR", gauge(Noise(up_to=3)))

test_the_vessel_stands_bad_readings = tolerance_checks.faults(
    READINGS, invariants=OBEYED, recovered=WELL, within_ms=WELL_WITHIN_MS
)
test_the_vessel_stands_bad_actuators = tolerance_checks.faults(
    COMMANDS, invariants=SAFE, recovered=WELL, within_ms=WELL_WITHIN_MS
)
test_the_vessel_stands_resets = tolerance_checks.resets(
    invariants=OBEYED, recovered=WELL, within_ms=WELL_WITHIN_MS
)
