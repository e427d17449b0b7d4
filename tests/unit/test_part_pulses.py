"""Servo, buzzer and ranger, by the pulses of their datasheets."""

from __future__ import annotations

import pytest

from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.drives import Drive
from tests.support.placed import OnTable

LOW, HIGH = Level.LOW, Level.HIGH


def pulse(it: OnTable, pin: str, high_us: float, low_us: float) -> None:
    it.wires.show_all({pin: HIGH})
    it.wires.advance_us(high_us)
    it.wires.show_all({pin: LOW})
    it.wires.advance_us(low_us)


@pytest.mark.parametrize(
    ("pulse_us", "angle_deg"),
    [(544, 0), (1472, 90), (2400, 180), (1000, 44.2), (400, 0), (2600, 180)],
)
def test_a_servo_stands_where_its_pulse_says(pulse_us: int, angle_deg: float) -> None:
    servo = OnTable("wokwi-servo")
    assert servo.number("angle_deg") == 0
    pulse(servo, "PWM", pulse_us, 20_000 - pulse_us)
    assert servo.number("pulse_us") == pulse_us
    assert servo.number("angle_deg") == pytest.approx(angle_deg, abs=0.05)
    servo.wires.advance_us(1_000_000)
    assert servo.number("angle_deg") == pytest.approx(angle_deg, abs=0.05)


def test_a_servo_takes_pwm_and_no_long_level() -> None:
    servo = OnTable("wokwi-servo")
    servo.wires.pwm("PWM", 320_000, 1472 * 16)
    assert servo.number("angle_deg") == pytest.approx(90)
    servo.wires.pwm("PWM", 0, 0)
    pulse(servo, "PWM", 500_000, 1000)
    assert servo.number("angle_deg") == pytest.approx(90)


@pytest.mark.parametrize("pin", ["1", "2"])
@pytest.mark.parametrize("tone_hz", [31, 440, 1000, 4978])
def test_a_buzzer_has_the_pitch_of_its_edges(pin: str, tone_hz: int) -> None:
    buzzer = OnTable("wokwi-buzzer")
    buzzer.wires.show_all({"1": LOW, "2": LOW})
    half_us = 500_000 / tone_hz
    for _ in range(4):
        pulse(buzzer, pin, half_us, half_us)
    assert buzzer.number("tone_hz") == pytest.approx(tone_hz, rel=0.01)
    buzzer.wires.advance_us(4 * half_us)
    assert buzzer.number("tone_hz") == 0


def test_a_buzzer_between_two_outputs_that_take_turns_has_their_pitch() -> None:
    buzzer = OnTable("wokwi-buzzer")
    for _ in range(10):
        buzzer.wires.show_all({"1": LOW, "2": HIGH})
        buzzer.wires.advance_us(500)
        buzzer.wires.show_all({"1": HIGH, "2": LOW})
        buzzer.wires.advance_us(500)
    assert buzzer.number("tone_hz") == pytest.approx(1000)


def test_a_tune_is_followed_note_by_note_and_unsteady_edges_are_averaged() -> None:
    buzzer = OnTable("wokwi-buzzer")
    for _ in range(20):
        pulse(buzzer, "2", 500, 500)
    for late_us in (0, 6, 0, -6, 3, 0, -3, 0, 6, -6):
        pulse(buzzer, "2", 250, 250 + late_us)
    assert buzzer.number("tone_hz") == pytest.approx(2000, rel=0.01)


def test_a_buzzer_that_is_switched_or_ticks_has_no_tone() -> None:
    buzzer = OnTable("wokwi-buzzer")
    assert buzzer.number("tone_hz") == 0
    for _ in range(3):
        pulse(buzzer, "2", 50_000, 50_000)
    assert buzzer.number("tone_hz") == 0
    buzzer.wires.pwm("2", 32_640, 16_000)
    assert buzzer.number("tone_hz") == pytest.approx(490.2, abs=0.1)
    buzzer.wires.pwm("2", 32_640, 32_640)
    assert buzzer.number("tone_hz") == 0


def echo(ranger: OnTable) -> list[tuple[float, bool]]:
    """Return the edges of ECHO."""
    edges = ranger.events_us("ECHO")
    return [(at, value.is_high) for at, value in edges if isinstance(value, Drive)][1:]


# The guide's formula: range = high time * 340 m/s / 2; or us / 58 = cm.
@pytest.mark.parametrize("distance_cm", [2, 10, 100, 400])
def test_an_echo_lasts_as_long_as_sound_takes(distance_cm: int) -> None:
    ranger = OnTable("wokwi-hc-sr04")
    ranger.set("distance", distance_cm)
    pulse(ranger, "TRIG", 10, 60_000)
    (rose_us, is_high), (fell_us, is_still_high) = echo(ranger)
    assert (is_high, is_still_high) == (True, False)
    # After 8 periods of 40 kHz, and before a reading would be taken for lost.
    assert 200 <= rose_us - 10 < 1000
    width_us = fell_us - rose_us
    assert width_us * 340 / 2 / 10_000 == pytest.approx(distance_cm, rel=0.001)
    assert width_us / 58 == pytest.approx(distance_cm, rel=0.02)


def test_a_trigger_that_is_too_short_or_too_soon_does_nothing() -> None:
    ranger = OnTable("wokwi-hc-sr04", distance="100")
    pulse(ranger, "TRIG", 9, 60_000)
    assert echo(ranger) == []
    pulse(ranger, "TRIG", 10, 2000)
    pulse(ranger, "TRIG", 10, 60_000)
    assert len(echo(ranger)) == 2
    pulse(ranger, "TRIG", 10, 60_000)
    assert len(echo(ranger)) == 4
