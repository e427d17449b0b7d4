"""SSD1306, by a driver from its datasheet: what is drawn is where a person sees it."""

from __future__ import annotations

import pytest

from pytest_embedbench.errors import ConfigError
from tests.support.bit_bus import ByteI2c, SoftI2c
from tests.support.placed import OnTable

# 8.9 and table 9-1: what usual drivers send first.
USUAL = bytes.fromhex(
    "ae d580 a83f d300 40 8d14 2000 a1 c8 da12 81cf d9f1 db40 a4 a6 af"
)
WIDTH, HEIGHT = 128, 64


class Screen:
    def __init__(self, setup: bytes = USUAL, *, kind: str = "board-ssd1306") -> None:
        self.it = OnTable(kind)
        self.bus = ByteI2c(self.it.wires)
        self.command(setup)

    def command(self, codes: bytes) -> None:
        assert all(self.bus.write(0x3C, b"\x00" + codes))

    def data(self, data: bytes) -> None:
        assert all(self.bus.write(0x3C, b"\x40" + data))

    def pixels(self) -> list[list[bool]]:
        rows = self.it.see("pixels")
        assert isinstance(rows, tuple)
        return [list(row) for row in rows if isinstance(row, tuple)]  # type: ignore[arg-type]

    def lit(self) -> set[tuple[int, int]]:
        """Return the x and y of all that are lit, from the top left."""
        rows = self.pixels()
        assert [len(row) for row in rows] == [WIDTH] * HEIGHT
        return {(x, y) for y, row in enumerate(rows) for x, on in enumerate(row) if on}


def at(*places: tuple[int, int]) -> set[tuple[int, int]]:
    return {*places}


def test_the_first_byte_is_at_the_left_of_the_top_its_lowest_bit_uppermost() -> None:
    screen = Screen()
    screen.data(b"\x03\x80")
    assert screen.lit() == at((0, 0), (0, 1), (1, 7))


def test_a_whole_frame_is_where_it_was_drawn_bit_by_bit() -> None:
    drawn = {(x, y) for x in range(WIDTH) for y in range(HEIGHT) if x * y % 7 == 3}
    frame = bytes(
        sum(((x, 8 * page + bit) in drawn) << bit for bit in range(8))
        for page in range(8)
        for x in range(WIDTH)
    )
    screen = Screen()
    screen.command(b"\x21\x00\x7f\x22\x00\x07")
    bus = SoftI2c(screen.it.wires)
    for first in range(0, len(frame), 31):
        assert all(bus.write(0x3C, b"\x40" + frame[first : first + 31]))
    assert screen.lit() == drawn


def test_the_older_type_hangs_on_data_and_clk() -> None:
    screen = Screen(kind="wokwi-ssd1306")
    bus = SoftI2c(screen.it.wires, "DATA", "CLK")
    assert all(bus.write(0x3C, b"\x40\x01"))
    assert screen.lit() == at((0, 0))


def test_horizontal_addressing_wraps_within_its_window() -> None:
    screen = Screen()
    screen.command(b"\x20\x00\x21\x0a\x0b\x22\x02\x03")
    screen.data(b"\x01\x02\x04\x08\x10")
    assert screen.lit() == at((11, 17), (10, 26), (11, 27), (10, 20))


def test_vertical_addressing_goes_down_first() -> None:
    screen = Screen()
    screen.command(b"\x20\x01\x21\x0a\x0b\x22\x02\x03")
    screen.data(b"\x01\x02\x04\x08\x10")
    assert screen.lit() == at((10, 25), (11, 18), (11, 27), (10, 20))


def test_page_addressing_stays_in_its_page() -> None:
    screen = Screen()
    screen.command(b"\x20\x02\xb5\x0e\x17")  # page 5, column 0x7e
    screen.data(b"\x01\x01\x01")
    assert screen.lit() == at((126, 40), (127, 40), (0, 40))


def test_pages_are_set_in_horizontal_mode_too() -> None:
    # Drivers that mean page mode by "20 10" get this one, and work on the chip.
    screen = Screen()
    screen.command(b"\x20\x10")
    for page in (7, 0):
        screen.command(bytes((0xB0 | page, 0x02, 0x10)))
        screen.data(b"\x80")
    assert screen.lit() == at((2, 63), (2, 7))


