"""What a submission stands that its brief says nothing of; no part of the verdict.

Half a minute of filling and heating, in which something is wrong from 0.2 s, when the
heater runs, to 15 s. A controller that does what the brief says can stand each fault.
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

sensors = disturbances.at(InjectionPoint.SENSORS)
thermometer = partial(sensors, stream="SENSE TEMP")
gauge = partial(sensors, stream="SENSE LEVEL")
READINGS = {
    "temperature-noise": [thermometer(Noise(up_to=8))],
    "level-noise": [gauge(Noise(up_to=4))],
    "temperature-drift-up": [thermometer(Drift(per_s=2, within=RANGE_C))],
    "temperature-drift-down": [
        thermometer(Drift(per_s=-1, within=RANGE_C), until_ms=10_000)
    ],
    "level-drift-down": [gauge(Drift(per_s=-2, within=RANGE_PCT), until_ms=10_000)],
    "thermometer-stuck-high": [thermometer(StuckAt(value="70"))],
    "gauge-stuck-full": [gauge(StuckAt(value="100"), until_ms=1_500)],
    "thermometer-garbage": [thermometer(StuckAt(value="?"))],
    "gauge-garbage": [gauge(StuckAt(value="?"))],
    "thermometer-slow": [thermometer(Decimate(every=3))],
    "gauge-slow": [gauge(Decimate(every=3))],
    "thermometer-silent": [thermometer(Drop())],
    "gauge-silent": [gauge(Drop())],
    **disturbances.of_readings(streams=2),
}
COMMANDS = disturbances.of_commands("HEATER", thermometer(Noise(up_to=2)))

test_the_tank_stands_bad_readings = tolerance_checks.faults(
    READINGS, invariants=OBEYED, recovered=WELL, within_ms=WELL_WITHIN_MS
)
test_the_tank_stands_bad_actuators = tolerance_checks.faults(
    COMMANDS, invariants=SAFE, recovered=WELL, within_ms=WELL_WITHIN_MS
)
test_the_tank_stands_resets = tolerance_checks.resets(
    invariants=OBEYED, recovered=WELL, within_ms=WELL_WITHIN_MS
)
