"""As many lights are lit as the knob says."""

import pytest


@pytest.mark.esr(module="LED bar")
def test_the_bar_follows_the_knob(circuit, bench):
    for lit in (3, 10, 7, 0, 1):
        circuit["level"].set(position=min(1, (lit + 0.2) / 10))
        bench.run_for(50)
        assert [light > 0.5 for light in circuit["bar"].brightnesses] == [
            n < lit for n in range(10)
        ]
