"""Distance in words, two lamps, and a horn below 20 cm."""

import pytest

from pytest_embedbench import Level

PLACES = (  # cm, near, far, horn in Hz
    (150, Level.LOW, Level.HIGH, 0),
    (70, Level.LOW, Level.LOW, 0),
    (35, Level.HIGH, Level.LOW, 0),
    (12, Level.HIGH, Level.LOW, 1000),
)


@pytest.mark.esr(module="HC-SR04")
def test_it_says_how_far_it_is(circuit, bench):
    for distance, near, far, horn in PLACES:
        circuit["sonar"].set(distance=distance)
        bench.run_for(180)
        bench.uart.skip()
        said = bench.expect(r"^(\d+) cm$", within_ms=200)
        assert int(said[1]) == pytest.approx(distance, abs=1)
        assert circuit.level("near:A") is near
        assert circuit.level("far:A") is far
        assert circuit["horn"].tone_hz == pytest.approx(horn, rel=0.01)
