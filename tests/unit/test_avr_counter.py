"""How an AVR's timer counts, against one that goes clock by clock."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from pytest_embedbench.engines.simavr.core.counter import (
    CTC,
    DUAL,
    DUAL_AT_BOTTOM,
    FAST,
    NORMAL,
    Counter,
)

DIVISOR = 8
MAXIMUM = 15


@dataclass
class Clocked:
    """A counter of 4 bits as the data sheet's block diagrams have it.

    ATmega328P, 16.9: it counts to MAX or TOP and begins anew, or turns round at TOP and
    at BOTTOM; what was reached is flagged by the next clock.
    """

    kind: int
    top: int
    count: int = 0
    falls: bool = False

    def clock(self) -> bool:
        """Go on by one; return whether TOV is set."""
        if self.kind >= DUAL:
            if self.count >= self.top:
                self.falls = True
            elif self.count == 0:
                self.falls = False
            self.count += -1 if self.falls else 1
            return self.count == 0
        at_end = self.count in (self.top, MAXIMUM)
        overflows = at_end and (self.kind == FAST or self.count == MAXIMUM)
        self.count = 0 if at_end else self.count + 1
        return overflows


SETTINGS = [
    (kind, top, start)
    for kind in (NORMAL, CTC, FAST, DUAL, DUAL_AT_BOTTOM)
    for top in ((MAXIMUM,) if kind == NORMAL else (3, 9, MAXIMUM))
    for start in (0, 2, 3, 12)
    if kind < DUAL or start <= top
]


def counter_of(kind: int, top: int, start: int) -> Counter:
    counter = Counter(MAXIMUM)
    counter.change(0, DIVISOR, kind, top)
    counter.write(0, start)
    return counter


@pytest.mark.parametrize(("kind", "top", "start"), SETTINGS)
def test_it_counts_overflows_and_matches_clock_by_clock(
    kind: int, top: int, start: int
) -> None:
    counter, chip = counter_of(kind, top, start), Clocked(kind, top, start)
    overflow = match = 0
    for tick in range(1, 80):
        reached = chip.count
        overflows = chip.clock()
        now = tick * DIVISOR
        assert counter.count(now) == chip.count
        assert counter.count(now + DIVISOR - 1) == chip.count
        assert (counter.next_overflow(now - 1) == now) == overflows, tick
        for compare in range(MAXIMUM + 1):
            matches = counter.next_match(now - 1, compare) == now
            assert matches == (compare == reached), (tick, compare)
        overflow += overflows
        match += reached == 2
    assert match
    assert overflow or kind == CTC


def test_a_counter_without_a_clock_stands_still_and_can_be_written() -> None:
    counter = Counter(MAXIMUM)
    counter.write(5, 7)
    assert counter.count(10_000) == 7
    assert counter.next_overflow(5) is None
    assert counter.next_match(5, 7) is None
    counter.change(100, DIVISOR, NORMAL, MAXIMUM)
    assert counter.count(100 + DIVISOR) == 8


def test_a_new_top_below_the_count_is_missed_until_it_has_come_round() -> None:
    counter = counter_of(CTC, 9, 0)
    counter.change(6 * DIVISOR, DIVISOR, CTC, 4)
    counts = [counter.count(tick * DIVISOR) for tick in range(6, 24)]
    assert counts == [*range(6, 16), *range(5), *range(3)]
    assert counter.next_overflow(6 * DIVISOR) == 16 * DIVISOR


@pytest.mark.parametrize(
    ("kind", "counts"), [(FAST, 10), (DUAL, 9), (DUAL_AT_BOTTOM, 18), (CTC, None)]
)
def test_buffered_compares_are_taken_over_at_top_or_bottom(
    kind: int, counts: int | None
) -> None:
    update = counter_of(kind, 9, 0).next_update(0)
    assert update == (None if counts is None else counts * DIVISOR)


def test_the_phase_of_the_prescaler_is_kept_as_long_as_it_divides_alike() -> None:
    counter = counter_of(NORMAL, MAXIMUM, 0)
    counter.write(3, 5)
    assert counter.count(7) == 5
    assert counter.count(8) == 6
    counter.change(20, 64, NORMAL, MAXIMUM)
    assert counter.count(20 + 63) == 7
    assert counter.count(20 + 64) == 8


def test_time_in_which_its_clock_stands_does_not_count() -> None:
    counter = counter_of(DUAL, 9, 0)
    before = counter.count(100)
    counter.delay(1_000_003)
    assert counter.count(100 + 1_000_003) == before
