"""Lights: duty cycles, and what an eye makes of digits that take turns."""

from __future__ import annotations

from itertools import cycle, islice

import pytest

from pytest_embedbench.pins import Level
from tests.support.placed import OnTable

LOW, HIGH, FLOATING = Level.LOW, Level.HIGH, Level.FLOATING
# Segments A to G of the digits, as every datasheet of such displays draws them.
DIGITS = {
    "0": 0x3F,
    "1": 0x06,
    "2": 0x5B,
    "3": 0x4F,
    "4": 0x66,
    "5": 0x6D,
    "6": 0x7D,
    "7": 0x07,
    "8": 0x7F,
    "9": 0x6F,
}


def blink(it: OnTable, pin: str, high_us: int, low_us: int, times: int) -> None:
    for _ in range(times):
        it.wires.show_all({pin: HIGH})
        it.wires.advance_us(high_us)
        it.wires.show_all({pin: LOW})
        it.wires.advance_us(low_us)


@pytest.mark.parametrize(
    ("anode", "cathode", "brightness"),
    [
        *[(HIGH, LOW, 1), (HIGH, HIGH, 0), (LOW, LOW, 0), (LOW, HIGH, 0)],
        *[(HIGH, FLOATING, 0), (FLOATING, LOW, 0)],
    ],
)
def test_an_led_is_lit_from_anode_to_cathode(
    anode: Level, cathode: Level, brightness: float
) -> None:
    led = OnTable("wokwi-led")
    led.wires.show(A=anode, C=cathode)
    assert led.number("brightness") == brightness
    led.wires.advance_us(100_000)
    assert led.number("brightness") == brightness


@pytest.mark.parametrize("duty", [0.1, 0.25, 0.9])
def test_an_led_is_as_bright_as_its_duty_cycle(duty: float) -> None:
    led = OnTable("wokwi-led")
    led.wires.show(C=LOW)
    blink(led, "A", round(1000 * duty), round(1000 * (1 - duty)), 60)
    assert led.number("brightness") == pytest.approx(duty)


def test_an_led_shows_pwm_whose_edges_are_not_told() -> None:
    led = OnTable("wokwi-led")
    led.wires.show(A=HIGH)
    led.wires.pwm("C", 32_640, 8_160)
    led.wires.advance_us(50_000)
    assert led.number("brightness") == pytest.approx(0.75)
    led.wires.pwm("C", 0, 0)
    led.wires.show(C=HIGH)
    led.wires.advance_us(25_000)
    assert led.number("brightness") == 0


def test_what_happens_last_in_a_moment_counts() -> None:
    led = OnTable("wokwi-led")
    led.wires.show_all({"A": HIGH, "C": LOW})
    led.wires.show_all({"A": LOW})
    led.wires.advance_us(1000)
    assert led.number("brightness") == 0
    led.wires.show_all({"C": HIGH})
    led.wires.show_all({"A": HIGH})
    led.wires.show_all({"C": LOW})
    led.wires.advance_us(1000)
    assert led.number("brightness") == pytest.approx(0.5)


def test_an_eye_forgets_after_25_ms() -> None:
    led = OnTable("wokwi-led")
    led.wires.show(A=HIGH, C=LOW)
    led.wires.advance_us(100_000)
    led.wires.show(A=LOW)
    led.wires.advance_us(10_000)
    assert led.number("brightness") == pytest.approx(0.6)
    led.wires.advance_us(15_000)
    assert led.number("brightness") == 0


@pytest.mark.parametrize(("common", "lit"), [("anode", LOW), ("cathode", HIGH)])
def test_an_rgb_led_has_its_common_leg_where_it_says(common: str, lit: Level) -> None:
    dark = HIGH if lit is LOW else LOW
    led = OnTable("wokwi-rgb-led", common=common)
    led.wires.show(COM=dark, R=lit, G=dark, B=lit)
    led.wires.advance_us(25_000)
    assert led.see("rgb") == (1, 0, 1)


def test_a_bar_shows_its_ten_leds() -> None:
    bar = OnTable("wokwi-led-bar-graph")
    bar.wires.show_all({f"C{i}": LOW for i in range(1, 11)})
    bar.wires.show(A1=HIGH, A10=HIGH)
    assert bar.see("brightnesses") == (1, 0, 0, 0, 0, 0, 0, 0, 0, 1)


def segments(mask: int, lit: Level) -> dict[str, Level]:
    dark = HIGH if lit is LOW else LOW
    return {pin: lit if mask >> i & 1 else dark for i, pin in enumerate("ABCDEFG")}


@pytest.mark.parametrize("digit", DIGITS)
@pytest.mark.parametrize(("common", "lit"), [("anode", LOW), ("cathode", HIGH)])
def test_one_digit_reads_as_it_is_lit(digit: str, common: str, lit: Level) -> None:
    display = OnTable("wokwi-7segment", common=common)
    display.wires.show(COM=HIGH if lit is LOW else LOW, DP=lit)
    display.wires.show_all(segments(DIGITS[digit], lit))
    assert display.see("text") == f"{digit}."


# Per digit: 60 Hz is slow, 1 kHz is what libraries do.
@pytest.mark.parametrize("turn_us", [4000, 1000, 250])
@pytest.mark.parametrize("rest_us", [0, 700, 1900])
def test_four_digits_that_take_turns_read_as_one_number(
    turn_us: int, rest_us: int
) -> None:
    display = OnTable("wokwi-7segment", common="cathode", digits="4")
    pins = ["DIG1", "DIG2", "DIG3", "DIG4"]
    display.wires.show_all(dict.fromkeys(pins, HIGH))
    turns = zip(pins, "4071", strict=True)
    for pin, digit in islice(cycle(list(turns)), 100_000 // turn_us):
        display.wires.show_all(segments(DIGITS[digit], HIGH))
        display.wires.show_all({pin: LOW})
        display.wires.advance_us(turn_us)
        display.wires.show_all({pin: HIGH})
    display.wires.show_all({pins[0]: LOW, **segments(DIGITS["4"], HIGH)})
    display.wires.advance_us(rest_us)
    assert display.see("text") == "4071"


def test_digits_that_are_lit_for_a_moment_are_dim_and_read() -> None:
    """Some sketches select a digit and let it go at once: a thousandth of the time."""
    display = OnTable("wokwi-7segment", common="cathode", digits="4")
    pins = ["DIG1", "DIG2", "DIG3", "DIG4"]
    display.wires.show_all(dict.fromkeys(pins, HIGH))
    for pin, digit in islice(cycle(list(zip(pins, "4071", strict=True))), 40):
        display.wires.show_all(segments(DIGITS[digit], HIGH))
        display.wires.show_all({pin: LOW})
        display.wires.advance_us(5)
        display.wires.show_all({pin: HIGH})
        display.wires.advance_us(1245)
    assert display.see("text") == "4071"
    display.wires.advance_us(25_000)
    display.wires.show_all({pins[0]: LOW})
    display.wires.advance_us(5)
    display.wires.show_all({pins[0]: HIGH})
    assert display.see("text") == "    "


def test_a_display_without_power_is_blank_and_a_riddle_is_told() -> None:
    display = OnTable("wokwi-7segment", digits="2")
    assert display.see("text") == "  "
    display.wires.show(DIG1=HIGH, A=LOW, D=LOW)
    display.wires.advance_us(1)
    assert display.see("text") == "? "
