"""The left lamp from -0.12 g on, the right one from 0.24 g on."""

import pytest

from pytest_embedbench import Level


@pytest.mark.esr(module="MPU6050")
def test_the_lower_side_is_lit(circuit, bench):
    for accel, left, right in (
        (0, False, False),
        (-0.2, True, False),
        (0.2, False, False),
        (0.5, False, True),
    ):
        circuit["imu"].set(accelX=accel)
        bench.run_for(60)
        assert (circuit.level("left:A") is Level.HIGH) == left
        assert (circuit.level("right:A") is Level.HIGH) == right
