"""What a pattern of seven segments reads as."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

SEGMENTS = ("A", "B", "C", "D", "E", "F", "G")
_GLYPHS = {
    "": " ",
    "ABCDEF": "0",
    "BC": "1",
    "ABDEG": "2",
    "ABCDG": "3",
    "BCFG": "4",
    "ACDFG": "5",
    "ACDEFG": "6",
    "ABC": "7",
    "ABCDEFG": "8",
    "ABCDFG": "9",
    "ABCFG": "9",
    "CDEFG": "b",
    "ADEF": "C",
    "DEG": "c",
    "BCDEG": "d",
    "ADEFG": "E",
    "AEFG": "F",
    "BCEFG": "H",
    "CEFG": "h",
    "BCDE": "J",
    "DEF": "L",
    "CEG": "n",
    "CDEG": "o",
    "ABCEFG": "A",
    "ABEFG": "P",
    "EG": "r",
    "DEFG": "t",
    "BCDEF": "U",
    "CDE": "u",
    "BCDFG": "y",
    "G": "-",
    "D": "_",
    "ABFG": "\N{DEGREE SIGN}",
}
"""By the segments that are lit; others read as ``?``.

Decoders such as TI's CD74HC4511 (SCHS279E, function table) show 6 and 9 without tails:
such a 9 is one here, and such a 6 cannot be told from a ``b``.
"""


def read_glyph(lit: Iterable[bool]) -> str:
    """Return the character that segments A to G make, ``?`` if they make none."""
    named = zip(SEGMENTS, lit, strict=True)
    return _GLYPHS.get("".join(name for name, is_lit in named if is_lit), "?")
