"""Both distances are said, and a lamp warns."""

import pytest

from pytest_embedbench import Level


@pytest.mark.esr(module="HC-SR04")
def test_both_sides_are_said(circuit, bench):
    for left, right, lamp in (
        (150, 60, Level.LOW),
        (25, 25, Level.HIGH),
        (90, 25, Level.LOW),
    ):
        circuit["port"].set(distance=left)
        circuit["starboard"].set(distance=right)
        bench.run_for(120)
        bench.uart.skip()
        said = bench.expect(r"^(\d+) (\d+)$", within_ms=150)
        assert int(said[1]) == pytest.approx(left, abs=1)
        assert int(said[2]) == pytest.approx(right, abs=1)
        assert circuit.level("alert:A") is lamp
