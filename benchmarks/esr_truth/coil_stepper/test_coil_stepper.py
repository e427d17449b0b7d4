"""The motor makes a step every 5 ms, the way that the switch says."""

import pytest


@pytest.mark.esr(module="stepper")
def test_the_switch_says_which_way(circuit, bench):
    circuit["way"].set(value=0)
    bench.run_for(50)
    moved = []
    for value in (0, 1):
        circuit["way"].set(value=value)
        bench.run_for(10)
        began = circuit["motor"].steps
        bench.run_for(200)
        moved.append(circuit["motor"].steps - began)
    assert abs(moved[0]) == pytest.approx(40, abs=1)
    assert moved[1] == pytest.approx(-moved[0], abs=2)
    assert moved[0] < 0
