"""Each key has a lamp of its own, and only one of them blinks."""

import pytest

from pytest_embedbench import Level


@pytest.mark.esr(module="pushbutton")
def test_each_key_has_its_lamp(circuit, bench):
    bench.run_for(50)
    circuit["left"].hold()
    bench.run_for(10)
    began_us = bench.uart.now_us
    bench.run_for(300)
    assert circuit.level("steady:A") is Level.HIGH
    assert circuit.level("pulsing:A") is Level.LOW
    assert not circuit.edges("steady:A", since_us=began_us)
    circuit["left"].release()
    bench.run_for(20)
    assert circuit.level("steady:A") is Level.LOW
    circuit["right"].hold()
    assert circuit["pulsing"].blinks(within_ms=500).period_ms == pytest.approx(
        100, abs=5
    )
    assert circuit.level("steady:A") is Level.LOW
