"""Letters switch the relays."""

import pytest


@pytest.mark.esr(module="relay")
def test_letters_switch(circuit, bench):
    bench.expect("^ready$", within_ms=300)
    bench.run_for(20)
    assert (circuit["fan"].is_on, circuit["valve"].is_on) == (False, False)
    for letter, fan, valve in (
        ("F", True, False),
        ("V", True, True),
        ("f", False, True),
        ("v", False, False),
    ):
        bench.send(letter)
        bench.run_for(40)
        assert (circuit["fan"].is_on, circuit["valve"].is_on) == (fan, valve)
