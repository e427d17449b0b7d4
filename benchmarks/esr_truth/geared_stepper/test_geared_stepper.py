"""The rotor makes a step every 4 ms while the key is down."""

import pytest


@pytest.mark.esr(module="28BYJ-48")
def test_it_turns_while_the_key_is_down(circuit, bench):
    bench.run_for(50)
    start = circuit["motor"].steps
    assert start == 0
    circuit["turn"].press(duration_ms=200)
    bench.run_for(10)
    turned = circuit["motor"].steps
    assert turned == pytest.approx(48, abs=3)
    bench.run_for(100)
    assert circuit["motor"].steps == turned
