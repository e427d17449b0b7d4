"""MAX7219 matrices, by a driver from the datasheet."""

from __future__ import annotations

import pytest

from pytest_embedbench.pins import Level
from tests.support.bit_bus import SoftSpi
from tests.support.placed import OnTable

PINS = ("CLK", "DIN", "CS")
SCAN_ALL, WAKE = (0x0B, 7), (0x0C, 1)


class Matrix:
    """A chain; words are given from its first chip on."""

    def __init__(
        self, count: int = 1, layout: str = "fc16", *, awake: bool = True
    ) -> None:
        self.count = count
        self.it = OnTable("wokwi-max7219-matrix", chain=str(count), layout=layout)
        self.spi = SoftSpi(self.it.wires, PINS, "DOUT")
        for register, value in (SCAN_ALL, WAKE) if awake else ():
            self.all(register, value)

    def words(self, *words: tuple[int, int]) -> bytes:
        """Send a word to each chip: the last one's first."""
        return self.spi.send(*(byte for word in reversed(words) for byte in word))

    def all(self, register: int, value: int) -> None:
        self.words(*[(register, value)] * self.count)

    def rows(self) -> list[str]:
        rows = self.it.see("pixels")
        assert isinstance(rows, tuple)
        texts = [
            "".join("#" if on else "." for on in row)
            for row in rows
            if isinstance(row, tuple)
        ]
        assert [len(text) for text in texts] == [8 * self.count] * 8
        return texts


DARK = "." * 8


def test_after_power_on_it_is_shut_down() -> None:
    it = Matrix(awake=False)
    it.all(0x01, 0xFF)
    assert it.rows() == [DARK] * 8
    it.all(*WAKE)
    assert it.rows() == ["#" * 8, *[DARK] * 7]  # and scans one digit


@pytest.mark.parametrize(
    ("layout", "row"), [("fc16", "##.#...."), ("parola", "....#.##")]
)
def test_a_digit_is_a_row_from_the_top(layout: str, row: str) -> None:
    it = Matrix(layout=layout)
    it.all(0x01, 0b1101_0000)
    it.all(0x08, 0b1101_0000)
    assert it.rows() == [row, *[DARK] * 6, row]


def test_the_first_chip_of_a_chain_is_at_the_right() -> None:
    it = Matrix(3)
    it.words((0x02, 0x0F), (0x02, 0xF0), (0x02, 0x81))
    assert it.rows()[1] == "#......#####........####"
    it.words((0x00, 0x55), (0x02, 0x00), (0x00, 0xAA))  # the first and last do nothing
    assert it.rows()[1] == "#......#............####"


def test_what_falls_out_is_for_the_next_chip() -> None:
    it = Matrix(2)
    it.spi.send(1, 2, 3, 4)
    assert it.spi.send(0x11, 0x22, 0x33, 0x44) == bytes((1, 2, 3, 4))
    assert it.spi.send(0, 0) == b"\x11\x22"


def test_only_the_last_word_counts() -> None:
    it = Matrix()
    it.spi.send(0x01, 0xFF, 0x02, 0x18, 0x03, 0x81)
    assert it.rows() == [DARK, DARK, "#......#", *[DARK] * 5]


def test_bits_are_shifted_in_while_it_is_not_selected() -> None:
    it = Matrix()
    it.spi.send(0x00, 0x00)
    it.spi.transfer(0x01)
    it.spi.transfer(0xFF)
    assert it.rows()[0] == DARK
    it.spi.chosen(is_selected=True)
    it.spi.chosen(is_selected=False)
    assert it.rows()[0] == "#" * 8


def test_shutdown_blanks_and_test_lights_all() -> None:
    it = Matrix()
    it.all(0x01, 0x3C)
    it.all(0x0C, 0)
    assert it.rows() == [DARK] * 8
    it.all(0x0F, 1)
    assert it.rows() == ["#" * 8] * 8
    it.all(0x0F, 0)
    it.all(0x0C, 1)
    assert it.rows()[0] == "..####.."


def test_the_scan_limit_leaves_rows_dark() -> None:
    it = Matrix()
    for digit in range(1, 9):
        it.all(digit, 0xFF)
    it.all(0x0B, 2)
    assert it.rows() == ["#" * 8] * 3 + [DARK] * 5


def test_digits_are_decoded_one_by_one() -> None:
    it = Matrix()
    it.all(0x09, 0b0000_0110)
    for digit, value in ((1, 0x88), (2, 0x88), (3, 0x0A), (4, 0x0A)):
        it.all(digit, value)
    # DP A B C D E F G: an 8 with its point, and a dash.
    assert it.rows()[:4] == ["#...#...", "########", ".......#", "....#.#."]


def test_each_matrix_has_its_intensity() -> None:
    it = Matrix(2)
    assert it.it.see("intensity") == (0, 0)
    it.words((0x0A, 0x0F), (0x0A, 0x13))
    assert it.it.see("intensity") == (3, 15)


def test_shift_out_is_enough() -> None:
    """As ``shiftOut`` and ``digitalWrite`` have it, by hand."""
    it = OnTable("wokwi-max7219-matrix", layout="fc16")
    wires = it.wires
    low, high = Level.LOW, Level.HIGH
    for register, value in (WAKE, (0x01, 0xA5)):
        wires.show(CS=low, CLK=low)
        for bit in f"{register << 8 | value:016b}":
            wires.advance_us(4)
            wires.show(DIN=high if bit == "1" else low)
            wires.advance_us(4)
            wires.show(CLK=high)
            wires.advance_us(4)
            wires.show(CLK=low)
        wires.show(CS=high)
        wires.advance_us(4)
    rows = it.see("pixels")
    assert isinstance(rows, tuple)
    assert rows[0] == (True, False, True, False, False, True, False, True)
