"""The first column is lit from below, as high as the knob stands."""

import pytest

from pytest_embedbench import Level


@pytest.mark.esr(module="SSD1306")
def test_the_column_follows_the_knob(circuit, bench):
    bench.run_for(200)
    for pages, lamp in (
        (3, Level.LOW),
        (7, Level.LOW),
        (0, Level.LOW),
        (7.99, Level.HIGH),
    ):
        circuit["level"].set(position=min(1, (pages + 0.3) / 8))
        bench.run_for(80)
        column = [bool(row[0]) for row in circuit["oled"].pixels]
        assert column == [row >= 64 - 8 * int(pages) for row in range(64)]
        assert circuit.level("full:A") is lamp
