"""Each press is 20 steps one way or the other."""

import pytest

from pytest_embedbench import Level


@pytest.mark.esr(module="A4988")
def test_keys_turn_the_motor(circuit, bench):
    bench.run_for(20)
    circuit["forward"].press(duration_ms=30)  # the rotor comes to where the field is
    bench.run_for(80)
    start = circuit["motor"].steps
    for key, steps in (("forward", 20), ("forward", 40), ("back", 20), ("forward", 40)):
        circuit[key].press(duration_ms=30)
        assert circuit.level("driver:ENABLE") is Level.LOW
        bench.run_for(80)
        assert circuit["motor"].steps - start == pytest.approx(steps, abs=1.5)
        assert circuit.level("driver:ENABLE") is Level.HIGH
