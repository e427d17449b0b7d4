"""The lamps share the brightness as the second knob says."""

import pytest


@pytest.mark.esr(module="potentiometer")
def test_the_lamps_share(circuit, bench):
    for bright, cold in ((1, 0.2), (0.5, 0.9), (0.8, 0), (0.3, 1)):
        circuit["warm"].set(position=bright)
        circuit["cold"].set(position=cold)
        bench.run_for(60)
        white, amber = circuit["white"].brightness, circuit["amber"].brightness
        assert white == pytest.approx(bright * cold, abs=0.02)
        assert amber == pytest.approx(bright * (1 - cold), abs=0.02)
