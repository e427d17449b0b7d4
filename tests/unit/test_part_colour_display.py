"""ILI9341, by a driver from the datasheet."""

from __future__ import annotations

from typing import cast

import pytest

from pytest_embedbench.pins import Level
from tests.support.bit_bus import SoftSpi
from tests.support.placed import OnTable

PINS = ("SCK", "MOSI", "CS")
BLACK = (0, 0, 0)
RED, GREEN, BLUE = 0xF800, 0x07E0, 0x001F
WHITE_SEEN = (248, 252, 248)
PORTRAIT, LANDSCAPE, MIRROR_ROWS = 0x48, 0x28, 0x80
BITS_16, BITS_18 = 0x55, 0x66


class Display:
    """A module that is awake, if nothing else is said."""

    def __init__(self, madctl: int = PORTRAIT, *, awake: bool = True) -> None:
        self.it = OnTable("wokwi-ili9341")
        self.spi = SoftSpi(self.it.wires, PINS)
        self.command(0x36, madctl)
        self.command(0x3A, BITS_16)
        for command in (0x11, 0x29) if awake else ():
            self.command(command)

    def command(self, command: int, *data: int) -> None:
        self.it.wires.show_all({"D/C": Level.LOW})
        self.spi.chosen(is_selected=True)
        self.spi.transfer(command)
        self.it.wires.show_all({"D/C": Level.HIGH})
        for byte in data:
            self.spi.transfer(byte)
        self.spi.chosen(is_selected=False)

    def window(self, x: tuple[int, int], y: tuple[int, int]) -> None:
        for command, (first, last) in ((0x2A, x), (0x2B, y)):
            self.command(command, first >> 8, first & 255, last >> 8, last & 255)

    def write(self, *words: int) -> None:
        self.command(0x2C, *(byte for it in words for byte in (it >> 8, it & 255)))

    def lit(self) -> dict[tuple[int, int], tuple[int, int, int]]:
        """Return what is not black, by x and y."""
        rows = cast(
            "tuple[tuple[tuple[int, int, int], ...], ...]", self.it.see("pixels")
        )
        self.size = len(rows[0]), len(rows)
        return {
            (x, y): colour
            for y, row in enumerate(rows)
            if any(map(any, row))
            for x, colour in enumerate(row)
            if colour != BLACK
        }


@pytest.mark.parametrize(
    ("madctl", "size"), [(PORTRAIT, (240, 320)), (LANDSCAPE, (320, 240))]
)
def test_a_window_is_filled_row_by_row_and_anew(
    madctl: int, size: tuple[int, int]
) -> None:
    it = Display(madctl)
    it.window((5, 6), (9, 10))
    it.write(RED, GREEN, BLUE, 0xFFFF, 0)
    assert it.lit() == {
        (6, 9): (0, 252, 0),
        (5, 10): (0, 0, 248),
        (6, 10): WHITE_SEEN,
    }
    assert it.size == size


def test_rows_can_be_mirrored() -> None:
    it = Display(PORTRAIT | MIRROR_ROWS)
    it.window((0, 0), (0, 319))
    it.write(RED)
    assert it.lit() == {(0, 319): (248, 0, 0)}


def test_pixels_of_18_bits_and_what_is_outside() -> None:
    it = Display()
    it.command(0x3A, BITS_18)
    it.window((239, 240), (319, 319))
    it.command(0x2C, 0xFF, 0x07, 0x10, 0xFF, 0xFF, 0xFF)
    assert it.lit() == {(239, 319): (252, 4, 16)}


def test_it_is_dark_until_it_is_woken_and_whenever_it_sleeps() -> None:
    it = Display(awake=False)
    it.window((0, 0), (0, 0))
    it.write(0xFFFF)
    assert it.lit() == {}
    it.command(0x29)
    assert it.lit() == {}
    it.command(0x11)
    assert it.lit() == {(0, 0): WHITE_SEEN}
    it.command(0x21)
    seen = it.lit()
    assert (seen[0, 0], seen[1, 0]) == ((7, 3, 7), (255, 255, 255))
    it.command(0x20)
    it.it.wires.show_all({"LED": Level.LOW})
    assert it.lit() == {}
    it.it.wires.show_all({"LED": Level.HIGH})
    it.command(0x10)
    assert it.lit() == {}


def test_a_reset_leaves_memory_and_nothing_else() -> None:
    it = Display()
    it.window((0, 0), (0, 0))
    it.write(0xFFFF)
    it.it.wires.show_all({"RST": Level.LOW})
    it.it.wires.show_all({"RST": Level.HIGH})
    assert it.lit() == {}
    it.command(0x11)
    it.command(0x29)
    assert [*it.lit().values()] == [WHITE_SEEN]
    it.command(0x01)
    assert it.lit() == {}
