"""The lamp is as bright as the knob says."""

import pytest


@pytest.mark.esr(module="potentiometer")
def test_the_knob_dims(circuit, bench):
    for position in (0.25, 0.75, 0, 0.5):
        circuit["level"].set(position=position)
        bench.run_for(60)
        assert circuit["lamp"].brightness == pytest.approx(position, abs=0.07)
