"""A digit that counts both ways."""

import pytest


@pytest.mark.esr(module="7-segment")
def test_it_counts_up_and_down(circuit, bench):
    bench.run_for(60)
    assert circuit["digit"].text == "0"
    for key, due in [
        *(("up", str(n)) for n in range(1, 6)),
        ("down", "4"),
        ("up", "5"),
    ]:
        circuit[key].press(duration_ms=40)
        bench.run_for(60)
        assert circuit["digit"].text == due
    for due in "4321098":
        circuit["down"].press(duration_ms=40)
        bench.run_for(60)
        assert circuit["digit"].text == due
