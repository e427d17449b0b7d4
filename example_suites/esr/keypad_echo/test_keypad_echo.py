"""Each key is said once, and the lamp is lit while it is down."""

import pytest

from pytest_embedbench import Level, exact


@pytest.mark.esr(module="keypad")
def test_every_key_is_said(circuit, bench):
    bench.run_for(50)
    for key in "1A5*0#D7B963842C":
        circuit["pad"].hold(key)
        bench.expect(exact(f"key {key}"), within_ms=60)
        bench.run_for(20)
        assert circuit.level("sounder:A") is Level.HIGH
        circuit["pad"].release(key)
        bench.run_for(30)
        assert circuit.level("sounder:A") is Level.LOW
    assert len(bench.uart.heard()) == 16
