"""Sleep modes of simulated AVR boards: which clocks stop, and what wakes the core.

Source: ATmega328P data sheet, table 10-1; watchdog periods, table 11-2 (2048 cycles of
128 kHz, which is 16 ms, times a power of 2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.model import Level
from tests.e2e.avr_firmware import avr_image, boot, simavr

if TYPE_CHECKING:
    from tests.e2e.avr_firmware import Boot, SimavrBoard

__all__ = ["avr_image", "boot", "simavr"]

TIMER_1 = "OCR1A=15624;TCCR1B=_BV(WGM12)|_BV(CS10);TIMSK1=_BV(OCIE1A);"
"""An interrupt about every millisecond."""
ASYNCHRONOUS = "ASSR=_BV(AS2);TCCR2B=_BV(CS22)|_BV(CS20);TIMSK2=_BV(TOIE2);"
"""One every second: 32768 Hz / 128 / 256."""
DEEP = ["PWR_DOWN", "PWR_SAVE", "STANDBY", "EXT_STANDBY"]


def asleep(
    boot: Boot, mode: str, setup: str, before: str = "", after: str = ""
) -> SimavrBoard:
    flags = f"-DMODE=SLEEP_MODE_{mode}", f"-DSETUP={setup}"
    return boot("sleeps", *flags, f"-DBEFORE={before}", f"-DAFTER={after}")


def heard(board: SimavrBoard, duration_ms: int) -> str:
    board.advance(duration_ms)
    return b"".join(each.data for each in board.link().receive()).decode()


def wakes_us(board: SimavrBoard) -> list[int]:
    """Return when it woke."""
    events = board.pin_trace().events
    return [e.at_us for e in events if e.pin == "D13" and e.level is Level.HIGH]


@pytest.mark.parametrize("mode", DEEP)
def test_a_deep_sleep_stops_the_timers_and_the_watchdog_ends_it(
    boot: Boot, mode: str
) -> None:
    board = asleep(boot, mode, f"{TIMER_1}watch(6)")
    assert heard(board, 3_200) == "WWW"
    first, second, third = wakes_us(board)
    assert (third - first) / 2 == pytest.approx(1_024_000, rel=0.005)
    assert second - first == pytest.approx(1_024_000, rel=0.005)


def test_idle_goes_on_with_all_clocks(boot: Boot) -> None:
    board = asleep(boot, "IDLE", TIMER_1)
    assert heard(board, 100) == "1" * 102


def test_a_count_goes_on_after_a_sleep_from_where_it_stood(boot: Boot) -> None:
    say = 'uint16_t n = TCNT1; say_value(" ", n)'
    board = asleep(boot, "PWR_DOWN", "TCCR1B=_BV(CS12);watch(0)", "TCNT1=0", say)
    first = heard(board, 17).split()[0]
    assert int(first) <= 1
    # It was 16 ms: 1000 counts of 16 us would have gone by.


def test_a_timer_of_the_arduino_core_goes_on_after_a_sleep(boot: Boot) -> None:
    setup = "TCCR0A=3;TCCR0B=3;TIMSK0=0;watch(0)"
    say = 'uint8_t n = TCNT0; say_value(" ", n)'
    board = asleep(boot, "PWR_DOWN", setup, "_delay_us(400)", say)
    counts = [int(word) for word in heard(board, 60).split() if word != "W"]
    # 1.024 ms for 256 counts: in three times 16 ms it would have come round 46 times.
    assert counts[0] == pytest.approx(100, abs=2)


@pytest.mark.parametrize("mode", DEEP)
def test_a_pin_wakes_it_at_once(boot: Boot, mode: str) -> None:
    board = asleep(boot, mode, "PCICR=1;PCMSK0=1")
    assert heard(board, 50) == ""
    board.drive_pin("D8", Level.HIGH)
    assert heard(board, 50) == "P"
    board.drive_pin("D8", Level.LOW)
    assert heard(board, 50) == "P"
    assert wakes_us(board) == pytest.approx([50_000, 100_000], abs=5)


@pytest.mark.parametrize(
    ("mode", "wakes"),
    [("PWR_DOWN", ""), ("PWR_SAVE", "2"), ("STANDBY", ""), ("EXT_STANDBY", "2")],
)
def test_timer_2_goes_on_with_a_crystal_of_its_own(
    boot: Boot, mode: str, wakes: str
) -> None:
    board = asleep(boot, mode, ASYNCHRONOUS)
    assert heard(board, 3_100) == wakes * 3
    if wakes:
        first, _, third = wakes_us(board)
        assert (third - first) / 2 == pytest.approx(1_000_000, rel=0.005)


def test_an_adc_noise_reduction_sleep_starts_a_conversion(boot: Boot) -> None:
    """ATmega328P, 23.7; 25 ADC clocks for the first one and 13 after that."""
    board = asleep(boot, "ADC", f"{TIMER_1}ADCSRA=_BV(ADEN)|_BV(ADIE)|7")
    said = heard(board, 20)
    assert set(said) == {"A"}
    # 13 clocks of 8 us, and a byte of 85 us that says so.
    assert len(said) == pytest.approx(20_000 / (104 + 86), abs=3)


def test_a_uart_stops_in_the_middle_of_a_byte_and_hears_nothing(boot: Boot) -> None:
    board = asleep(boot, "PWR_DOWN", "UCSR0B|=_BV(RXCIE0);watch(0)", "put('x')")
    # What it says as it falls asleep comes when it is awake again, before the W.
    assert heard(board, 10) == ""
    board.link().send(b"lost")
    assert heard(board, 30) == "xWxW"
    assert "serial0 lost 4 bytes" in board.notes[0]


def test_of_a_firmware_that_sleeps_the_mode_is_told(boot: Boot) -> None:
    board = asleep(boot, "PWR_DOWN", TIMER_1)
    board.advance(20)
    assert board.position.startswith("the firmware sleeps (power-down) at 0x")


def test_a_reset_ends_a_deep_sleep_and_all_clocks_go(boot: Boot) -> None:
    board = asleep(boot, "PWR_DOWN", f"watch(6);{TIMER_1}_delay_ms(5)", "", "")
    board.advance(100)
    board.reset()
    assert heard(board, 1_100) == "W"


def test_a_firmware_that_lives_on_its_timer_does_not_wake_from_power_down(
    boot: Boot,
) -> None:
    board = boot("line", "-DMODE=SLEEP_MODE_PWR_DOWN")
    board.advance(10)
    board.link().send(b"SENSE LEVEL 20\n")
    assert heard(board, 500) == "BOOT"  # and with it the transmitter
