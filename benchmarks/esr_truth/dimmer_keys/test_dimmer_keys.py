"""Each press is one of five steps."""

import pytest


@pytest.mark.esr(module="pushbutton")
def test_keys_make_steps(circuit, bench):
    bench.run_for(50)
    for key, due in [
        *(("up", n / 5) for n in (1, 2, 3)),
        *(("down", n / 5) for n in (2, 1, 0, 0)),
        *(("up", n / 5) for n in (1, 2, 3, 4, 5, 5)),
    ]:
        circuit[key].press(duration_ms=40)
        bench.run_for(100)
        assert circuit["lamp"].brightness == pytest.approx(due, abs=0.01)
