"""The servo stands where the knob does."""

import pytest


@pytest.mark.esr(module="servo")
def test_the_servo_follows_the_knob(circuit, bench):
    for position in (0.25, 0.9, 0.5):
        circuit["knob"].set(position=position)
        bench.run_for(100)
        assert circuit["arm"].angle_deg == pytest.approx(position * 180, abs=3)
