"""Each servo stands where its knob does."""

import pytest


@pytest.mark.esr(module="servo")
def test_each_servo_has_a_knob(circuit, bench):
    for left, right in ((0.2, 0.7), (0.9, 0.4)):
        circuit["left"].set(position=left)
        circuit["right"].set(position=right)
        bench.run_for(80)
        assert circuit["pan"].angle_deg == pytest.approx(180 * left, abs=3)
        assert circuit["tilt"].angle_deg == pytest.approx(180 * right, abs=3)
