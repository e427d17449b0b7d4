"""Stepper motors and their drivers, by datasheets, wired as pages have it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.drives import RELEASED, Drive
from tests.support.placed import OnTable

LOW, HIGH, FLOATING = Level.LOW, Level.HIGH, Level.FLOATING


class Together:
    """A driver and a motor; what the driver drives is what the motor gets."""

    def __init__(self, driver: str, motor: str, wires: dict[str, str]) -> None:
        self.driver = OnTable(driver)
        self.motor = OnTable(motor)
        self.wires = wires
        self.pass_on()

    def pass_on(self) -> None:
        levels = {
            pin: self.driver.wires.driven.get(out, RELEASED).level
            for out, pin in self.wires.items()
        }
        self.motor.wires.show_all(levels)

    def set(self, **levels: Level) -> None:
        self.driver.wires.show_all(levels)
        self.pass_on()

    def wait_us(self, duration_us: float) -> None:
        self.driver.wires.advance_us(duration_us)
        self.motor.wires.advance_us(duration_us)
        self.pass_on()

    def number(self, name: str) -> float:
        return self.motor.number(name)


def a4988(**levels: Level) -> Together:
    it = Together(
        "wokwi-a4988",
        "wokwi-stepper-motor",
        {"1A": "B+", "1B": "B-", "2A": "A+", "2B": "A-"},
    )
    it.set(**{"STEP": LOW, "DIR": HIGH, "RESET": HIGH, **levels})
    it.wait_us(2000)
    return it


def pulse(it: Together, count: int, period_us: float = 1000) -> None:
    for _ in range(count):
        it.set(STEP=HIGH)
        it.wait_us(period_us / 2)
        it.set(STEP=LOW)
        it.wait_us(period_us / 2)


class TestA4988:
    def test_a_pulse_is_a_step_and_dir_says_which_way(self) -> None:
        it = a4988()
        pulse(it, 200)
        assert (it.number("steps"), it.number("angle_deg")) == (200, 360)
        it.set(DIR=LOW)
        pulse(it, 250)
        assert (it.number("steps"), it.number("angle_deg")) == (-50, -90)

    @pytest.mark.parametrize(
        ("high_pins", "per_step"),
        [("", 1), ("MS1", 2), ("MS2", 4), ("MS1 MS2", 8), ("MS1 MS2 MS3", 16)],
    )
    def test_microsteps_add_up(self, high_pins: str, per_step: int) -> None:
        it = a4988(**dict.fromkeys(high_pins.split(), HIGH))
        for steps in (1, 2, 3):
            pulse(it, per_step)
            assert it.number("steps") == steps
        it.set(DIR=LOW)
        pulse(it, 3 * per_step)
        assert it.number("steps") == 0

    def test_finer_steps_than_half_ones_show_at_the_nearest(self) -> None:
        it = a4988(MS1=HIGH, MS2=HIGH)
        seen: list[float] = []
        for _ in range(12):
            pulse(it, 1)
            seen.append(it.number("steps"))
        assert sorted(seen) == seen
        errors = [abs(steps - n / 8) for n, steps in enumerate(seen, start=1)]
        assert max(errors) <= 0.25

    def test_from_half_steps_a_full_step_goes_to_the_next_full_one(self) -> None:
        it = a4988(MS1=HIGH)
        pulse(it, 1)
        assert it.number("steps") == 0.5
        it.set(MS1=LOW)
        pulse(it, 1)
        assert it.number("steps") == 1
        pulse(it, 1)
        assert it.number("steps") == 2

    def test_currents_are_those_of_the_datasheet(self) -> None:
        it = a4988(MS1=HIGH)
        seen: list[str] = []
        for _ in range(8):
            held = [it.driver.wires.driven[pin] for pin in ("1A", "1B", "2A", "2B")]
            seen.append("".join("+" if drive.is_high else "-" for drive in held))
            pulse(it, 1)
        # Phases 1 and 2 from 45 degrees on: 1A over 1B, 2A over 2B, or neither.
        assert seen == [
            *("+-+-", "--+-", "-++-", "-+--"),
            *("-+-+", "---+", "+--+", "+---"),
        ]

    def test_enable_lets_go_and_counts_on(self) -> None:
        it = a4988(ENABLE=HIGH)
        assert it.driver.wires.driven.get("1A", RELEASED) == RELEASED
        pulse(it, 4)
        assert it.number("steps") == 0
        it.set(ENABLE=LOW)
        it.wait_us(1000)
        # Four full steps are one turn of the field: the motor need not move.
        assert it.number("steps") == 0
        pulse(it, 1)
        assert it.number("steps") == 1

    @pytest.mark.parametrize("pin", ["RESET", "SLEEP"])
    def test_reset_and_sleep_let_go_and_go_home(self, pin: str) -> None:
        it = a4988()
        pulse(it, 1)
        it.set(**{pin: LOW})
        pulse(it, 5)
        assert it.number("steps") == 1
        assert it.driver.wires.driven["1A"] == RELEASED
        it.set(**{pin: HIGH})
        it.wait_us(1000)
        assert it.number("steps") == 0
        pulse(it, 3)
        assert it.number("steps") == 3

    def test_an_open_reset_does_nothing(self) -> None:
        it = a4988(RESET=FLOATING)
        pulse(it, 5)
        assert it.number("steps") == 0
        assert it.driver.wires.driven.get("1A", RELEASED) == RELEASED

    def test_pwm_on_step_steps_once_per_period(self) -> None:
        it = a4988()
        it.driver.wires.pwm("STEP", 32_640, 16_000)
        for _ in range(1000):
            it.wait_us(1000)
        assert it.number("steps") == pytest.approx(490, abs=1)
        it.driver.wires.pwm("STEP", 0, 0)
        it.set(STEP=LOW)
        it.wait_us(1000)
        steps = it.number("steps")
        it.wait_us(100_000)
        assert it.number("steps") == steps


def turn(
    show: Callable[[dict[str, Level]], None],
    pins: Sequence[str],
    patterns: Iterator[str],
) -> None:
    """Write pins one by one, 4 us apart, as sketches do."""
    for pattern in patterns:
        for pin, bit in zip(pins, pattern, strict=True):
            show({pin: HIGH if bit == "1" else LOW})


def repeated(patterns: Sequence[str], count: int) -> Iterator[str]:
    return (patterns[index % len(patterns)] for index in range(count))


FULL_4_WIRE = ("0110", "0101", "1001", "1010")
"""Of A-, A+, B+ and B-: what Arduino's library Stepper makes of steps forwards."""


