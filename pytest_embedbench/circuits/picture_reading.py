"""Reading Wokwi's anti-aliased pictures, which cannot be matched pixel by pixel.

Of TM1637's digits it is read which segments are lit, of an LCD which dots are inked,
and what character each cell comes nearest to. Places as in the pictures of Wokwi's
tests of its parts, 192 x 64 and 213 x 44 pixels large: digits are 48 pixels wide, and
dots of an LCD 0.6 by 0.7 mm apart in cells of 3.55 by 5.95 mm, at 96 pixels to the
inch.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, cast

from pytest_embedbench.circuits.lcd_dots import LCD_DOTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_embedbench.circuits.lcd_dots import Dots
    from pytest_embedbench.circuits.png_file import Picture
    from pytest_embedbench.wiring.part_model import Reading

    Seen = Mapping[str, Reading]
    Colour = tuple[int, int, int]

_PX_PER_MM = 96 / 25.4
_CELL_MM, _DOT_MM, _FIRST_DOT_MM = (3.55, 5.95), (0.6, 0.7), (0.275, 0.325)
_COLUMNS, _ROWS = 5, 8
_INKED, _LIT = 100, 127
_DIGIT_PX, _DIGITS = 48, 4
_SEGMENTS_PX = ((18, 3), (31, 16), (31, 46), (18, 60), (3, 46), (3, 16), (18, 32))
"""The middles of A to G."""
_COLON_PX, _COLON_DIGIT = (91, 19), 1


def unlike(kind: str, picture: Picture, seen: Seen) -> str:
    """Say what a picture shows that a part does not; nothing if they are alike.

    Args:
        kind: The part's type, one of ``READ_OFF``.
        picture: What it should look like.
        seen: What is seen of it.
    """
    return READ_OFF[kind](picture, seen)


def _unlike_digits(picture: Picture, seen: Seen) -> str:
    if picture.width < _DIGITS * _DIGIT_PX or picture.height <= _SEGMENTS_PX[3][1]:
        return f"{picture.width} x {picture.height} pixels are too few for four digits"
    shown = cast("Sequence[Sequence[bool]]", seen["segments"])
    for number in range(_DIGITS):
        wanted = [
            _brightness(picture, x + number * _DIGIT_PX, y) > _LIT
            for x, y in _SEGMENTS_PX
        ]
        if wanted != [*shown[number][:-1]]:
            return (
                f"digit {number + 1} has {_lit(shown[number][:-1])} lit, and "
                f"{_lit(wanted)} are expected (text {seen['text']!r})"
            )
    colon = _brightness(picture, *_COLON_PX) > _LIT
    if colon != shown[_COLON_DIGIT][-1]:
        return f"the colon is {'dark' if colon else 'lit'}, and the other is expected"
    return ""


def _lit(segments: Sequence[bool]) -> str:
    names = (name for name, lit in zip("ABCDEFG", segments, strict=True) if lit)
    return " ".join(names) or "nothing"


def _unlike_text(picture: Picture, seen: Seen) -> str:
    rows = cast("Sequence[str]", seen["text"])
    drawn = cast("Sequence[Sequence[Sequence[bool]]]", seen["glyphs"])
    known = dict(LCD_DOTS)
    for code, glyph in enumerate(drawn):
        if chr(code) in "".join(rows):
            known[chr(code)] = tuple(_number(row) for row in glyph)
    paper = _paper(picture)
    for line, text in enumerate(rows):
        for column, shown in enumerate(text):
            dots = _cell(picture, paper, column, line)
            if dots is None:
                size = f"{picture.width} x {picture.height}"
                return f"{size} pixels are too few for {len(rows)} rows of {len(text)}"
            wanted = _nearest(known, dots)
            if shown in known and wanted != shown:
                return (
                    f"row {line + 1} is {text!r}, and at column {column + 1} "
                    f"{wanted!r} is expected"
                )
    return ""


def _nearest(known: Mapping[str, Dots], dots: Dots) -> str:
    return min(known, key=lambda character: _distance(known[character], dots))


def _paper(picture: Picture) -> Colour:
    """Return the colour that most of a picture has."""
    pixels = [picture.rgba[at : at + 3] for at in range(0, len(picture.rgba), 4)]
    red, green, blue = Counter(pixels).most_common(1)[0][0]
    return red, green, blue


def _is_ink(picture: Picture, paper: Colour, at: tuple[int, int]) -> bool:
    colour = picture.pixel(*at)[:3]
    return sum(abs(a - b) for a, b in zip(colour, paper, strict=True)) > _INKED


def _cell(picture: Picture, paper: Colour, column: int, line: int) -> Dots | None:
    """Return the dots of a cell, if all of it is in the picture."""
    rows: list[int] = []
    for y in range(_ROWS):
        places = [(_px(column, x, 0), _px(line, y, 1)) for x in range(_COLUMNS)]
        if any(at[0] >= picture.width or at[1] >= picture.height for at in places):
            if y < _ROWS - 1:
                return None
            rows.append(0)  # the cursor's row, which a picture may leave out
            continue
        rows.append(_number([_is_ink(picture, paper, at) for at in places]))
    return tuple(rows)


def _px(cell: int, dot: int, axis: int) -> int:
    at_mm = cell * _CELL_MM[axis] + dot * _DOT_MM[axis] + _FIRST_DOT_MM[axis]
    return int(at_mm * _PX_PER_MM)


def _number(row: Sequence[bool]) -> int:
    return int("".join("1" if dot else "0" for dot in row), 2)


def _distance(one: Dots, other: Dots) -> int:
    return sum((a ^ b).bit_count() for a, b in zip(one, other, strict=True))


def _brightness(picture: Picture, x: int, y: int) -> float:
    return sum(picture.pixel(x, y)[:3]) / 3


READ_OFF: Mapping[str, Callable[[Picture, Seen], str]] = {
    "wokwi-lcd1602": _unlike_text,
    "wokwi-lcd2004": _unlike_text,
    "wokwi-tm1637-7segment": _unlike_digits,
}
"""The types of parts whose pictures are read, and by whom."""
