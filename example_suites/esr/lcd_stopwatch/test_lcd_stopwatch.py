"""A button starts, stops and clears what the display counts."""

import pytest


@pytest.mark.esr(module="LCD1602")
def test_it_counts_between_two_presses(circuit, bench):
    def rows():
        return [row.rstrip() for row in circuit["lcd"].text]

    bench.run_for(120)
    assert rows() == ["Stopwatch", "0.0 s"]
    circuit["go"].press(duration_ms=60)
    bench.run_for(700)
    assert rows() == ["Stopwatch", "0.7 s"]
    circuit["go"].press(duration_ms=60)
    bench.run_for(300)
    assert rows()[1] in ("0.7 s", "0.8 s")
    circuit["go"].press(duration_ms=60)
    bench.run_for(60)
    assert rows() == ["Stopwatch", "0.0 s"]
