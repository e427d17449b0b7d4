"""Red is lit, and green while the key is down."""

import pytest

from pytest_embedbench import Level


@pytest.mark.esr(module="LED")
def test_the_key_swaps_the_lamps(circuit, bench):
    def lit():
        bench.run_for(30)
        return [circuit.level(f"{lamp}:A") is Level.HIGH for lamp in ("red", "green")]

    assert lit() == [True, False]
    circuit["swap"].hold()
    assert lit() == [False, True]
    circuit["swap"].release()
    assert lit() == [True, False]
