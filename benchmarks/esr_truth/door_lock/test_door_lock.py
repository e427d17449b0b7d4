"""The bolt opens for the PIN alone."""

import pytest


@pytest.mark.esr(module="keypad")
def test_the_pin_opens(circuit, bench):
    def press(keys):
        for key in keys:
            circuit["pad"].press(key, duration_ms=40)
            bench.run_for(40)

    bench.run_for(50)
    press("158246379")
    assert circuit["bolt"].angle_deg == pytest.approx(0, abs=2)
    press("1580")
    assert circuit["bolt"].angle_deg == pytest.approx(90, abs=2)
    press("#")
    assert circuit["bolt"].angle_deg == pytest.approx(0, abs=2)
