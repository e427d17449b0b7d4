"""Four switches are a binary number, the first the lowest."""

import pytest

from pytest_embedbench import exact


@pytest.mark.esr(module="DIP switch")
def test_the_switches_are_a_number(circuit, bench):
    bench.expect(exact("0"), within_ms=200)
    for number in (1, 2, 4, 8, 11, 6):
        for n in range(4):
            circuit["dip"].set(**{f"switch{n + 1}": number >> n & 1})
        bench.expect(exact(str(number)), within_ms=100)
