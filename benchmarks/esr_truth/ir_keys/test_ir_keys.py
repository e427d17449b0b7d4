"""Keys are said by their numbers; Power switches the lamp."""

import pytest

from pytest_embedbench import Level, exact


@pytest.mark.esr(module="IR")
def test_keys_are_said(circuit, bench):
    bench.run_for(50)
    for key, lamp in (
        (162, Level.HIGH),
        (2, Level.HIGH),
        (162, Level.LOW),
        (104, Level.LOW),
    ):
        circuit["remote"].set(command=key)
        bench.expect(exact(str(key)), within_ms=200)
        bench.run_for(60)
        assert circuit.level("power:A") is lamp
