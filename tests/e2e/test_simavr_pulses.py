"""Inputs of simulated AVR boards that change between two milliseconds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.model import Level
from tests.e2e.avr_firmware import avr_image, boot, simavr

if TYPE_CHECKING:
    from tests.e2e.avr_firmware import Boot, SimavrBoard

__all__ = ["avr_image", "boot", "simavr"]

MEASURE = "while(!(PINB&1)){}TCCR1B=2;while(PINB&1){}a=TCNT1"
"""The length of the first pulse on D8, in half microseconds."""


def said(board: SimavrBoard) -> list[str]:
    return b"".join(each.data for each in board.link().receive()).decode().split()


def edges(board: SimavrBoard, pin: str) -> list[tuple[int, Level]]:
    return [(e.at_us, e.level) for e in board.pin_trace().events if e.pin == pin]


@pytest.mark.parametrize("step_ms", [1, 7, 50])
@pytest.mark.parametrize("width_us", [10, 151, 1_500, 29_003])
def test_a_pulse_is_as_long_as_it_was_given(
    boot: Boot, width_us: int, step_ms: int
) -> None:
    board = boot("counts", f"-DCODE={MEASURE}")
    board.drive_pin("D8", Level.LOW)
    board.drive_pulses("D8", [width_us], at_us=3_333)
    while board.now_us() < 50_000:
        board.advance(step_ms)
    assert int(said(board)[1]) == pytest.approx(2 * width_us, abs=3)
    assert edges(board, "D8") == [
        (0, Level.LOW),
        (3_333, Level.HIGH),
        (3_333 + width_us, Level.LOW),
    ]


def test_a_pin_can_be_driven_at_a_moment_to_come(boot: Boot) -> None:
    board = boot("counts", f"-DCODE={MEASURE}")
    board.drive_pin("D8", Level.LOW, at_us=2_500)
    board.drive_pin("D8", Level.HIGH, at_us=1_250)
    board.drive_pin("D8", Level.FLOATING, at_us=5_001)
    board.advance(10)
    assert edges(board, "D8") == [
        (1_250, Level.HIGH),
        (2_500, Level.LOW),
        (5_001, Level.FLOATING),
    ]


def test_a_train_alternates_and_then_lets_go(boot: Boot) -> None:
    board = boot("counts", f"-DCODE={MEASURE}")
    board.advance(1)
    train = [80, 80, 50, 26, 50, 70]
    board.drive_pulses("D8", train, first=Level.LOW, then=Level.FLOATING)
    board.advance(5)
    seen = edges(board, "D8")
    assert [at_us for at_us, _ in seen] == [
        1_000 + sum(train[:n]) for n in range(len(train) + 1)
    ]
    assert [level for _, level in seen] == [Level.LOW, Level.HIGH] * 3 + [
        Level.FLOATING
    ]


def test_two_trains_run_at_once_and_a_reset_does_not_stop_them(boot: Boot) -> None:
    board = boot("counts", f"-DCODE={MEASURE}")
    board.drive_pulses("D9", [700] * 9)
    board.drive_pulses("D10", [1_100] * 5, at_us=50)
    board.advance(2)
    board.reset()
    board.advance(8)
    assert [at_us for at_us, _ in edges(board, "D9")] == list(range(0, 7_000, 700))
    assert [at_us for at_us, _ in edges(board, "D10")] == list(range(50, 6_000, 1_100))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ({"at_us": 999}, "at_us = 999 has passed: it is 1000 us since boot now"),
        ({"at_us": 1.5e6}, r"at_us = 1500000\.0: must be whole microseconds"),
        ({"durations_us": [5, 0]}, "lasts whole microseconds, 1 or more: 0"),
        ({"durations_us": []}, "none at all"),
        ({"durations_us": [0.5]}, r"1 or more: 0\.5"),
        ({"first": Level.FLOATING}, r"begin with Level\.LOW or HIGH"),
        ({"pin": "D99"}, "no pin 'D99'"),
    ],
)
def test_a_train_that_cannot_be_is_refused(
    boot: Boot, call: dict[str, Any], words: str
) -> None:
    board = boot("counts", f"-DCODE={MEASURE}")
    board.advance(1)
    arguments: dict[str, Any] = {"pin": "D8", "durations_us": [10], **call}
    with pytest.raises(ConfigError, match=words):
        board.drive_pulses(**arguments)


def test_a_timer_counts_the_edges_of_its_clock_pin(boot: Boot) -> None:
    """ATmega328P, table 16-5: CS12:0 = 7 counts rising edges of T1, which is D5."""
    board = boot("counts", "-DCODE=TCCR1B=7;_delay_ms(30);a=TCNT1")
    board.drive_pin("D5", Level.LOW)
    board.drive_pulses("D5", [37] * 401, at_us=2_000)
    board.advance(50)
    assert said(board) == ["A", "201"]
