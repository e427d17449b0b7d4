"""Pins of simulated AVR boards: driven, measured, and seen."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.errors import ConfigError, NotSupported
from pytest_embedbench.model import Level, PinEvent
from tests.e2e.avr_firmware import avr_image, boot, simavr

if TYPE_CHECKING:
    from pytest_embedbench.engines.simavr import SimavrBoard
    from tests.e2e.avr_firmware import Boot

__all__ = ["avr_image", "boot", "simavr"]


def heard(board: SimavrBoard, duration_ms: int) -> bytes:
    """Let time pass; return what was said."""
    board.advance(duration_ms)
    return b"".join(chunk.data for chunk in board.link().receive())


@pytest.mark.parametrize(
    ("level", "read"), [(Level.LOW, b"0"), (Level.HIGH, b"1"), (Level.FLOATING, b"1")]
)
def test_a_driven_pin_stays_driven_against_its_pull_up(
    boot: Boot, level: Level, read: bytes
) -> None:
    board = boot("pins")
    board.drive_pin("D8", level)
    assert heard(board, 60) == read * 5 + b"\n"


def test_a_pin_can_change_hands_while_the_firmware_runs(boot: Boot) -> None:
    board = boot("pins")
    said = heard(board, 15)
    board.drive_pin("D8", Level.LOW)
    said += heard(board, 20)
    board.drive_pin("D8", Level.FLOATING)
    said += heard(board, 25)
    assert said == b"10011\n"


def test_the_pin_trace_tells_edges_in_microseconds(boot: Boot) -> None:
    board = boot("pins")
    board.advance(60)
    events = [event for event in board.pin_trace().events if event.pin == "D13"]
    levels = [event.level for event in events]
    assert levels == [Level.LOW, *[Level.HIGH, Level.LOW] * 3, Level.FLOATING]
    edges_us = [event.at_us for event in events[1:6]]
    assert all(10_000 <= b - a <= 10_010 for a, b in pairwise(edges_us))


def test_a_pin_floats_until_the_firmware_or_somebody_else_drives_it(boot: Boot) -> None:
    board = boot("pins")
    board.drive_pin("D7", Level.HIGH)
    board.advance(60)
    trace = board.pin_trace()
    assert trace.level_at("D6", 60_000) is Level.FLOATING
    assert trace.events[0] == PinEvent(0, "D7", Level.HIGH)
    assert trace.level_at("D8", 30_000) is Level.HIGH  # pulled up
    assert trace.level_at("D8", 60_000) is Level.FLOATING
    assert trace.level_at("D13", 60_000) is Level.FLOATING


@pytest.mark.parametrize(
    ("millivolts", "code"), [(0, 0), (2_500, 512), (4_995, 1022), (5_000, 1023)]
)
def test_half_the_supply_is_half_the_adcs_range(
    boot: Boot, millivolts: int, code: int
) -> None:
    board = boot("adc", "-DCHANNEL=3", "-DREFERENCE=1")
    board.set_analog("A3", millivolts)
    assert heard(board, 5).split(b"\n")[0] == b"ADC %d" % code


def test_the_adc_knows_its_internal_reference_and_its_alignment(boot: Boot) -> None:
    board = boot("adc", "-DCHANNEL=0", "-DREFERENCE=3", "-DLEFT")
    board.set_analog("A0", 550)
    assert heard(board, 5).split(b"\n")[:2] == [b"ADC 512", b"HIGH 128"]


def test_the_supply_of_a_board_is_an_option(boot: Boot) -> None:
    board = boot("adc", "-DCHANNEL=0", "-DREFERENCE=1", vcc_mv=3_300)
    board.set_analog("A0", 1_650)
    assert heard(board, 5).startswith(b"ADC 512\n")


def test_the_mega_has_sixteen_analog_pins(boot: Boot) -> None:
    board = boot("adc", "-DCHANNEL=12", "-DREFERENCE=1", board="mega")
    board.set_analog("A12", 2_500)
    assert heard(board, 5).startswith(b"ADC 512\n")


def test_fast_and_phase_correct_pwm_are_seen_on_all_six_pins(boot: Boot) -> None:
    board = boot("pwm")
    board.advance(5)
    last = {event.pin: (event.period_us, event.duty) for event in board.pin_trace().pwm}
    fast_us, phase_correct_us = 64 * 256 / 16, 64 * 510 / 16
    assert last == {
        "D6": (fast_us, 32 / 256),
        "D5": (fast_us, 64 / 256),
        "D9": (phase_correct_us, 51 / 255),
        "D10": (phase_correct_us, 102 / 255),
        "D11": (phase_correct_us, 153 / 255),
        "D3": (phase_correct_us, 204 / 255),
    }


def test_a_pwm_that_stops_says_so_and_a_servo_has_its_pulse(boot: Boot) -> None:
    board = boot("pwm")
    board.advance(20)
    last = {event.pin: (event.period_us, event.duty) for event in board.pin_trace().pwm}
    period_us, duty = last.pop("D9")
    assert (period_us, period_us * duty) == (20_000, 1_500)
    assert set(last.values()) == {(0.0, 0.0)}


def test_an_unknown_pin_lists_those_there_are(boot: Boot) -> None:
    board = boot("pins")
    with pytest.raises(ConfigError, match=r"uno has no pin 'D99'; it has: D0, D1"):
        board.drive_pin("D99", Level.LOW)
    with pytest.raises(ConfigError, match=r"pin D2 has no ADC; pins that have: A0"):
        board.set_analog("D2", 0)


def test_a_nano_has_two_pins_that_can_only_be_measured(boot: Boot) -> None:
    board = boot("adc", "-DCHANNEL=7", "-DREFERENCE=1", board="nano")
    board.set_analog("A7", 2_500)
    assert heard(board, 5).startswith(b"ADC 512\n")
    with pytest.raises(ConfigError, match="nano: pin A7 is for the ADC alone"):
        board.drive_pin("A7", Level.HIGH)


@pytest.mark.parametrize("step_ms", [10, 80])
def test_a_trace_that_got_too_long_says_since_when_it_is_complete(
    boot: Boot, step_ms: int
) -> None:
    board = boot("toggle")
    board.drive_pin("D2", Level.HIGH, at_us=5)
    board.drive_pin("D2", Level.LOW, at_us=10)
    board.advance(10)
    assert board.pin_trace().since_us == 0
    assert len(board.pin_trace().events) > 50_000
    for _ in range(0, 80, step_ms):
        board.advance(step_ms)
    trace = board.pin_trace()
    ended_us = board.now_us()
    assert 30_000 < trace.since_us < 50_000
    complete = [each.at_us for each in trace.events if each.at_us > trace.since_us]
    assert len(complete) > 249_000
    # Every 3 cycles, to the end.
    span_us = complete[-1] - complete[0]
    assert len(complete) == pytest.approx(span_us * 16 / 3, rel=0.001)
    assert ended_us - complete[-1] <= 1
    assert trace.level_at("D2", trace.since_us) is Level.LOW
    with pytest.raises(NotSupported, match="had to be forgotten"):
        trace.level_at("D2", 7)
    assert f"since {trace.since_us} us" in repr(trace)


def test_a_trace_outlives_its_board(boot: Boot) -> None:
    board = boot("toggle")
    board.advance(1)
    board.close()
    events = board.pin_trace().events
    assert len(events) > 5_000
    assert board.pin_trace().events == events


def test_a_pin_wakes_a_sleeping_core_at_once(boot: Boot) -> None:
    board = boot("wake")
    board.advance(10)
    board.drive_pin("D2", Level.LOW)
    board.advance(10)
    board.drive_pin("D8", Level.LOW)
    board.advance(10)
    assert heard(board, 10) == b"IP"
    woken = [
        event.at_us
        for event in board.pin_trace().events
        if event.pin == "D12" and event.level is Level.HIGH
    ]
    assert [at_us // 10 for at_us in woken] == [1_000, 2_000]


def test_all_pwm_pins_of_a_mega_are_where_the_silk_screen_says(boot: Boot) -> None:
    board = boot("mega", board="mega")
    board.advance(5)
    duty = {event.pin: round(event.duty * 255) for event in board.pin_trace().pwm}
    assert duty == {
        "D13": 1,
        "D4": 2,
        "D11": 11,
        "D12": 12,
        "D10": 21,
        "D9": 22,
        "D5": 31,
        "D2": 32,
        "D3": 33,
        "D6": 41,
        "D7": 42,
        "D8": 43,
        "D46": 51,
        "D45": 52,
        "D44": 53,
    }
