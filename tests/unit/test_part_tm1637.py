"""TM1637, by the waves of Titan Micro's datasheet."""

from __future__ import annotations

import pytest

from pytest_embedbench.pins import Level
from tests.support.placed import OnTable

LOW, HIGH = Level.LOW, Level.HIGH
DIGITS = (0x3F, 0x06, 0x5B, 0x4F, 0x66, 0x6D, 0x7D, 0x07, 0x7F, 0x6F)
AUTO, FIXED, READ = 0x40, 0x44, 0x42


class Host:
    """Two open-drain lines; the display's side of DIO goes back to it."""

    def __init__(self) -> None:
        self.it = OnTable("wokwi-tm1637-7segment")
        self.data = self.clock_level = HIGH
        self.show()

    def show(self) -> None:
        for _ in range(2):
            holds = self.it.wires.driven["DIO"].level
            level = LOW if LOW in {self.data, holds} else HIGH
            self.it.wires.show(CLK=self.clock_level)
            self.it.wires.show(DIO=level)
        self.it.wires.advance_us(5)

    def clock(self, level: Level) -> None:
        self.clock_level = level
        self.show()

    def put(self, level: Level) -> None:
        self.data = level
        self.show()

    def write(self, byte: int) -> bool:
        """Return whether the display holds DIO down for the 9th clock."""
        for bit in range(8):
            self.put(HIGH if byte >> bit & 1 else LOW)
            self.clock(HIGH)
            self.clock(LOW)
        self.put(HIGH)
        is_heard = self.it.wires.driven["DIO"].level is LOW
        self.clock(HIGH)
        assert is_heard == (self.it.wires.driven["DIO"].level is LOW)
        self.clock(LOW)
        assert self.it.wires.driven["DIO"].level is HIGH
        return is_heard

    def send(self, *data: int) -> list[bool]:
        self.put(LOW)
        self.clock(LOW)
        heard = [self.write(byte) for byte in data]
        self.put(LOW)
        self.clock(HIGH)
        self.put(HIGH)
        return heard


def display(*segments: int) -> Host:
    host = Host()
    host.send(AUTO)
    host.send(0xC0, *segments)
    host.send(0x88 | 7)
    return host


def test_digits_go_from_the_first_address_on() -> None:
    host = display(DIGITS[1], DIGITS[2], DIGITS[3], DIGITS[4])
    assert host.it.see("text") == "1234"
    host.send(AUTO)
    host.send(0xC2, DIGITS[0])
    assert host.it.see("text") == "1204"


def test_every_byte_is_acknowledged() -> None:
    host = Host()
    assert host.send(AUTO) == [True]
    assert host.send(0xC0, 1, 2, 3, 4) == [True] * 5


@pytest.mark.parametrize("digit", range(10))
def test_every_digit_reads_as_what_it_is(digit: int) -> None:
    assert display(DIGITS[digit], 0, 0, 0).it.see("text") == f"{digit}   "


def test_the_colon_is_the_eighth_segment_of_the_second_digit() -> None:
    host = display(DIGITS[1], DIGITS[2] | 0x80, DIGITS[3], DIGITS[0])
    assert host.it.see("text") == "12:30"
    segments = host.it.see("segments")
    assert isinstance(segments, tuple)
    assert segments[1] == (True, True, False, True, True, False, True, True)
    assert segments[0] == (False, True, True, *[False] * 5)


def test_a_fixed_address_takes_the_last_byte() -> None:
    host = display(0, 0, 0, 0)
    host.send(FIXED)
    host.send(0xC3, DIGITS[7], DIGITS[5])
    assert host.it.see("text") == "   5"


def test_light_is_off_until_it_is_commanded() -> None:
    host = Host()
    host.send(AUTO)
    host.send(0xC0, *[DIGITS[8]] * 4)
    assert (host.it.see("text"), host.it.see("brightness")) == ("    ", 0)
    for code, sixteenths in enumerate((1, 2, 4, 10, 11, 12, 13, 14)):
        host.send(0x88 | code)
        assert host.it.see("text") == "8888"
        assert host.it.see("brightness") == sixteenths / 16
    host.send(0x80)
    assert host.it.see("text") == "    "


def test_bytes_after_the_sixth_address_are_nowhere() -> None:
    host = display(*[DIGITS[1]] * 4, 0xFF, 0xFF, DIGITS[2], DIGITS[2])
    assert host.it.see("text") == "1111"


def test_without_a_key_all_bits_are_ones() -> None:
    host = display(*[DIGITS[1]] * 4)
    assert host.send(READ, 0xFF) == [True, False]
    assert host.it.see("text") == "1111"


def test_an_end_in_the_middle_of_a_byte_drops_it() -> None:
    host = display(*[DIGITS[1]] * 4)
    host.put(LOW)
    host.clock(LOW)
    for _ in range(5):
        host.clock(HIGH)
        host.clock(LOW)
    host.put(LOW)
    host.clock(HIGH)
    host.put(HIGH)
    host.send(AUTO)
    host.send(0xC0, DIGITS[9])
    assert host.it.see("text") == "9111"


def test_a_host_that_drives_high_against_the_acknowledge_begins_nothing() -> None:
    """Libraries with plain outputs do: DIO is nothing while both drive, then low."""
    host = Host()

    def push(data: Level, clock: Level) -> None:
        host.data = data
        host.clock(clock)

    def send(*data: int) -> None:
        push(HIGH, HIGH)
        push(LOW, HIGH)
        for byte in data:
            for bit in range(8):
                push(host.data, LOW)
                push(HIGH if byte >> bit & 1 else LOW, LOW)
                push(host.data, HIGH)
            push(host.data, LOW)
            for clock in (LOW, HIGH):
                host.it.wires.show(CLK=clock)
                host.it.wires.show(DIO=Level.FLOATING)
            for level in (LOW, Level.FLOATING, LOW):
                host.it.wires.show(DIO=level)
            host.data = LOW
            host.clock_level = HIGH
        for data_level, clock in ((LOW, LOW), (LOW, HIGH), (HIGH, HIGH)):
            push(data_level, clock)

    send(AUTO)
    send(0xC0, *[DIGITS[digit] for digit in (4, 5, 6, 7)])
    send(0x8F)
    assert host.it.see("text") == "4567"