def test_a_command_may_come_in_pieces_and_among_data() -> None:
    screen = Screen()
    assert all(screen.bus.write(0x3C, b"\x80\x22\x80\x01\x80\x07\xc0\xff\x40\x01\x02"))
    assert screen.lit() == {(0, y) for y in range(8, 16)} | at((1, 8), (2, 9))
    for code in (0x21, 0x05, 0x7F):
        screen.command(bytes((code,)))
    screen.data(b"\x10")
    assert (5, 12) in screen.lit()


def test_inverse_all_on_off_and_the_pump() -> None:
    everywhere = {(x, y) for x in range(WIDTH) for y in range(HEIGHT)}
    screen = Screen()
    screen.data(b"\x01")
    screen.command(b"\xa7")
    assert screen.lit() == everywhere - at((0, 0))
    screen.command(b"\xa5")
    assert screen.lit() == everywhere
    screen.command(b"\xa4\xa6")
    assert screen.bus.read(0x3C, 1) == b"\x00"
    screen.command(b"\xae")
    assert screen.lit() == set()
    assert screen.bus.read(0x3C, 1) == b"\x40"
    screen.command(b"\x8d\x10\xaf")
    assert screen.lit() == set()
    screen.command(b"\x8d\x14")
    assert screen.lit() == at((0, 0))


def test_a_reset_display_is_dark_and_stands_on_its_head() -> None:
    screen = Screen(b"\x8d\x14")
    screen.data(b"\x01")
    assert screen.lit() == set()
    screen.command(b"\xaf")
    assert screen.lit() == at((127, 63))


def test_segments_are_remapped_for_what_comes_and_coms_at_once() -> None:
    screen = Screen()
    screen.data(b"\x01")
    screen.command(b"\xa0\xc0\x21\x00\x7f")
    assert screen.lit() == at((0, 63))
    screen.data(b"\x02")
    assert screen.lit() == at((0, 63), (127, 62))


@pytest.mark.parametrize(
    ("codes", "line"),
    [
        # Tables 10-1 and 10-2: (start, offset) by scan; glass line 0 is COM63.
        ("48", -8),  # start line 8: RAM 8 is uppermost
        ("d308", -8),
        ("c0 48", 63 + 8),
        ("c0 d308", 63 + 8),
        ("a81f", 32),  # 32 lines from COM31 down
        ("c0 a81f", 63),
    ],
)
def test_lines_move_on_the_glass(codes: str, line: int) -> None:
    screen = Screen()
    screen.command(bytes.fromhex(codes))
    screen.command(b"\x22\x01\x07")
    screen.data(b"\x04")  # line 10 of RAM
    sign = -1 if "c0" in codes else 1
    assert screen.lit() == at((0, (line + sign * 10) % 64))


def test_lines_beyond_the_multiplex_ratio_are_dark() -> None:
    screen = Screen()
    screen.command(b"\xa8\x1f\xa5")
    assert screen.lit() == {(x, y) for x in range(WIDTH) for y in range(32, 64)}
    screen.command(b"\xa8\x05")  # 0 to 14 are invalid
    assert len(screen.lit()) == WIDTH * 32


def test_the_other_configuration_of_coms_tears_lines_apart() -> None:
    screen = Screen()
    screen.command(b"\xda\x02")
    screen.data(b"\x07")
    # COM63, 62, 61 are on the glass's odd lines from above.
    assert screen.lit() == at((0, 0), (0, 2), (0, 4))
    screen.command(b"\xda\x22")
    assert screen.lit() == at((0, 1), (0, 3), (0, 5))


def test_scrolls_take_their_bytes() -> None:
    screen = Screen()
    screen.command(
        bytes.fromhex("26 00 00 00 07 00 ff 29 00 00 00 07 01 a3 00 40 2f 2e")
    )
    screen.data(b"\x01")
    assert screen.lit() == at((0, 0))


@pytest.mark.parametrize("address", ["0x80", "0x00", "oled", "08", ""])
def test_an_address_has_to_be_one(address: str) -> None:
    with pytest.raises(ConfigError, match=f"i2cAddress is '{address}', must be an"):
        OnTable("board-ssd1306", i2cAddress=address)


def test_another_address_leaves_the_first_one_free() -> None:
    it = OnTable("board-ssd1306", i2cAddress="0x3d")
    assert [*it.wires.i2c] == [0x3D]
    older = OnTable("wokwi-ssd1306", **{"i2c-address": "0x3d"})
    assert [*older.wires.i2c] == [0x3D]
