"""What a display shows, as a picture, pixel by pixel as Wokwi's own are.

Sizes and colours as in the pictures of Wokwi's tests of its parts (repository
wokwi-part-tests): an OLED in black and white, a colour display as wide as it is
seen; of lights in a row or a matrix
each is a square of 8 x 8.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from pytest_embedbench.circuits.png_file import Picture

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_embedbench.wiring.part_model import Reading

    Rgb = tuple[int, int, int]

_OPAQUE = b"\xff"
_SQUARE = 8
_BLACK, _WHITE = b"\x00\x00\x00\xff", b"\xff\xff\xff\xff"
_OLEDS = ("board-ssd1306", "wokwi-ssd1306")
_COLOURED = ("wokwi-ili9341",)
_DOTS = ("wokwi-max7219-matrix",)
_CHAINS = ("wokwi-neopixel", "wokwi-led-ring", "wokwi-led-strip")
_MATRICES = ("wokwi-led-matrix", "wokwi-neopixel-matrix", "wokwi-neopixel-canvas")
WITH_FRAMEBUFFER = (*_OLEDS, *_COLOURED, *_DOTS, *_CHAINS, *_MATRICES)
"""The types of parts whose pictures are made here."""


def framebuffer(kind: str, observe: Callable[[str], Reading]) -> Picture:
    """Return what a part shows.

    Args:
        kind: Its type, one of ``WITH_FRAMEBUFFER``.
        observe: Returns what is seen of it, by the name of an observable.
    """
    seen = observe("pixels")
    if kind in _CHAINS:
        return _picture([_colours(cast("Sequence[Rgb]", seen))], _SQUARE)
    if kind in (*_MATRICES, *_COLOURED):
        rows = [_colours(row) for row in cast("Sequence[Sequence[Rgb]]", seen)]
        return _picture(rows, _SQUARE if kind in _MATRICES else 1)
    lit = cast("Sequence[Sequence[bool]]", seen)
    dots = [[_WHITE if dot else _BLACK for dot in row] for row in lit]
    return _picture(dots, 1 if kind in _OLEDS else _SQUARE)


def _colours(pixels: Sequence[Rgb]) -> list[bytes]:
    return [bytes(pixel) + _OPAQUE for pixel in pixels]


def _picture(rows: Sequence[Sequence[bytes]], square: int) -> Picture:
    wide = (b"".join(pixel * square for pixel in row) for row in rows)
    rgba = b"".join(row * square for row in wide)
    return Picture(square * len(rows[0]), square * len(rows), rgba)
