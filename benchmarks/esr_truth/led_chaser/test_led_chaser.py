"""One lamp after the other is lit, each for 40 ms."""

import pytest

from pytest_embedbench import Level


@pytest.mark.esr(module="LED")
def test_the_light_runs_along(circuit, bench):
    circuit.wait_pin("l2:A", Level.HIGH, within_ms=300)
    bench.run_for(20)
    for step in range(14):
        lit = [circuit.level(f"l{n}:A") is Level.HIGH for n in range(2, 8)]
        assert lit == [n == step % 6 for n in range(6)]
        bench.run_for(40)
