"""Three lamps, one after the other, for 60, 30 and 90 of 200 ms."""

import pytest


@pytest.mark.esr(module="LED")
def test_each_lamp_flashes_for_its_time(circuit):
    for lamp, lit_ms in (("first", 60), ("second", 30), ("third", 90)):
        seen = circuit[lamp].blinks(within_ms=900)
        assert (seen.period_ms, seen.lit_ms) == pytest.approx((200, lit_ms), abs=3)
