"""Each press of the button switches the lamp."""

import pytest

from pytest_embedbench import Level


@pytest.mark.esr(module="pushbutton")
def test_each_press_switches_the_lamp(circuit, bench):
    bench.run_for(50)
    assert circuit.level("lamp:A") is Level.LOW
    for due in (Level.HIGH, Level.LOW, Level.HIGH):
        circuit["key"].hold()
        bench.run_for(60)
        assert circuit.level("lamp:A") is due
        circuit["key"].release()
        bench.run_for(60)
        assert circuit.level("lamp:A") is due
