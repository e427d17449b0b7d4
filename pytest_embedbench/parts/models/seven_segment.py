"""7-segment displays of one to four digits, driven digit by digit or at once.

Each segment of each digit is an LED between its own pin and the digit's. An eye sees
them all, and so does ``text``: what is nearly as bright as the brightest one is lit.
The colon is not modelled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.parts.models.averaging import lights

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.wiring.part_model import Reading, Wires

_SEGMENTS = ("A", "B", "C", "D", "E", "F", "G", "DP")
_POINT = 7
_DARKEST = 0.01
"""What is darker is off, however dark all others are."""
_SHARE_OF_BRIGHTEST = 0.25
"""Digits take turns: of one, a window may hold half as much as of another."""
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


class SevenSegment:
    """All digits of a display."""

    def __init__(self, wires: Wires, attrs: Mapping[str, str]) -> None:
        count = int(attrs["digits"])
        digits = ["COM"] if count == 1 else [f"DIG{i + 1}" for i in range(count)]
        is_anode = attrs["common"] == "anode"
        pairs = [(digit, segment) for digit in digits for segment in _SEGMENTS]
        self._lights = lights(
            wires, pairs if is_anode else [(leg, digit) for digit, leg in pairs]
        )

    def observe(self, at_ticks: int, name: str) -> Reading:
        """Return the text, or A to G and DP of each digit, from the left."""
        levels = [light.over_window(at_ticks) for light in self._lights]
        per_digit = len(_SEGMENTS)
        digits = [
            tuple(levels[first : first + per_digit])
            for first in range(0, len(levels), per_digit)
        ]
        if name == "segments":
            return tuple(digits)
        threshold = max(_DARKEST, _SHARE_OF_BRIGHTEST * max(levels))
        return "".join(_read(digit, threshold) for digit in digits)


def _read(digit: tuple[float, ...], threshold: float) -> str:
    lit = "".join(
        segment
        for segment, level in zip(_SEGMENTS[:_POINT], digit, strict=False)
        if level >= threshold
    )
    return _GLYPHS.get(lit, "?") + ("." if digit[_POINT] >= threshold else "")
