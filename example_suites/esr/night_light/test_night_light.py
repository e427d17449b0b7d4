"""The lamp is as bright as AO is high, and stays so while the button is down."""

import pytest


def due(circuit):
    return circuit.voltage_mv("eye:AO") / 5000


@pytest.mark.esr(module="LDR")
def test_the_darker_the_brighter(circuit, bench):
    for lux in (10, 1000, 100):
        circuit["eye"].set(lux=lux)
        bench.run_for(60)
        assert circuit["lamp"].brightness == pytest.approx(due(circuit), abs=0.02)
    kept = due(circuit)
    circuit["hold"].hold()
    bench.run_for(20)
    circuit["eye"].set(lux=2)
    bench.run_for(60)
    assert circuit["lamp"].brightness == pytest.approx(kept, abs=0.02)
    circuit["hold"].release()
    bench.run_for(60)
    assert circuit["lamp"].brightness == pytest.approx(due(circuit), abs=0.02)
    assert due(circuit) > kept + 0.2
