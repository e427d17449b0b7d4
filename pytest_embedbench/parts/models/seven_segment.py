"""7-segment displays of one to four digits, driven digit by digit or at once.

Each segment of each digit is an LED between its own pin and the digit's. An eye sees
them all, and so does ``text``: what is nearly as bright as the brightest one is lit, if
that is lit for 0.05 % of the time at least. That is 10 uA of 20 mA, which is dim, and
seen; a flash of a few us in a blank display is not. The colon is not modelled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.parts.models.averaging import lights
from pytest_embedbench.parts.models.glyphs import SEGMENTS, read_glyph

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.wiring.part_model import Reading, Wires

_SEGMENTS = (*SEGMENTS, "DP")
_DARKEST = 0.0005
"""What is darker is off, however dark all others are."""
_SHARE_OF_BRIGHTEST = 0.25
"""Digits take turns: of one, a window may hold half as much as of another."""


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
    *lit, point = (level >= threshold for level in digit)
    return read_glyph(lit) + ("." if point else "")
