"""Letters choose how bright red, green and blue are."""

import pytest

MOODS = {"s": (255, 64, 0), "g": (0, 128, 0), "n": (16, 0, 192), "o": (0, 0, 0)}


@pytest.mark.esr(module="RGB LED")
def test_a_letter_chooses_the_colour(circuit, bench):
    bench.expect("^ready$", within_ms=500)
    for letter, levels in MOODS.items():
        bench.send(letter)
        bench.run_for(60)
        seen = circuit["mood"].rgb
        assert seen == pytest.approx([level / 255 for level in levels], abs=0.02)
