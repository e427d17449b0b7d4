"""Red pixels up to where the knob stands, green ones behind."""

import pytest


@pytest.mark.esr(module="NeoPixel")
def test_pixels_follow_the_knob(circuit, bench):
    for lit in (3, 0, 8, 5):
        circuit["hue"].set(position=(lit + 0.5) / 9)
        bench.run_for(60)
        assert [tuple(pixel) for pixel in circuit["strip"].pixels] == [
            (80, 0, n) if n < lit else (0, 20, n) for n in range(8)
        ]
