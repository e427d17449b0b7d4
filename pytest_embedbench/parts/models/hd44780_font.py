"""What the codes of an HD44780U look like, with its character ROM A00.

By Hitachi's datasheet "HD44780U (LCD-II)", ADE-207-272, table 4. The first 16 codes are
the eight characters that firmware draws: ``chr(0)`` to ``chr(7)`` here. DF is the small
circle of katakana and reads as a degree sign, for which all use it; two signs that have
no single letter are ``\N{SUPERSCRIPT MINUS}`` (minus one, raised: E9) and ``x`` (with a
bar: F8).
"""

from __future__ import annotations

_FIRST_KATAKANA, _DEGREE = 0xA1, 0xDF
_HALFWIDTH_FORMS = 0xFF61
_ASCII = range(0x20, 0x7E)
_KATAKANA = range(_FIRST_KATAKANA, _DEGREE)
_OTHERS = {
    0x5C: "\N{YEN SIGN}",
    0x7E: "\N{RIGHTWARDS ARROW}",
    0x7F: "\N{LEFTWARDS ARROW}",
    _DEGREE: "\N{DEGREE SIGN}",
}
_LAST_ROWS = (
    "\N{GREEK SMALL LETTER ALPHA}\xe4\N{GREEK SMALL LETTER BETA}"
    "\N{GREEK SMALL LETTER EPSILON}\xb5\N{GREEK SMALL LETTER SIGMA}"
    "\N{GREEK SMALL LETTER RHO}g\N{SQUARE ROOT}\N{SUPERSCRIPT MINUS}j"
    "\N{MODIFIER LETTER SMALL X}\xa2\xa3\xf1\xf6"
    "pq\N{GREEK SMALL LETTER THETA}\N{INFINITY}\N{GREEK CAPITAL LETTER OMEGA}\xfc"
    "\N{GREEK CAPITAL LETTER SIGMA}\N{GREEK SMALL LETTER PI}xy"
    "\N{CJK UNIFIED IDEOGRAPH-5343}\N{CJK UNIFIED IDEOGRAPH-4E07}"
    "\N{CJK UNIFIED IDEOGRAPH-5186}\xf7 \N{FULL BLOCK}"
)
"""E0 to FF."""
_DRAWN = 16
_DRAWN_MASK = 7


def _letter(code: int) -> str:
    if code < _DRAWN:
        return chr(code & _DRAWN_MASK)
    if code in _OTHERS:
        return _OTHERS[code]
    if code in _KATAKANA:
        return chr(_HALFWIDTH_FORMS + code - _FIRST_KATAKANA)
    if code > _DEGREE:
        return _LAST_ROWS[code - _DEGREE - 1]
    return chr(code) if code in _ASCII else " "


LETTERS = tuple(_letter(code) for code in range(0x100))
"""By code."""
