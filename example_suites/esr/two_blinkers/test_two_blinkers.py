"""The red lamp is lit for 300 of 400 ms, the green one for 50 of 100 ms."""

import pytest


@pytest.mark.esr(module="LED")
def test_each_lamp_has_its_beat(circuit):
    slow = circuit["slow"].blinks(within_ms=1_500)
    assert slow.period_ms == pytest.approx(400, abs=5)
    assert slow.lit_ms == pytest.approx(300, abs=5)
    quick = circuit["quick"].blinks(within_ms=500)
    assert quick.period_ms == pytest.approx(100, abs=5)
    assert quick.lit_ms == pytest.approx(50, abs=5)
