"""What is in the air is what is said; above 60 % a lamp is lit."""

import pytest

from pytest_embedbench import Level

AIRS = ((21.5, 40, Level.LOW), (-7.3, 83.5, Level.HIGH), (35.2, 12.1, Level.LOW))


@pytest.mark.esr(module="DHT22")
def test_it_reports_the_air(circuit, bench):
    for temperature, humidity, lamp in AIRS:
        circuit["air"].set(temperature=temperature, humidity=humidity)
        bench.run_for(300)
        bench.uart.skip()
        bench.expect(f"^T {temperature:.1f} H {humidity:.1f}$", within_ms=400)
        assert circuit.level("damp:A") is lamp
