"""The weight is said in grams, without what was there at the tare."""

import pytest


@pytest.mark.esr(module="HX711")
def test_it_weighs(circuit, bench):
    def grams():
        bench.uart.skip()
        return int(bench.expect(r"^(-?\d+) g$", within_ms=300)[1])

    bench.run_for(150)
    for load, due in ((0, 0), (2, 2000), (4.5, 4500)):
        circuit["cell"].set(load=load)
        bench.run_for(60)
        assert grams() == pytest.approx(due, abs=4)
    circuit["tare"].press(duration_ms=60)
    bench.run_for(60)
    assert grams() == pytest.approx(0, abs=4)
    circuit["cell"].set(load=1)
    bench.run_for(60)
    assert grams() == pytest.approx(-3500, abs=4)
