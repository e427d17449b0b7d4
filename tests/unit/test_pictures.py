"""Pictures: PNG both ways, what displays look like, and reading those of Wokwi."""

from __future__ import annotations

import struct
import zlib

import pytest

from pytest_embedbench.circuits.framebuffers import WITH_FRAMEBUFFER, framebuffer
from pytest_embedbench.circuits.lcd_dots import LCD_DOTS
from pytest_embedbench.circuits.picture_reading import unlike
from pytest_embedbench.circuits.png_file import Picture, decode_png, encode_png
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.parts import CATALOGUE

RED, GREEN, BLUE = (255, 0, 0), (0, 255, 0), (0, 0, 255)
SIGNATURE = b"\x89PNG\r\n\x1a\n"


def png(
    kind: int, depth: int, rows: bytes, size: tuple[int, int], **more: bytes
) -> bytes:
    """Return a file of rows that begin with their filter."""
    head = struct.pack(">IIBBBBB", *size, depth, kind, 0, 0, 0)
    chunks = {b"IHDR": head, **{name.encode(): it for name, it in more.items()}}
    chunks[b"IDAT"] = zlib.compress(rows)
    body = b""
    for name, data in {**chunks, b"IEND": b""}.items():
        checked = struct.pack(">I", zlib.crc32(name + data))
        body += struct.pack(">I", len(data)) + name + data + checked
    return SIGNATURE + body


def test_a_picture_is_the_same_after_both_ways() -> None:
    picture = Picture(3, 2, bytes(range(24)))
    assert decode_png(encode_png(picture), "it") == picture
    assert picture.pixel(1, 1) == (16, 17, 18, 19)


