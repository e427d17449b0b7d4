"""Only one lamp blinks, each in its way."""

import pytest

from pytest_embedbench import Level


@pytest.mark.esr(module="slide switch")
def test_the_switch_says_which_lamp_blinks(circuit, bench):
    circuit["mode"].set(value=0)
    bench.run_for(20)
    night = circuit["night"].blinks(within_ms=800)
    assert (night.period_ms, night.lit_ms) == pytest.approx((200, 20), abs=3)
    assert circuit.level("day:A") is Level.LOW
    circuit["mode"].set(value=1)
    bench.run_for(20)
    day = circuit["day"].blinks(within_ms=300)
    assert (day.period_ms, day.lit_ms) == pytest.approx((60, 30), abs=3)
    assert circuit.level("night:A") is Level.LOW
