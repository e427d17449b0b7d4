"""x from -100 (left) to 100, y from -100 (down) to 100, and the button."""

import pytest


@pytest.mark.esr(module="joystick")
def test_it_says_where_the_stick_is(circuit, bench):
    for x, y, pressed in ((0, 0, 0), (-1, 0.5, 1), (0.5, -1, 0), (0.2, 0.8, 1)):
        circuit["stick"].set(x=x, y=y, pressed=pressed)
        bench.run_for(60)
        bench.uart.skip()
        said = bench.expect(r"^x=(-?\d+) y=(-?\d+)( pressed)?$", within_ms=100)
        assert int(said[1]) == pytest.approx(-100 * x, abs=2)
        assert int(said[2]) == pytest.approx(100 * y, abs=2)
        assert bool(said[3]) == pressed
