"""The lamp is as bright as the knob says, while the horn sounds."""

import pytest


@pytest.mark.esr(module="buzzer")
def test_lamp_and_horn_are_both_there(circuit, bench):
    for position in (0.2, 0.8, 0.5):
        circuit["level"].set(position=position)
        bench.run_for(60)
        assert circuit["lamp"].brightness == pytest.approx(position, abs=0.02)
        assert circuit["horn"].tone_hz == pytest.approx(440, rel=0.01)
