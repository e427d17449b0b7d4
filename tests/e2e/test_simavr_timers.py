"""Timers of simulated AVR boards: what they count, and when they interrupt."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.model import Level
from tests.e2e.avr_firmware import avr_image, boot, simavr

if TYPE_CHECKING:
    from tests.e2e.avr_firmware import Boot

__all__ = ["avr_image", "boot", "simavr"]

CPU_MHZ = 16


def intervals_us(boot: Boot, setup: str, vector: str, each: str = "") -> list[int]:
    """Return the time between interrupts in 50 ms, or 40 of the first ones."""
    flags = (f"-DSETUP={setup}", f"-DVECTOR={vector}", f"-DEACH={each}")
    board = boot("timers", *flags)
    board.advance(50)
    edges = [each.at_us for each in board.pin_trace().events if each.pin == "D13"]
    return [after - before for before, after in pairwise(edges[1:42])]


PHASE_AND_FREQUENCY = "TCCR1A=0;TCCR1B=_BV(WGM13)|_BV(CS11);"
FAST_ICR = "TCCR1A=_BV(WGM11);TCCR1B=_BV(WGM13)|_BV(WGM12)|_BV(CS11);"


@pytest.mark.parametrize(
    ("setup", "vector", "cycles"),
    [
        ("TCCR1A=1;TCCR1B=2;TIMSK1=1", "TIMER1_OVF_vect", 510 * 8),
        ("TCCR1A=2;TCCR1B=2;TIMSK1=1", "TIMER1_OVF_vect", 1022 * 8),
        ("TCCR1A=3;TCCR1B=2;TIMSK1=1", "TIMER1_OVF_vect", 2046 * 8),
        ("TCCR2A=1;TCCR2B=4;TIMSK2=1", "TIMER2_OVF_vect", 510 * 64),
        ("TCCR2A=1;TCCR2B=12;OCR2A=100;TIMSK2=1", "TIMER2_OVF_vect", 200 * 64),
        (f"ICR1=1000;{PHASE_AND_FREQUENCY}TIMSK1=1", "TIMER1_OVF_vect", 2000 * 8),
        (f"{PHASE_AND_FREQUENCY}ICR1=1000;TIMSK1=1", "TIMER1_OVF_vect", 2000 * 8),
        ("TCCR1A=1;TCCR1B=18;OCR1A=700;TIMSK1=1", "TIMER1_OVF_vect", 1400 * 8),
        ("TCCR1A=2;TCCR1B=18;ICR1=700;TIMSK1=1", "TIMER1_OVF_vect", 1400 * 8),
        ("TCCR1A=3;TCCR1B=18;OCR1A=700;TIMSK1=1", "TIMER1_OVF_vect", 1400 * 8),
        (f"{FAST_ICR}ICR1=1999;TIMSK1=1", "TIMER1_OVF_vect", 2000 * 8),
        (f"{FAST_ICR}ICR1=1999;TIMSK1=32", "TIMER1_CAPT_vect", 2000 * 8),
        ("TCCR1A=3;TCCR1B=26;OCR1A=999;TIMSK1=2", "TIMER1_COMPA_vect", 1000 * 8),
        ("TCCR1A=0;TCCR1B=26;ICR1=1499;TIMSK1=32", "TIMER1_CAPT_vect", 1500 * 8),
        ("TCCR1B=9;OCR1A=15999;TIMSK1=2", "TIMER1_COMPA_vect", 16_000),
        ("TCCR0A=2;TCCR0B=3;OCR0A=249;TIMSK0=2", "TIMER0_COMPA_vect", 250 * 64),
        ("TCCR0A=1;TCCR0B=3;TIMSK0=1", "TIMER0_OVF_vect", 510 * 64),
        ("TCCR2A=3;TCCR2B=12;OCR2A=199;TIMSK2=1", "TIMER2_OVF_vect", 200 * 64),
    ],
)
def test_an_interrupt_comes_as_often_as_the_data_sheet_says(
    boot: Boot, setup: str, vector: str, cycles: int
) -> None:
    """ATmega328P, 15.7, 16.9 and 18.7: 2 * TOP counts when it counts up and down.

    TOP + 1 else (tables 15-8, 16-4, 18-8); 16 MHz.
    """
    intervals = intervals_us(boot, setup, vector)
    mean_us = sum(intervals) / len(intervals)
    assert mean_us == pytest.approx(cycles / CPU_MHZ, rel=0.005)
    assert max(intervals) - min(intervals) <= 2


def test_a_timer_that_starts_at_a_compare_value_of_zero_interrupts(boot: Boot) -> None:
    setup = "TCCR1B=9;TIMSK1=2"
    intervals = intervals_us(boot, setup, "TIMER1_COMPA_vect", "OCR1A=15999")
    assert intervals[2:] == [1_000] * (len(intervals) - 2)
    assert len(intervals) > 38


def test_a_match_comes_on_the_way_up_and_on_the_way_down(boot: Boot) -> None:
    """ATmega328P, 16.9.5: matches while counting up and while counting down."""
    setup = f"ICR1=1000;OCR1B=250;{PHASE_AND_FREQUENCY}TIMSK1=4"
    intervals = intervals_us(boot, setup, "TIMER1_COMPB_vect")
    ways = sorted(intervals[:2])
    assert ways == pytest.approx([250, 750], abs=2)
    assert set(intervals[2::2]) <= {intervals[0] - 1, intervals[0], intervals[0] + 1}


@pytest.mark.parametrize(
    ("setup", "vector", "each", "cycles"),
    [
        ("TCCR2B=5;TIMSK2=1", "TIMER2_OVF_vect", "TCNT2=256-125", 125 * 128),
        ("TCCR2B=5;TIMSK2=1", "TIMER2_OVF_vect", "TCNT2=256-6", 6 * 128),
        ("TCCR1B=2;TIMSK1=1", "TIMER1_OVF_vect", "TCNT1=65536-2000", 2_000 * 8),
        ("TCNT2=131;TCCR2B=5;TIMSK2=1", "TIMER2_OVF_vect", "TCNT2=131", 125 * 128),
    ],
)
def test_a_counter_goes_on_from_what_is_written_to_it(
    boot: Boot, setup: str, vector: str, each: str, cycles: int
) -> None:
    """MAX + 1 less what is preloaded, and not what simavr scales that to."""
    intervals = intervals_us(boot, setup, vector, each)
    mean_us = sum(intervals) / len(intervals)
    assert mean_us == pytest.approx(cycles / CPU_MHZ, rel=0.005, abs=0.6)


def test_a_compare_value_may_move_ahead_of_the_counter(boot: Boot) -> None:
    setup = "TCCR1B=2;OCR1A=3000;TIMSK1=2"
    intervals = intervals_us(boot, setup, "TIMER1_COMPA_vect", "OCR1A+=3000")
    assert intervals == [1_500] * len(intervals)
    assert len(intervals) > 20


def test_in_a_pwm_mode_a_compare_value_waits_for_its_turn(boot: Boot) -> None:
    """ATmega328P, 16.9.3: OCR1x is taken over at BOTTOM; mode 14, TOP 1999 at /8."""
    setup = f"ICR1=1999;OCR1A=1000;{FAST_ICR}TIMSK1=2"
    each = "OCR1A=OCR1A==1000?1500:1000"
    intervals = intervals_us(boot, setup, "TIMER1_COMPA_vect", each)
    assert sorted(set(intervals)) == pytest.approx([750, 1_250], abs=1)


COUNTS = {
    "TOP": (
        "TCCR1A=1;TCCR1B=3;for(uint16_t i=0;i<4000;i++){uint16_t n=TCNT1;if(n>a)a=n;}",
        255,
    ),
    "STOPPED": ("TCCR1B=1;CYCLES(1000);TCCR1B=0;CYCLES(500);a=TCNT1", 1000),
    "GOES_ON": ("TCNT1=500;TCCR1B=1;CYCLES(100);a=TCNT1", 600),
    "WRITTEN": ("TCCR2A=2;OCR2A=249;TCCR2B=4;TCNT2=200;CYCLES(64*20);a=TCNT2", 220),
    "ONE_FLAG": ("TCCR1B=1;OCR1A=9;CYCLES(70000);TIFR1=_BV(OCF1A);a=TIFR1", 5),
    "ONE_BIT": ("TCCR1B=1;OCR1A=9;CYCLES(70000);TIFR1|=_BV(OCF1A);a=TIFR1", 5),
    "NO_FLAG": ("TCCR1B=1;CYCLES(70000);TIFR1=0;a=TIFR1", 7),
    "MISSED": ("TCCR1B=9;OCR1A=999;CYCLES(500);OCR1A=100;CYCLES(64000);a=TCNT1", 64500),
    "PHASE": ("TCCR1A=0;ICR1=1000;TCCR1B=17;CYCLES(1500);a=TCNT1", 500),
    "ENABLED_LATE": ("TCCR1B=1;CYCLES(70000);TIMSK1=1;TIMSK1=0;a=TIFR1&1", 1),
}


@pytest.mark.parametrize(("code", "seen"), COUNTS.values(), ids=COUNTS)
def test_the_firmware_reads_what_the_chip_would_show(
    boot: Boot, code: str, seen: int
) -> None:
    """ATmega328P, chapters 15 and 16; reading itself takes some cycles."""
    board = boot("counts", f"-DCODE={code}")
    board.advance(40)
    said = b"".join(chunk.data for chunk in board.link().receive())
    shown = int(said.split()[1])
    assert abs(shown - seen) <= (12 if seen > 400 else 0)


def test_an_interrupt_whose_flag_is_up_comes_when_it_is_switched_on(boot: Boot) -> None:
    """ATmega328P, 16.11.8: it is executed when TOV1 is set and TOIE1 becomes so."""
    setup = "TCCR1B=1;__builtin_avr_delay_cycles(70000);TCCR1B=0;TIMSK1=1"
    board = boot("timers", f"-DSETUP={setup}", "-DVECTOR=TIMER1_OVF_vect")
    board.advance(20)
    edges = [each for each in board.pin_trace().events if each.pin == "D13"]
    assert [each.level for each in edges] == [Level.LOW, Level.HIGH]


def test_a_timer_that_clears_on_a_match_does_not_overflow(boot: Boot) -> None:
    """ATmega328P, table 16-4: in mode 4 TOV1 is set at MAX."""
    setup = "OCR1A=999;TCCR1B=9;TIMSK1=1"
    board = boot("timers", f"-DSETUP={setup}", "-DVECTOR=TIMER1_OVF_vect")
    board.advance(20)
    assert sum(each.pin == "D13" for each in board.pin_trace().events) == 1


def test_an_edge_is_captured_also_of_a_counter_that_was_written(boot: Boot) -> None:
    setup = (
        "TCNT1=10000;TCCR1B=_BV(ICES1)|_BV(CS11)|_BV(CS10);while(!(TIFR1&_BV(ICF1))){}"
    )
    board = boot("counts", f"-DCODE={setup};a=ICR1")
    board.advance(9)
    board.drive_pin("D8", Level.HIGH)
    board.advance(5)
    said = b"".join(chunk.data for chunk in board.link().receive())
    assert int(said.split()[1]) == pytest.approx(10_000 + 9_000 / 4, abs=5)


def test_the_megas_timers_count_alike(boot: Boot) -> None:
    for n in (1, 3, 4, 5):
        setup = f"DDRB=_BV(7);TCCR{n}A=2;TCCR{n}B=18;ICR{n}=700;TIMSK{n}=1"
        flags = (
            f"-DSETUP={setup}",
            f"-DVECTOR=TIMER{n}_OVF_vect",
            "-DEACH=PINB=_BV(7)",
        )
        board = boot("timers", *flags, board="mega")
        board.advance(50)
        edges = [each.at_us for each in board.pin_trace().events if each.pin == "D13"]
        assert edges[11] - edges[1] == pytest.approx(7_000, rel=0.001)


def test_a_reset_leaves_nothing_of_a_timer_of_ours(boot: Boot) -> None:
    setup = f"ICR1=1000;{PHASE_AND_FREQUENCY}TIMSK1=1"
    board = boot("timers", f"-DSETUP={setup}", "-DVECTOR=TIMER1_OVF_vect")
    board.advance(10)
    before = [each for each in board.pin_trace().events if each.pin == "D13"]
    board.reset()
    board.advance(10)
    after = [each for each in board.pin_trace().events if each.pin == "D13"]
    again = after[len(before) :]
    edges = [each.at_us - 10_000 for each in again if each.at_us > 10_000]
    assert edges == [each.at_us for each in before][-len(edges) :]
