"""A heater with hysteresis, and a lamp that has none."""

import pytest

from pytest_embedbench import Level

COURSE = (  # degrees, is the heater on, is the lamp lit
    (25, False, Level.HIGH),
    (20.5, False, Level.LOW),
    (19, True, Level.LOW),
    (21.5, True, Level.HIGH),
    (23, False, Level.HIGH),
    (21.5, False, Level.HIGH),
    (15, True, Level.LOW),
)


@pytest.mark.esr(module="NTC")
def test_the_heater_has_hysteresis(circuit, bench):
    for temperature, is_on, lamp in COURSE:
        circuit["room"].set(temperature=temperature)
        bench.run_for(80)
        assert circuit["heater"].is_on == is_on, temperature
        assert circuit.level("warm:A") is lamp, temperature
