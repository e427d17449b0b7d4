"""A press sounds the horn for 100 ms and lights the lamp for 300 ms."""

import pytest

from pytest_embedbench import Level


@pytest.mark.esr(module="buzzer")
def test_a_press_is_heard_and_seen(circuit, bench):
    bench.run_for(30)
    circuit["ask"].press(duration_ms=50)
    assert circuit["horn"].tone_hz == pytest.approx(1500, rel=0.01)
    assert circuit.level("lamp:A") is Level.HIGH
    bench.run_for(100)
    assert circuit["horn"].tone_hz == 0
    assert circuit.level("lamp:A") is Level.HIGH
    bench.run_for(200)
    assert circuit.level("lamp:A") is Level.LOW