class TestBipolar:
    def motor(self, **attrs: str) -> OnTable:
        return OnTable("wokwi-stepper-motor", **attrs)

    def write(self, it: OnTable, patterns: Iterator[str]) -> None:
        def show(levels: dict[str, Level]) -> None:
            it.wires.show_all(levels)
            it.wires.advance_us(4)

        for pattern in patterns:
            turn(show, ("A-", "A+", "B+", "B-"), iter([pattern]))
            it.wires.advance_us(2000)

    def test_a_turn_of_arduinos_library_is_a_turn(self) -> None:
        it = self.motor()
        self.write(it, iter(["0110"]))
        assert it.number("steps") == 0
        self.write(it, repeated(FULL_4_WIRE[1:] + FULL_4_WIRE[:1], 200))
        assert (it.number("steps"), it.number("angle_deg")) == (200, 360)
        self.write(it, iter(["1010", "1001", "0101", "0110"]))
        assert it.number("steps") == 196

    def test_gears_make_turns_slower(self) -> None:
        it = self.motor(gearRatio="2:1")
        self.write(it, iter(["0110"]))
        self.write(it, repeated(FULL_4_WIRE[1:] + FULL_4_WIRE[:1], 200))
        assert (it.number("steps"), it.number("angle_deg")) == (200, 180)

    def test_half_steps_are_half_steps(self) -> None:
        it = self.motor()
        self.write(it, iter(["0110", "0100", "0101", "0001", "1001"]))
        assert it.number("steps") == 2

    def test_too_fast_is_no_step(self) -> None:
        it = self.motor()
        self.write(it, iter(["0110"]))
        for pattern in repeated(FULL_4_WIRE[1:] + FULL_4_WIRE[:1], 40):
            names = ("A-", "A+", "B+", "B-")
            bits = zip(names, pattern, strict=True)
            it.wires.show_all({pin: HIGH if bit == "1" else LOW for pin, bit in bits})
            it.wires.advance_us(40)
        it.wires.advance_us(1000)
        assert it.number("steps") == 0

    def test_a_field_that_is_opposite_or_gone_moves_nothing(self) -> None:
        it = self.motor()
        self.write(it, iter(["0110", "1001", "0000", "1111"]))
        assert it.number("steps") == 0

    @pytest.mark.parametrize("ratio", ["0:1", "two", "1:0", "-1:1"])
    def test_a_ratio_that_is_none_is_refused(self, ratio: str) -> None:
        with pytest.raises(ConfigError, match=f"gearRatio cannot be '{ratio}'"):
            self.motor(gearRatio=ratio)


