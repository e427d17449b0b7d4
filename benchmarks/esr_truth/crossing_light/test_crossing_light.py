"""Red, green and yellow in turns, each for its time."""

import pytest

from pytest_embedbench import Level

CYCLE = (("red", 200), ("green", 300), ("yellow", 100))


@pytest.mark.esr(module="LED")
def test_the_lights_take_turns(circuit, bench):
    circuit.wait_pin("yellow:A", Level.HIGH, within_ms=700)
    circuit.wait_pin("red:A", Level.HIGH, within_ms=700)
    for name, lasts_ms in CYCLE * 2:
        bench.run_for(10)
        lit = {lamp for lamp, _ in CYCLE if circuit.level(f"{lamp}:A") is Level.HIGH}
        assert lit == {name}
        bench.run_for(lasts_ms - 20)
        assert circuit.level(f"{name}:A") is Level.HIGH
        bench.run_for(10)
