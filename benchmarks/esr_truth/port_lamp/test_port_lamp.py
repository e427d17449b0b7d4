"""One lamp for 150 ms, then the other for 50 ms."""

import pytest


@pytest.mark.esr(module="LED")
def test_the_lamps_take_turns(circuit, bench):
    bench.run_for(10)
    lamp = circuit["lamp"].blinks(within_ms=1_000)
    assert (lamp.period_ms, lamp.lit_ms) == pytest.approx((200, 150), abs=3)
    other = circuit["other"].blinks(within_ms=1_000)
    assert (other.period_ms, other.lit_ms) == pytest.approx((200, 50), abs=3)
