"""Each movement is a visitor, and lights the hall for a while."""

import pytest


@pytest.mark.esr(module="PIR")
def test_movements_are_visitors(circuit, bench):
    bench.run_for(50)
    for number in (1, 2):
        circuit["eye"].set(motion=1)
        bench.expect(f"^visitor {number}$", within_ms=50)
        bench.run_for(300)
        assert circuit["light"].is_on
        bench.run_for(200)
        assert not circuit["light"].is_on
    bench.expect_silence(for_ms=200)
