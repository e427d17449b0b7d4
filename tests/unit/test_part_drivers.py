"""Parts as a microcontroller has them: drivers that poll, by datasheets and pages.

Each driver is written from the datasheet of its part alone and knows nothing of the
model; each is also used wrongly, as beginners do.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import pytest

from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.drives import RELEASED
from tests.support.placed import OnTable

LOW, HIGH, FLOATING = Level.LOW, Level.HIGH, Level.FLOATING


class Ranger:
    """``pulseIn``, to the microsecond."""

    def __init__(self, distance_cm: float) -> None:
        self.it = OnTable("wokwi-hc-sr04", distance=str(distance_cm))
        self.it.wires.show(TRIG=LOW)

    def echo(self) -> bool:
        return self.it.wires.driven["ECHO"].is_high

    def trigger(self, high_us: float) -> None:
        self.it.wires.show(TRIG=HIGH)
        self.it.wires.advance_us(high_us)
        self.it.wires.show(TRIG=LOW)

    def wait(self, *, level: bool, timeout_us: int) -> int:
        for passed_us in range(timeout_us):
            if self.echo() is level:
                return passed_us
            self.it.wires.advance_us(1)
        raise TimeoutError

    def measure(self, high_us: float = 10) -> int:
        self.trigger(high_us)
        assert not self.echo()
        self.wait(level=True, timeout_us=10_000)
        return self.wait(level=False, timeout_us=38_000)


class TestRanger:
    @pytest.mark.parametrize("distance_cm", [2, 33.3, 400])
    def test_is_within_its_accuracy_of_3_mm(self, distance_cm: float) -> None:
        ranger = Ranger(distance_cm)
        for high_us in (10, 1000):
            width_us = ranger.measure(high_us)
            assert width_us * 0.034 / 2 == pytest.approx(distance_cm, abs=0.3)
            # The other formula of the datasheet, which is not quite the same.
            assert width_us / 58 == pytest.approx(distance_cm, rel=0.02)

    def test_a_second_trigger_does_not_disturb_the_first(self) -> None:
        ranger = Ranger(100)
        ranger.trigger(10)
        ranger.wait(level=True, timeout_us=10_000)
        ranger.trigger(10)
        assert ranger.wait(level=False, timeout_us=38_000) + 10 == pytest.approx(
            5882, abs=2
        )
        with pytest.raises(TimeoutError):
            ranger.wait(level=True, timeout_us=10_000)

    def test_a_short_trigger_is_waited_for_in_vain(self) -> None:
        ranger = Ranger(100)
        with pytest.raises(TimeoutError):
            ranger.measure(high_us=5)
        assert ranger.measure() == pytest.approx(5882, abs=2)


class OneWire:
    """The data line of a DHT: what it is at goes back to the sensor, too."""

    def __init__(self, kind: str, humidity: float, temperature: float) -> None:
        self.it = OnTable(kind, humidity=str(humidity), temperature=str(temperature))
        self.is_pulled = False
        self.step(1)

    def step(self, duration_us: int) -> None:
        for _ in range(duration_us):
            self.it.wires.show(SDA=HIGH if self.level() else LOW)
            self.it.wires.advance_us(1)

    def level(self) -> bool:
        return not self.is_pulled and not self.it.wires.driven["SDA"].is_low

    def pull(self, duration_us: int) -> None:
        self.is_pulled = True
        self.step(duration_us)
        self.is_pulled = False
        self.step(1)

    def span(self, *, level: bool) -> int:
        for passed_us in range(200):
            if self.level() is not level:
                return passed_us
            self.step(1)
        raise TimeoutError

    def receive(self) -> bytes:
        assert 20 <= self.span(level=True) + 1 <= 40
        assert self.span(level=False) == pytest.approx(80, abs=5)
        assert self.span(level=True) == pytest.approx(80, abs=5)
        value = 0
        for _ in range(40):
            assert self.span(level=False) == pytest.approx(50, abs=5)
            value = value << 1 | (self.span(level=True) > 50)
        assert self.span(level=False) == pytest.approx(50, abs=5)
        return value.to_bytes(5)

    def read(self, start_us: int) -> bytes:
        self.pull(start_us)
        return self.receive()


class TestHygrometer:
    def test_the_bytes_of_the_datasheet(self) -> None:
        # AM2302: 65.2 %, 35.1 C and -10.1 C; DHT11: 53 %, 24 C.
        warm = OneWire("wokwi-dht22", 65.2, 35.1)
        assert warm.read(1000) == bytes.fromhex("028c 015f ee")
        cold = OneWire("wokwi-dht22", 65.2, -10.1)
        assert cold.read(18_000)[2:4] == bytes.fromhex("8065")
        old = OneWire("embedbench-dht11", 53, 24)
        assert old.read(18_000) == bytes([53, 0, 24, 0, 77])

    def test_nothing_has_no_sign(self) -> None:
        line = OneWire("wokwi-dht22", 40, -0.04)
        assert line.read(1000)[2:4] == bytes(2)

    def test_who_asks_too_shortly_or_not_at_all_reads_a_line_that_is_high(self) -> None:
        line = OneWire("embedbench-dht11", 40, 20)
        for start_us in (0, 1000):
            with pytest.raises(TimeoutError):
                line.read(start_us)
        assert line.read(18_000)[2] == 20

    def test_who_interrupts_gets_no_second_answer_and_can_ask_again(self) -> None:
        line = OneWire("wokwi-dht22", 40, 20)
        line.pull(1000)
        line.step(3000)
        line.pull(1000)
        line.step(3000)
        with pytest.raises(TimeoutError):
            line.receive()
        assert line.read(1000)[3] == 200


class Chain:
    """Two 74HC595 on three wires: Q7S of the first is DS of the second."""

    def __init__(self) -> None:
        self.chips = (OnTable("wokwi-74hc595"), OnTable("wokwi-74hc595"))
        self.all(DS=LOW, SHCP=LOW, STCP=LOW, OE=LOW, MR=HIGH)

    def all(self, **levels: Level) -> None:
        for chip in self.chips:
            chip.wires.show(**levels)
            chip.wires.advance(1)

    def shift_out(self, word: int) -> None:
        for bit in f"{word:016b}":
            first, second = self.chips
            first.wires.show(DS=HIGH if bit == "1" else LOW)
            second.wires.show(DS=first.wires.driven["Q7S"].level)
            self.all(SHCP=HIGH)
            self.all(SHCP=LOW)

    def latch(self) -> None:
        self.all(STCP=HIGH)
        self.all(STCP=LOW)

    def word(self) -> int:
        """Q0 of the first is bit 0, Q7 of the second bit 15."""
        pins = [(chip, f"Q{i}") for chip in self.chips for i in range(8)]
        bits = [chip.wires.driven.get(pin, RELEASED).is_high for chip, pin in pins]
        return sum(bit << index for index, bit in enumerate(bits))


class TestShiftRegisters:
    def test_the_first_bit_goes_furthest_and_all_show_at_the_latch(self) -> None:
        chain = Chain()
        chain.shift_out(0xA53C)
        assert chain.word() == 0
        chain.latch()
        assert chain.word() == 0xA53C

    def test_a_latch_that_stays_high_or_has_no_clock_shows_nothing_new(self) -> None:
        chain = Chain()
        chain.shift_out(0x1234)
        chain.all(STCP=HIGH)
        chain.shift_out(0xFFFF)
        assert chain.word() == 0x1234
        chain.all(STCP=LOW)
        assert chain.word() == 0x1234
        chain.latch()
        chain.latch()
        assert chain.word() == 0xFFFF

    def test_a_clock_that_floats_and_comes_back_has_not_risen(self) -> None:
        # The table's arrow is from low to high.
        chain = Chain()
        chain.shift_out(0x1234)
        chain.all(STCP=HIGH)
        chain.shift_out(0xFFFF)
        chain.all(STCP=FLOATING)
        chain.all(STCP=HIGH)
        assert chain.word() == 0x1234
        chain.all(DS=LOW)
        for level in (HIGH, FLOATING, HIGH, LOW):
            chain.all(SHCP=level)
        chain.all(STCP=LOW)
        chain.latch()
        assert chain.word() == 0xFEFE

    def test_a_clear_takes_a_latch_to_be_seen(self) -> None:
        chain = Chain()
        chain.shift_out(0xFFFF)
        chain.latch()
        chain.all(MR=LOW)
        chain.all(MR=HIGH)
        assert chain.word() == 0xFFFF
        chain.latch()
        assert chain.word() == 0


class Keypad:
    """Rows are pulled low in turns and float otherwise; columns have pull-ups."""

    def __init__(self) -> None:
        self.it = OnTable("wokwi-membrane-keypad")

    def press(self, *keys: tuple[int, int]) -> None:
        for row, column in keys:
            self.it.set(f"row{row}column{column}", 1)

    def scan(self) -> set[tuple[int, int]]:
        lines = range(1, 5)
        low = {row: self._joined(f"R{row}") for row in lines}
        return {(row, col) for row in lines for col in lines if f"C{col}" in low[row]}

    def _joined(self, pin: str) -> set[str]:
        joined: set[str] = set()
        reached = {pin}
        while reached != joined:
            joined = set(reached)
            for pair in self.it.wires.closed:
                if joined & {*pair}:
                    reached |= {*pair}
        return joined


class TestKeypad:
    def test_two_keys_are_both_found(self) -> None:
        keypad = Keypad()
        assert keypad.scan() == set()
        keypad.press((1, 2), (4, 4))
        assert keypad.scan() == {(1, 2), (4, 4)}
        keypad.it.set("row1column2", 0)
        assert keypad.scan() == {(4, 4)}

    def test_three_corners_have_a_ghost_at_the_fourth(self) -> None:
        keypad = Keypad()
        keypad.press((1, 1), (1, 3), (2, 1))
        assert keypad.scan() == {(1, 1), (1, 3), (2, 1), (2, 3)}


DIGITS = (
    "ABCDEF",
    "BC",
    "ABDEG",
    "ABCDG",
    "BCFG",
    "ACDFG",
    "ACDEFG",
    "ABC",
    "ABCDEFG",
    "ABCDFG",
)
"""By the segments that are lit, of 0 to 9."""


class Display:
    """Four digits that take turns; ``common`` is what their digit pins are."""

    def __init__(self, common: str) -> None:
        self.it = OnTable("wokwi-7segment", common=common, digits="4")
        self.is_anode = common == "anode"
        self.it.wires.show_all(
            {f"DIG{i}": self.level_of(on=False) for i in range(1, 5)}
        )

    def level_of(self, *, on: bool) -> Level:
        return HIGH if on is self.is_anode else LOW

    def light(self, segments: str) -> None:
        levels = {name: self.level_of(on=name not in segments) for name in "ABCDEFG"}
        self.it.wires.show_all(levels)

    def show(self, patterns: Iterable[str], each_us: int, late_us: int = 0) -> None:
        for index, segments in enumerate(patterns, start=1):
            if not late_us:
                self.light(segments)
            self.it.wires.show_all({f"DIG{index}": self.level_of(on=True)})
            self.it.wires.advance_us(late_us)
            self.light(segments)
            self.it.wires.advance_us(each_us - late_us)
            self.it.wires.show_all({f"DIG{index}": self.level_of(on=False)})


@pytest.mark.parametrize("common", ["anode", "cathode"])
class TestDisplay:
    @pytest.mark.parametrize("each_us", [1000, 5000, 6250])
    def test_digits_that_take_turns_read_as_a_number(
        self, common: str, each_us: int
    ) -> None:
        display = Display(common)
        for _ in range(1 + 50_000 // (4 * each_us)):
            display.show([DIGITS[int(digit)] for digit in "4096"], each_us)
        assert display.it.see("text") == "4096"

    def test_a_ghost_of_microseconds_is_not_read(self, common: str) -> None:
        display = Display(common)
        for _ in range(10):
            display.show([DIGITS[int(digit)] for digit in "1830"], 2000, late_us=20)
        assert display.it.see("text") == "1830"

    def test_two_digits_at_once_show_the_same(self, common: str) -> None:
        display = Display(common)
        display.light(DIGITS[7])
        display.it.wires.show_all(
            {f"DIG{i}": display.level_of(on=True) for i in (2, 3)}
        )
        display.it.wires.advance_us(25_000)
        assert display.it.see("text") == " 77 "

    def test_nine_as_a_cd4511_shows_it(self, common: str) -> None:
        # SCHS279E, function table: a b c f g.
        display = Display(common)
        for _ in range(10):
            display.show(["ABCFG"] * 4, 2000)
        assert display.it.see("text") == "9999"


def pulses(it: OnTable, high_us: float, times: int = 1) -> None:
    """Give frames of 20 ms, as Servo.h does."""
    for _ in range(times):
        it.wires.show(PWM=HIGH)
        it.wires.advance_us(high_us)
        it.wires.show(PWM=LOW)
        it.wires.advance_us(20_000 - high_us)


class TestServo:
    def test_a_sweep_is_followed_degree_by_degree(self) -> None:
        servo = OnTable("wokwi-servo")
        for angle_deg in (*range(0, 181, 15), *range(179, -1, -20)):
            pulses(servo, 544 + angle_deg * (2400 - 544) // 180)
            assert servo.number("angle_deg") == pytest.approx(angle_deg, abs=0.2)

    @pytest.mark.parametrize(
        ("pulse_us", "angle_deg"),
        [(1500, 90), (1900, 130), (1100, 50), (600, 0), (2400, 180), (544, 0)],
    )
    def test_an_hs_311_turns_40_degrees_in_400_us(
        self, pulse_us: int, angle_deg: int
    ) -> None:
        servo = OnTable("embedbench-hs-311")
        pulses(servo, pulse_us, times=2)
        assert servo.number("angle_deg") == pytest.approx(angle_deg)

    @pytest.mark.parametrize("kind", ["wokwi-servo", "embedbench-hs-311"])
    def test_it_has_hard_stops_and_a_level_is_no_pulse(self, kind: str) -> None:
        servo = OnTable(kind)
        pulses(servo, 2700)
        assert servo.number("angle_deg") == 180
        servo.wires.pwm("PWM", 32_640, 0)
        servo.wires.pwm("PWM", 32_640, 32_640)
        servo.wires.pwm("PWM", 0, 0)
        servo.wires.show(PWM=HIGH)
        servo.wires.advance_us(1_000_000)
        servo.wires.show(PWM=LOW)
        assert servo.number("angle_deg") == 180
        pulses(servo, 300)
        assert servo.number("angle_deg") == 0


class TestLed:
    @pytest.mark.parametrize("duty", [0, 1, 64, 254, 255])
    def test_analog_write_dims_it_by_edges_and_without(self, duty: int) -> None:
        # Timer 1 of a Uno: phase correct, 255 * 2 * 64 ticks, 490 Hz.
        period_ticks = 255 * 2 * 64
        high_ticks = period_ticks * duty // 255
        told, untold = OnTable("wokwi-led"), OnTable("wokwi-led")
        untold.wires.show(A=LOW, C=LOW)
        untold.wires.pwm("A", period_ticks, high_ticks)
        untold.wires.advance_us(100_000)
        told.wires.show(A=LOW, C=LOW)
        for _ in range(50):
            told.wires.show(A=HIGH if high_ticks else LOW)
            told.wires.advance(high_ticks)
            told.wires.show(A=HIGH if high_ticks == period_ticks else LOW)
            told.wires.advance(period_ticks - high_ticks)
        assert untold.number("brightness") == pytest.approx(duty / 255)
        assert told.number("brightness") == pytest.approx(duty / 255, abs=0.05)
        assert (told.see("brightness") in {0, 1}) is (duty in {0, 255})


def analog_read(it: OnTable, pin: str) -> int:
    """Convert as an ATmega328P does: V * 1024 / Vref, in 10 bits."""
    return min(it.wires.volts_mv[pin] * 1024 // 5000, 1023)


class TestAnalog:
    @pytest.mark.parametrize(
        ("x", "y", "horz", "vert"),
        [(0, 0, 512, 512), (1, 1, 1023, 1023), (-1, 0, 0, 512), (0, -1, 512, 0)],
    )
    def test_a_joystick_has_the_table_of_its_page(
        self, x: int, y: int, horz: int, vert: int
    ) -> None:
        joystick = OnTable("wokwi-analog-joystick")
        joystick.set("x", x)
        joystick.set("y", y)
        reads = [analog_read(joystick, pin) for pin in ("HORZ", "VERT")]
        assert reads == [horz, vert]

    @pytest.mark.parametrize("celsius", [-20, 0, 25, 60, 100])
    def test_an_ntc_is_within_half_a_degree(self, celsius: float) -> None:
        ntc = OnTable("wokwi-ntc-temperature-sensor")
        ntc.set("temperature", celsius)
        ratio = 1 / (1023 / analog_read(ntc, "OUT") - 1)
        kelvin = 1 / (math.log(ratio) / 3950 + 1 / 298.15)
        assert kelvin - 273.15 == pytest.approx(celsius, abs=0.5)
