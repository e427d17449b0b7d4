"""Detents count up and down, and a press makes them 0."""

import pytest

from pytest_embedbench import exact


@pytest.mark.esr(module="KY-040")
def test_detents_count(circuit, bench):
    bench.expect(exact("0"), within_ms=200)
    for turn, due in ((3, 3), (-5, -2), (1, -1)):
        circuit["wheel"].set(turn=turn)
        bench.run_for(150)
        assert bench.uart.heard()[-1] == str(due)
    circuit["wheel"].press(duration_ms=20)
    bench.run_for(50)
    assert bench.uart.heard()[-1] == "0"
