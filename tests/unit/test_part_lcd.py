"""HD44780U at pins and behind a PCF8574, by drivers from their datasheets."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.drives import RELEASED, Strength, drive
from tests.support.bit_bus import ByteI2c, SoftI2c
from tests.support.placed import OnTable

LOW, HIGH = Level.LOW, Level.HIGH
UPPER = ("D4", "D5", "D6", "D7")
ALL = ("D0", "D1", "D2", "D3", *UPPER)


class Lcd:
    """A driver of 4 or 8 bits that knows when to wait."""

    def __init__(
        self, kind: str = "wokwi-lcd1602", *, pins: tuple[str, ...] = UPPER
    ) -> None:
        self.it = OnTable(kind)
        self.wires, self.pins = self.it.wires, pins
        self.wires.show(RS=LOW, RW=LOW, E=LOW)
        self.wires.advance_us(50_000)

    def pulse(self, value: int) -> None:
        """Put a value at the pins, and clock it in with an E of 0.5 us."""
        self.wires.show_all(
            {pin: HIGH if value >> i & 1 else LOW for i, pin in enumerate(self.pins)}
        )
        self.wires.show(E=HIGH)
        self.wires.advance_us(0.5)
        self.wires.show(E=LOW)
        self.wires.advance_us(0.5)

    def begin(self) -> None:
        """Initialize by instruction (figures 23 and 24), for two lines."""
        is_narrow = self.pins == UPPER
        for wait_us in (4100, 100, 40):
            self.pulse(0x3 if is_narrow else 0x38)
            self.wires.advance_us(wait_us)
        if is_narrow:
            self.pulse(0x2)
            self.wires.advance_us(40)
        for code in (0x28 if is_narrow else 0x38, 0x08, 0x01, 0x06, 0x0C):
            self.command(code)

    def send(self, byte: int, wait_us: float = 40) -> None:
        if self.pins == UPPER:
            self.pulse(byte >> 4)
        self.pulse(byte)
        self.wires.advance_us(wait_us)

    def command(self, code: int, wait_us: float | None = None) -> None:
        self.wires.show(RS=LOW)
        self.send(code, (1520 if code < 4 else 40) if wait_us is None else wait_us)

    def print(self, text: str | Iterable[int], wait_us: float = 40) -> None:
        self.wires.show(RS=HIGH)
        for letter in text:
            self.send(ord(letter) if isinstance(letter, str) else letter, wait_us)

    def look(self) -> int:
        """Pulse E with R/W high, and return what is at the pins meanwhile."""
        self.wires.show(E=HIGH)
        self.wires.advance_us(0.5)
        driven = [self.wires.driven[pin] for pin in self.pins]
        assert all(it.strength is Strength.OUTPUT for it in driven)
        self.wires.show(E=LOW)
        self.wires.advance_us(0.5)
        return sum(it.is_high << index for index, it in enumerate(driven))

    def read(self, *, is_data: bool) -> int:
        self.wires.show(RS=HIGH if is_data else LOW, RW=HIGH)
        byte = self.look()
        if self.pins == UPPER:
            byte = byte << 4 | self.look()
        self.wires.show(RW=LOW)
        return byte

    def text(self) -> tuple[str, ...]:
        rows = self.it.see("text")
        assert isinstance(rows, tuple)
        return tuple(str(row).rstrip() for row in rows)


@pytest.fixture(params=[UPPER, ALL], ids=["4 bits", "8 bits"])
def lcd(request: pytest.FixtureRequest) -> Lcd:
    it = Lcd(pins=request.param)
    it.begin()
    return it


def test_text_goes_to_both_rows(lcd: Lcd) -> None:
    lcd.print("Hello, world!")
    lcd.command(0x80 | 0x40)
    lcd.print("row 2")
    assert lcd.it.see("text") == ("Hello, world!   ", "row 2           ")


def test_before_it_is_set_up_nothing_is_seen() -> None:
    it = Lcd()
    assert it.it.see("text") == (" " * 16, " " * 16)
    assert it.it.see("cursor") == ()


def test_the_other_ends_of_lines(lcd: Lcd) -> None:
    # In mode of two lines, 27h is followed by 40h and 67h by 00h.
    lcd.command(0x80 | 0x27)
    lcd.print("xA")
    lcd.command(0x80 | 0x67)
    lcd.print("yB")
    assert lcd.text() == ("B", "A")
    lcd.command(0x04)  # and backwards
    lcd.command(0x80 | 0x40)
    lcd.print("CD")
    lcd.command(0x14)  # the cursor moves by itself
    lcd.command(0x14)
    assert lcd.read(is_data=False) == 0x40
    assert lcd.text() == ("B", "C")


def test_a_20_by_4_has_four_rows() -> None:
    it = Lcd("wokwi-lcd2004")
    it.begin()
    for address, text in ((0x00, "one"), (0x40, "two"), (0x14, "three"), (0x54, "4")):
        it.command(0x80 | address)
        it.print(text)
    assert it.it.see("text") == tuple(
        row.ljust(20) for row in ("one", "two", "three", "4")
    )
    it.command(0x80)
    it.print("." * 20 + ">")
    assert it.text() == ("." * 20, "two", ">hree", "4")


def test_the_display_shifts_by_instruction_and_as_it_is_written(lcd: Lcd) -> None:
    lcd.print("ABCDEFGHIJKLMNOPQR")
    for _ in range(2):
        lcd.command(0x18)
    assert lcd.text() == ("CDEFGHIJKLMNOPQR", "")
    lcd.command(0x1C)
    assert lcd.text() == ("BCDEFGHIJKLMNOPQ", "")
    lcd.command(0x02)
    assert lcd.text() == ("ABCDEFGHIJKLMNOP", "")
    lcd.command(0x01)
    lcd.command(0x07)  # autoscroll
    lcd.command(0x80 | 0x10)
    lcd.print("123")
    assert lcd.text() == (" " * 13 + "123", "")


def test_the_cursor_is_where_the_next_letter_goes(lcd: Lcd) -> None:
    lcd.print("ab")
    assert lcd.it.see("cursor") == ()
    lcd.command(0x0E)
    assert lcd.it.see("cursor") == (0, 2)
    lcd.command(0x10)
    assert lcd.it.see("cursor") == (0, 1)
    lcd.command(0x0D)
    lcd.command(0x80 | 0x4F)
    assert lcd.it.see("cursor") == (1, 15)
    lcd.command(0x80 | 0x50)
    assert lcd.it.see("cursor") == ()
    lcd.command(0x08)
    assert lcd.text() == ("", "")
    lcd.command(0x0C)
    assert lcd.text() == ("ab", "")


def test_drawn_characters_are_read_by_number(lcd: Lcd) -> None:
    heart = (0x00, 0x0A, 0x1F, 0x1F, 0x0E, 0x04, 0x00, 0x00)
    lcd.command(0x40 | 3 << 3)
    lcd.print(heart)
    lcd.command(0x80)
    lcd.print((3, 11, 0xDF, 0x5C, 0x7E, 0xB1, 0xE4, 0xF4, 0xFF, 0x10))
    assert lcd.text()[0] == (
        "\x03\x03\N{DEGREE SIGN}\N{YEN SIGN}\N{RIGHTWARDS ARROW}"
        "\N{HALFWIDTH KATAKANA LETTER A}\xb5"
        "\N{GREEK CAPITAL LETTER OMEGA}\N{FULL BLOCK}"
    )
    glyphs = lcd.it.see("glyphs")
    assert isinstance(glyphs, tuple)
    assert glyphs[3] == tuple(
        tuple(digit == "1" for digit in f"{line:05b}") for line in heart
    )


def test_memory_and_address_are_read(lcd: Lcd) -> None:
    lcd.print("XY")
    lcd.command(0x80)
    lcd.wires.show_all(dict.fromkeys(lcd.pins, Level.FLOATING))
    assert lcd.read(is_data=True) == ord("X")
    lcd.wires.advance_us(40)
    assert lcd.read(is_data=False) == 0x01
    assert lcd.read(is_data=True) == ord("Y")
    pulled_up = drive(Strength.PULL, HIGH)
    assert {lcd.wires.driven[pin] for pin in ALL} == {pulled_up}


def test_it_is_busy_as_long_as_the_table_says(lcd: Lcd) -> None:
    for code, long_us in ((0x01, 1520), (0x02, 1520), (0x06, 37), (0x80, 37)):
        lcd.command(code, wait_us=0)
        begin_us = lcd.wires.now_ticks / lcd.wires.ticks_per_us
        while lcd.read(is_data=False) & 0x80:
            pass
        waited_us = lcd.wires.now_ticks / lcd.wires.ticks_per_us - begin_us
        assert waited_us == pytest.approx(long_us, abs=4)


def test_the_busy_flag_falls_while_it_is_looked_at(lcd: Lcd) -> None:
    lcd.command(0x01, wait_us=0)
    lcd.wires.show(RW=HIGH, E=HIGH)
    lcd.wires.advance_us(1510)
    assert lcd.wires.driven["D7"].is_high
    lcd.wires.advance_us(15)
    assert lcd.wires.driven["D7"].is_low


def test_what_comes_while_it_is_busy_is_lost(lcd: Lcd) -> None:
    lcd.command(0x01, wait_us=0)
    lcd.print("lost", wait_us=100)
    lcd.wires.advance_us(2000)
    lcd.print("seen")
    assert lcd.text() == ("seen", "")
    lcd.command(0x01)
    lcd.print("abcdef", wait_us=20)
    assert len(lcd.text()[0]) < 6


def test_the_first_10_ms_are_its_own() -> None:
    it = OnTable("wokwi-lcd1602")
    it.wires.show(RS=LOW, RW=HIGH, E=LOW)
    for wait_us, is_busy in ((5000, True), (4900, True), (200, False)):
        it.wires.advance_us(wait_us)
        it.wires.show(E=HIGH)
        it.wires.advance_us(1)
        assert it.wires.driven["D7"].is_high is is_busy
        it.wires.show(E=LOW)
        it.wires.advance_us(1)


def test_one_line_is_long_and_the_second_row_dark() -> None:
    it = Lcd(pins=ALL)
    for code in (0x30, 0x0C, 0x01, 0x06):
        it.command(code)
    it.print("x" * 80 + "0123")
    assert it.text() == ("0123" + "x" * 12, "")
    it.command(0x80 | 0x4F)
    it.print("L")
    it.command(0x1C)
    assert it.text() == ("L0123" + "x" * 11, "")


def test_the_light_is_between_a_and_k() -> None:
    it = OnTable("wokwi-lcd1602")
    assert it.see("backlight") is False
    it.wires.show(A=HIGH, K=LOW)
    assert it.see("backlight") is True
    it.wires.pwm("A", 16_320, 0)
    assert it.see("backlight") is False
    it.wires.pwm("A", 16_320, 100)
    assert it.see("backlight") is True


class Backpack:
    """PCF8574 at 100 kHz, as the usual libraries use it."""

    def __init__(self, kind: str = "wokwi-lcd1602", **attrs: str) -> None:
        self.it = OnTable(kind, pins="i2c", **attrs)
        self.bus = ByteI2c(self.it.wires, byte_us=90)
        self.light = 0x08
        self.it.wires.advance_us(50_000)

    def port(self, byte: int) -> None:
        assert self.bus.write(0x27, bytes((byte | self.light,))) == [True, True]

    def nibble(self, nibble: int, rs: int = 0) -> None:
        for enable in (0, 4, 0):
            self.port(nibble << 4 | enable | rs)

    def send(self, byte: int, rs: int = 0) -> None:
        self.nibble(byte >> 4, rs)
        self.nibble(byte & 0x0F, rs)

    def begin(self) -> None:
        self.port(0)
        for _ in range(3):
            self.nibble(3)
            self.it.wires.advance_us(4500)
        self.nibble(2)
        for code in (0x28, 0x0C, 0x06, 0x01):
            self.send(code)
        self.it.wires.advance_us(2000)

    def print(self, text: str) -> None:
        for letter in text:
            self.send(ord(letter), rs=1)


def test_a_backpack_is_lit_at_first_and_shows_text() -> None:
    lcd = Backpack("wokwi-lcd2004")
    assert lcd.it.see("backlight") is True
    lcd.begin()
    lcd.print("Temp: 21")
    lcd.send(0x80 | 0x54)
    lcd.print("last")
    rows = ("Temp: 21", "", "", "last")
    assert lcd.it.see("text") == tuple(row.ljust(20) for row in rows)
    lcd.light = 0
    lcd.port(0)
    assert lcd.it.see("backlight") is False


def test_a_backpack_is_read_through_its_port() -> None:
    lcd = Backpack()
    lcd.begin()
    lcd.print("abc")
    nibbles: list[int] = []
    for _ in range(2):
        lcd.port(0xF2)
        lcd.port(0xF6)
        nibbles += lcd.bus.read(0x27, 1)
        lcd.port(0xF2)
    assert nibbles == [0x0E, 0x3E]  # not busy, address 3; P3 to P0 as they were set
    lcd.port(0x50)
    assert lcd.bus.read(0x27, 1) == b"\x58"


def test_a_backpack_at_another_address_bit_by_bit() -> None:
    it = OnTable("wokwi-lcd1602", pins="i2c", i2cAddress="0x3f")
    bus = SoftI2c(it.wires)
    assert bus.write(0x27, b"\x00") == [False, False]
    assert bus.write(0x3F, b"\x00") == [True, True]
    assert it.see("backlight") is False
    assert bus.read(0x3F, 2) == b"\x00\x00"
    assert it.wires.driven.get("SCL", RELEASED).is_low is False
