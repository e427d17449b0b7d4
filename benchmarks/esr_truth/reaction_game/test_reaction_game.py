"""Presses are timed from when the lamp goes on."""

import pytest

from pytest_embedbench import Level


@pytest.mark.esr(module="pushbutton")
def test_presses_are_timed(circuit, bench):
    for wait_ms in (120, 45):
        circuit.wait_pin("lamp:A", Level.HIGH, within_ms=400)
        bench.run_for(wait_ms)
        circuit["hit"].press(duration_ms=50)
        said = bench.expect(r"^(\d+)$", within_ms=50)
        assert int(said[1]) == pytest.approx(wait_ms, abs=3)
        assert circuit.level("lamp:A") is Level.LOW
    bench.expect("^too late$", within_ms=900)