CHANNELS = {"OUT1": "BLUE", "OUT2": "PINK", "OUT3": "YELLOW", "OUT4": "ORANGE"}
HALF = ("1000", "1100", "0100", "0110", "0010", "0011", "0001", "1001")
WAVE, FULL = HALF[::2], HALF[1::2]


class TestGeared:
    def driven(self) -> Together:
        it = Together("embedbench-uln2003", "embedbench-28byj-48", CHANNELS)
        it.motor.wires.show(RED=HIGH)
        return it

    def write(self, it: Together, patterns: Iterator[str]) -> None:
        def show(levels: dict[str, Level]) -> None:
            it.set(**levels)
            it.wait_us(4)

        for pattern in patterns:
            turn(show, ("IN1", "IN2", "IN3", "IN4"), iter([pattern]))
            it.wait_us(1000)

    def test_the_datasheets_order_is_clockwise(self) -> None:
        it = self.driven()
        # IN1 first, then on to IN4, is the other way.
        self.write(it, repeated(HALF, 1 + 8))
        assert it.number("steps") == -4
        assert it.number("angle_deg") == pytest.approx(-8 * 5.625 / 63.68395, rel=1e-6)
        self.write(it, repeated((*HALF[:0:-1], HALF[0]), 8))
        assert it.number("steps") == 0

    def test_4076_half_steps_are_a_turn_and_not_4096(self) -> None:
        it = self.driven()
        self.write(it, repeated((*HALF[:0:-1], HALF[0]), 4076))
        assert it.number("angle_deg") == pytest.approx(360, abs=0.1)

    @pytest.mark.parametrize("patterns", [WAVE, FULL])
    def test_full_steps_are_two_half_steps(self, patterns: Sequence[str]) -> None:
        it = self.driven()
        self.write(it, repeated(patterns[::-1], 4))
        begun = it.number("steps")
        self.write(it, repeated(patterns[::-1], 100))
        assert it.number("steps") == begun + 100

    def test_without_a_supply_at_red_nothing_turns(self) -> None:
        it = self.driven()
        it.motor.wires.show(RED=FLOATING)
        self.write(it, repeated(HALF, 16))
        assert it.number("steps") == 0


class TestUln2003:
    def test_an_output_pulls_while_its_input_is_high(self) -> None:
        it = OnTable("embedbench-uln2003")
        for index in range(1, 5):
            for level, due in ((HIGH, LOW), (LOW, FLOATING), (FLOATING, FLOATING)):
                it.wires.show_all({f"IN{index}": level})
                assert it.wires.driven[f"OUT{index}"].level is due

    def test_pwm_goes_through(self) -> None:
        it = OnTable("embedbench-uln2003")
        it.wires.pwm("IN2", 16_000, 4000)
        it.wires.advance_us(10_500)
        pulled = [
            (at, value.is_low)
            for at, value in it.events_us("OUT2")
            if isinstance(value, Drive)
        ]
        assert pulled[:4] == [(0, True), (250, False), (1000, True), (1250, False)]
        it.wires.pwm("IN2", 16_000, 16_000)
        it.wires.advance_us(5000)
        assert it.wires.driven["OUT2"].level is LOW
        it.wires.pwm("IN2", 0, 0)
        it.wires.show(IN2=LOW)
        assert it.wires.driven["OUT2"] == RELEASED
