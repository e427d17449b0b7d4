"""The lamp of where the lever is."""

import pytest

from pytest_embedbench import Level


@pytest.mark.esr(module="slide switch")
def test_the_lever_has_its_lamp(circuit, bench):
    for value in (0, 1, 0):
        circuit["gear"].set(value=value)
        bench.run_for(30)
        assert (circuit.level("up:A") is Level.HIGH) == bool(value)
        assert (circuit.level("down:A") is Level.HIGH) == (not value)
