"""The temperature is said, and above 8 degrees the lamp is lit."""

import pytest

from pytest_embedbench import Level, exact


@pytest.mark.esr(module="DS18B20")
def test_it_watches_the_fridge(circuit, bench):
    for celsius, lamp in ((4.5, Level.LOW), (-18, Level.LOW), (11, Level.HIGH)):
        circuit["probe"].set(temperature=celsius)
        bench.run_for(850)
        bench.uart.skip()
        bench.expect(exact(f"{celsius:.1f}"), within_ms=900)
        bench.run_for(5)
        assert circuit.level("door:A") is lamp
