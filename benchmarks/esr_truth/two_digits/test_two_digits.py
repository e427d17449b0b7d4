"""Two digits show the knob in percent."""

import pytest


@pytest.mark.esr(module="7-segment")
def test_two_digits_show_percent(circuit, bench):
    for percent in (12, 34, 56, 78, 90, 41):
        circuit["level"].set(position=(percent + 0.5) / 100)
        bench.run_for(80)
        assert circuit["pair"].text == str(percent)