@pytest.mark.parametrize(
    ("kind", "depth", "rows", "pixels"),
    [
        (0, 1, b"\x00\xa0", [(255,) * 3, (0,) * 3, (255,) * 3]),
        (0, 8, b"\x00\x01\x02\x03", [(1,) * 3, (2,) * 3, (3,) * 3]),
        (0, 8, b"\x01\x01\x01\x01", [(1,) * 3, (2,) * 3, (3,) * 3]),
        (0, 8, b"\x03\x02\x02\x02", [(2,) * 3, (3,) * 3, (3,) * 3]),
        (0, 8, b"\x04\x02\x02\x02", [(2,) * 3, (4,) * 3, (6,) * 3]),
        (2, 8, b"\x02" + bytes(range(9)), [(0, 1, 2), (3, 4, 5), (6, 7, 8)]),
        (3, 2, b"\x00\x18", [RED, GREEN, BLUE]),
        (4, 8, b"\x00\x01\xff\x02\xff\x03\xff", [(1,) * 3, (2,) * 3, (3,) * 3]),
    ],
)
def test_what_others_make_is_read(
    kind: int, depth: int, rows: bytes, pixels: list[tuple[int, int, int]]
) -> None:
    palette = {"PLTE": bytes((*RED, *GREEN, *BLUE))}
    picture = decode_png(png(kind, depth, rows, (3, 1), **palette), "it")
    assert [picture.pixel(x, 0) for x in range(3)] == [(*it, 255) for it in pixels]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"GIF89a", "it: is no PNG: it begins with b'GIF89a'"),
        (SIGNATURE, "it: is a damaged PNG"),
        (png(0, 16, b"", (1, 1)), "it: is of 16 bits a channel"),
        (png(0, 8, b"\x00", (1, 1)), "damaged PNG \\(it has 1 bytes of pixels\\)"),
        (png(0, 8, b"\x09\x00", (1, 1)), "no filter is of type 9"),
        (png(0, 8, b"\x00\x00", (1, 1))[:-1], "it: is a damaged PNG"),
        (png(0, 8, b"", (1 << 20, 1 << 20)), "is 1048576 x 1048576 pixels large"),
        (encode_png(Picture(1, 1, b"1234")).replace(b"IDAT", b"JDAT"), "checksum of"),
    ],
)
def test_what_is_no_picture_is_a_sentence(data: bytes, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        decode_png(data, "it")


def test_lights_are_squares_and_an_oled_is_as_it_is() -> None:
    row = framebuffer("wokwi-led-ring", lambda _: (RED, GREEN))
    assert (row.width, row.height) == (16, 8)
    assert (row.pixel(7, 7)[:3], row.pixel(8, 0)[:3]) == (RED, GREEN)
    matrix = framebuffer("wokwi-led-matrix", lambda _: ((RED,), (BLUE,)))
    assert (matrix.width, matrix.height) == (8, 16)
    assert (matrix.pixel(0, 7)[:3], matrix.pixel(0, 8)[:3]) == (RED, BLUE)
    dots = framebuffer("wokwi-max7219-matrix", lambda _: ((True, False),))
    assert (dots.width, dots.pixel(7, 0)[0], dots.pixel(8, 0)[0]) == (16, 255, 0)
    colours = framebuffer("wokwi-ili9341", lambda _: ((RED, BLUE),))
    assert (colours.width, colours.pixel(1, 0)[:3]) == (2, BLUE)
    oled = framebuffer("board-ssd1306", lambda _: ((True, False),))
    assert (oled.width, oled.pixel(0, 0)[0], oled.pixel(1, 0)[0]) == (2, 255, 0)


def test_each_type_with_a_picture_is_one_with_pixels() -> None:
    with_pixels = {
        name for name, kind in CATALOGUE.types.items() if "pixels" in kind.observables
    }
    assert with_pixels == {*WITH_FRAMEBUFFER}


def lcd_picture(*rows: str) -> Picture:
    """Return black dots on green, as large as Wokwi's, without its soft edges."""
    width, height = 213, 44
    pixels = bytearray(bytes((103, 170, 1, 255)) * width * height)
    for line, text in enumerate(rows):
        for column, shown in enumerate(text):
            for y, dots in enumerate(LCD_DOTS[shown]):
                for x in range(5):
                    if dots >> (4 - x) & 1:
                        left = int((column * 3.55 + x * 0.6) * 96 / 25.4 + 0.4)
                        top = int((line * 5.95 + y * 0.7) * 96 / 25.4 + 0.4)
                        for at in (left, left + 1):
                            for down in (top, top + 1):
                                begins = 4 * (down * width + at)
                                pixels[begins : begins + 3] = b"\0\0\0"
    return Picture(width, height, bytes(pixels))


def lcd_shows(*rows: str) -> dict[str, object]:
    return {"text": rows, "glyphs": (((False,) * 5,) * 8,) * 8}


def test_the_characters_of_an_lcd_are_read_off() -> None:
    written = "Temp: 21.5 \N{DEGREE SIGN}C  ", "0123456789 {}*@_"
    picture = lcd_picture(*written)
    assert unlike("wokwi-lcd1602", picture, lcd_shows(*written)) == ""  # type: ignore[arg-type]
    told = unlike("wokwi-lcd1602", picture, lcd_shows(written[0], "0123456789 ()*@_"))  # type: ignore[arg-type]
    assert told == "row 2 is '0123456789 ()*@_', and at column 12 '{' is expected"
    small = unlike("wokwi-lcd1602", Picture(1, 1, b"1234"), lcd_shows("a", "b"))  # type: ignore[arg-type]
    assert "1 x 1 pixels are too few" in small


def digits_picture(*lit: str) -> Picture:
    middles = ((18, 3), (31, 16), (31, 46), (18, 60), (3, 46), (3, 16), (18, 32))
    pixels = bytearray(bytes((31, 31, 31, 255)) * 192 * 64)
    for number, names in enumerate(lit):
        for name in names:
            x, y = (91, 19) if name == ":" else middles["ABCDEFG".index(name)]
            at = 4 * (y * 192 + x + (0 if name == ":" else 48 * number))
            pixels[at : at + 3] = b"\xff\xff\xff"
    return Picture(192, 64, bytes(pixels))


def digits_show(*lit: str) -> dict[str, object]:
    segments = tuple(tuple(name in each for name in "ABCDEFG:") for each in lit)
    return {"text": "12:  ", "segments": segments}


def test_the_segments_of_four_digits_are_read_off() -> None:
    kind, lit = "wokwi-tm1637-7segment", ("BC", "ABGED:", "", "G")
    picture = digits_picture(*lit)
    assert unlike(kind, picture, digits_show(*lit)) == ""  # type: ignore[arg-type]
    told = unlike(kind, picture, digits_show("BC", "ABGED:", "", ""))  # type: ignore[arg-type]
    assert told == "digit 4 has nothing lit, and G are expected (text '12:  ')"
    told = unlike(kind, picture, digits_show("BC", "ABGED", "", "G"))  # type: ignore[arg-type]
    assert told == "the colon is dark, and the other is expected"
