"""A lamp for some gas, and a siren for much of it."""

import pytest

from pytest_embedbench import Level


@pytest.mark.esr(module="MQ-2")
def test_it_warns_by_steps(circuit, bench):
    for ppm, lamp, siren in (
        (100, Level.LOW, 0),
        (350, Level.HIGH, 0),
        (2000, Level.HIGH, 2000),
        (350, Level.HIGH, 0),
        (50, Level.LOW, 0),
    ):
        circuit["nose"].set(ppm=ppm)
        bench.run_for(80)
        assert circuit.level("warning:A") is lamp, ppm
        assert circuit["siren"].tone_hz == pytest.approx(siren, rel=0.01), ppm
