"""Presses that come while the firmware waits are counted."""

import pytest

from pytest_embedbench import Level


@pytest.mark.esr(module="pushbutton")
def test_presses_are_counted(circuit, bench):
    bench.run_for(310)
    total = 0
    for presses in (1, 3, 2):
        for _ in range(presses):
            circuit["event"].press(duration_ms=30)
            bench.run_for(40)
        total += presses
        bench.run_for(310)
        lit = [
            circuit.level(f"{name}:A") is Level.HIGH for name in ("one", "two", "four")
        ]
        assert sum(1 << n for n, is_lit in enumerate(lit) if is_lit) == total
