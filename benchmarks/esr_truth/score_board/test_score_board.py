"""Each key counts for its side."""

import pytest


@pytest.mark.esr(module="TM1637")
def test_keys_count_for_their_sides(circuit, bench):
    bench.run_for(60)
    assert circuit["digits"].text == "00:00"
    for key, due in (("home", "01:00"), ("home", "02:00"), ("guest", "02:01")):
        circuit[key].press(duration_ms=50)
        bench.run_for(60)
        assert circuit["digits"].text == due
