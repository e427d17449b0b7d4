"""A press plays three notes."""

import pytest

from pytest_embedbench import Level


@pytest.mark.esr(module="buzzer")
def test_a_press_plays_the_tune(circuit, bench):
    bench.run_for(50)
    assert circuit["gong"].tone_hz == 0
    circuit["bell"].press(duration_ms=60)
    for note in (784, 659, 523):
        assert circuit["gong"].tone_hz == pytest.approx(note, rel=0.01)
        assert circuit.level("light:A") is Level.HIGH
        bench.run_for(120)
    bench.run_for(50)
    assert circuit["gong"].tone_hz == 0
    assert circuit.level("light:A") is Level.LOW
