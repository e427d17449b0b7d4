"""As many lights of the bar are lit as the knob says, from Q0 on."""

import pytest


@pytest.mark.esr(module="74HC595")
def test_the_bar_follows_the_knob(circuit, bench):
    for lit in (3, 8, 0, 5):
        circuit["level"].set(position=(lit + 0.5) / 9)
        bench.run_for(60)
        seen = [light > 0.5 for light in circuit["bar"].brightnesses[:8]]
        assert seen == [n < lit for n in range(8)]
