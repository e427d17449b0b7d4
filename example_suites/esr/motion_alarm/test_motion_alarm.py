"""Armed, a movement sounds the siren; not armed, it does not."""

import pytest

from pytest_embedbench import Level


@pytest.mark.esr(module="PIR")
def test_only_an_armed_alarm_sounds(circuit, bench):
    bench.run_for(50)
    circuit["eye"].set(motion=1)
    bench.run_for(100)
    assert circuit["siren"].tone_hz == 0
    assert circuit.level("armed:A") is Level.LOW
    bench.run_for(1_500)
    circuit["arm"].press(duration_ms=50)
    bench.run_for(50)
    assert circuit.level("armed:A") is Level.HIGH
    assert circuit["siren"].tone_hz == 0
    circuit["eye"].set(motion=1)
    bench.run_for(100)
    assert circuit["siren"].tone_hz == pytest.approx(880, rel=0.01)
    bench.run_for(1_200)
    assert circuit["siren"].tone_hz == 0
