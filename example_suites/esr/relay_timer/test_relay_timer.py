"""The relay is on for 600 ms after a press, the lamp lit for 800 ms."""

import pytest

from pytest_embedbench import Level


@pytest.mark.esr(module="relay")
def test_a_press_runs_the_pump(circuit, bench):
    bench.run_for(100)
    assert not circuit["pump"].is_on
    circuit["start"].press(duration_ms=50)
    bench.run_for(100)
    assert circuit["pump"].is_on
    assert circuit.level("busy:A") is Level.HIGH
    bench.run_for(400)
    assert circuit["pump"].is_on
    bench.run_for(150)
    assert not circuit["pump"].is_on
    assert circuit.level("busy:A") is Level.HIGH
    bench.run_for(200)
    assert circuit.level("busy:A") is Level.LOW
    bench.run_for(300)
    assert not circuit["pump"].is_on
