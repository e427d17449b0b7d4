"""Seven presses light a lamp, and another blinks all the time."""

import pytest

from pytest_embedbench import Level


@pytest.mark.esr(module="pushbutton")
def test_seven_presses_are_full(circuit, bench):
    beat = circuit["nine"].blinks(within_ms=200)
    assert (beat.period_ms, beat.lit_ms) == pytest.approx((17, 8), abs=0.5)
    for presses in range(1, 9):
        circuit["seven"].press(duration_ms=60)
        bench.run_for(60)
        assert (circuit.level("eight:A") is Level.HIGH) == (presses == 7), presses
