"""Where a flood and a burst begin: on both sides of each limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.bench.bursts import bursts
from pytest_embedbench.bench.guards import FloodMeter
from pytest_embedbench.errors import FirmwareFlood
from pytest_embedbench.model import Direction, Line

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from pytest_embedbench.bench.bench import Bench
    from pytest_embedbench.testing import Firmware, LoopbackUart

BAUD_BPS = 100_000
"""Ten bits a byte: 10,000 bytes a second."""


def metered(*heard: tuple[int, int]) -> FloodMeter:
    """Return a meter that has heard so many bytes by each time in us."""
    meter = FloodMeter(BAUD_BPS)
    for heard_bytes, now_us in heard:
        meter.count(heard_bytes, now_us)
    return meter


@pytest.mark.parametrize(
    ("heard", "is_flood"),
    [
        ([(9_500, 1_000_000)], True),
        ([(9_499, 1_000_000)], False),
        ([(9_500, 999_999)], False),
        ([(9_501, 1_000_001)], True),
        ([(9_500, 1_000_001)], False),
        ([(5_000, 500_000), (4_500, 1_000_000)], True),
        ([(5_000, 500_000), (4_499, 1_000_000)], False),
        ([(19_000, 2_000_000)], True),
        ([(18_999, 2_000_000)], False),
        ([(0, 1_000_000), (9_500, 2_000_000)], True),
        ([(0, 1_000_000), (9_500, 1_999_999)], False),
        ([(9_500, 1_000_000), (9_499, 2_000_000)], False),
        ([(9_500, 1_000_000), (0, 1_999_999)], True),
    ],
)
def test_a_flood_is_95_percent_of_a_whole_second(
    heard: list[tuple[int, int]], *, is_flood: bool
) -> None:
    assert (metered(*heard).flood is not None) is is_flood


def test_a_flood_says_how_much_of_what() -> None:
    assert str(metered((0, 1_000_000), (9_750, 2_000_000)).flood) == (
        "the firmware never stops talking: 9750 bytes in the 1.000 s up to 2.000000 s, "
        "98% of what 100000 baud can carry"
    )


def test_a_flood_is_told_once(bench_with: Callable[[Firmware], Bench]) -> None:
    def flooding_for_a_second(uart: LoopbackUart) -> Generator[int, None, None]:
        for _ in range(100):
            uart.write(b"x" * 119 + b"\n")
            yield 10

    bench = bench_with(flooding_for_a_second)
    with pytest.raises(FirmwareFlood):
        bench.run_for(1_000)
    bench.run_for(900)


def line(at_us: int) -> Line:
    return Line(at_us, Direction.FROM_FIRMWARE, b"ACT PUMP ON")


@pytest.mark.parametrize(
    ("stamps_us", "expected"),
    [
        ([], []),
        ([7], [[7]]),
        ([0, 9_999], [[0, 9_999]]),
        ([0, 10_000], [[0], [10_000]]),
        ([0, 10_001], [[0], [10_001]]),
        ([0, 6_000, 12_000, 18_000], [[0, 6_000, 12_000, 18_000]]),
        ([0, 0, 10_000, 19_999, 29_999], [[0, 0], [10_000, 19_999], [29_999]]),
    ],
)
def test_a_burst_ends_with_a_pause_of_10_ms(
    stamps_us: list[int], expected: list[list[int]]
) -> None:
    found = bursts([line(at_us) for at_us in stamps_us])
    assert [[each.at_us for each in burst] for burst in found] == expected
