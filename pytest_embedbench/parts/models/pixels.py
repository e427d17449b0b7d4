"""Pixels WS2812 in a chain, by Worldsemi's datasheets "WS2812" and "WS2812B".

A bit is a pulse: "WS2812B" has 0.4 us for 0 and 0.8 us for 1, give or take 150 ns, its
later versions 220 to 380 ns and 580 ns to 1 us. What is 580 ns or longer is 1 here,
which is right by all of them; how long the line is low after it does not matter. A
pixel takes the first 24 bits, green, red, blue, highest bits first, and hands on all
that follow at its DOUT; a pixel with fewer bits stays as it was. Chips form pulses anew
and hand them on some 0.3 us later; here they go on at once, as wide as they came.

Low for 50 us shows what was sent. Chips of since 2017 want 280 us and their drivers
wait as long, which suits old ones too; a driver that pauses for more than 50 us within
its data is wrong with old ones, and so it is here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.drives import Strength, drive

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.wiring.part_model import Reading, Wires

_SHORTEST_ONE_NS = 580
_RESET_US = 50
_WHOLE = 1 << 24
_LOW = drive(Strength.OUTPUT, Level.LOW)
_HIGH = drive(Strength.OUTPUT, Level.HIGH)
_HIGH_LEVEL = Level.HIGH
_NEVER = -1


class PixelChain:
    """Pixels that pass their data on; all dark before they have shown any.

    Called for each edge of a line of 800 kHz, so what it does there is little.
    """

    def __init__(self, wires: Wires, count: int) -> None:
        self._wires = wires
        self._count = count
        self._shortest_one_ticks = -(-_SHORTEST_ONE_NS * wires.ticks_per_us // 1000)
        self._reset_ticks = _RESET_US * wires.ticks_per_us
        self._rose_at_ticks = _NEVER
        self._fell_at_ticks = 0
        self._word = 1
        self._is_full = False
        self._sent: list[int] = []
        self._shown = [0] * count
        wires.drive("DOUT", _LOW)
        wires.on_level("DIN", self._on_level)

    def power_on(self, _at_ticks: int) -> None:
        """Be dark."""
        self._shown = [0] * self._count
        self._sent = []
        self._word = 1
        self._is_full = False
        self._wires.drive("DOUT", _LOW)

    def pixels(self, at_ticks: int) -> tuple[tuple[int, int, int], ...]:
        """Return red, green and blue of each pixel, in order of the chain."""
        is_low = self._rose_at_ticks == _NEVER
        is_over = is_low and at_ticks - self._fell_at_ticks >= self._reset_ticks
        words = self._after_reset() if is_over else self._shown
        return tuple((word >> 8 & 0xFF, word >> 16, word & 0xFF) for word in words)

    def _on_level(self, at_ticks: int, level: Level) -> None:
        if level is _HIGH_LEVEL:
            if at_ticks - self._fell_at_ticks >= self._reset_ticks:
                self._reset()
            self._rose_at_ticks = at_ticks
            if self._is_full:
                self._wires.drive("DOUT", _HIGH)
            return
        rose_at_ticks = self._rose_at_ticks
        if rose_at_ticks == _NEVER:
            return
        self._rose_at_ticks = _NEVER
        self._fell_at_ticks = at_ticks
        if self._is_full:
            self._wires.drive("DOUT", _LOW)
            return
        # A 1 goes before the bits, and tells when there are enough of them.
        is_one = at_ticks - rose_at_ticks >= self._shortest_one_ticks
        word = self._word = self._word << 1 | is_one
        if word >= _WHOLE:
            self._store(word - _WHOLE)

    def _store(self, word: int) -> None:
        self._sent.append(word)
        self._word = 1
        self._is_full = len(self._sent) == self._count

    def _reset(self) -> None:
        self._shown = self._after_reset()
        self._sent = []
        self._word = 1
        self._is_full = False

    def _after_reset(self) -> list[int]:
        return self._sent + self._shown[len(self._sent) :]


class Pixel(PixelChain):
    """One pixel, a ring or a strip."""

    def __init__(self, wires: Wires, attrs: Mapping[str, str]) -> None:
        super().__init__(wires, int(float(attrs.get("pixels", "1"))))

    def observe(self, at_ticks: int, _: str) -> Reading:
        """Return red, green and blue of each, in order of the chain."""
        return self.pixels(at_ticks)


class PixelMatrix(PixelChain):
    """A matrix; with the layout ``serpentine`` every other row runs backwards."""

    def __init__(self, wires: Wires, attrs: Mapping[str, str]) -> None:
        self._columns = int(float(attrs["cols"]))
        layout = attrs.get("layout", attrs.get("matrixLayout", ""))
        self._is_serpentine = layout == "serpentine"
        super().__init__(wires, int(float(attrs["rows"])) * self._columns)

    def observe(self, at_ticks: int, _: str) -> Reading:
        """Return the rows from the top, of red, green and blue of each pixel."""
        pixels = self.pixels(at_ticks)
        firsts = range(0, len(pixels), self._columns)
        rows = [pixels[first : first + self._columns] for first in firsts]
        if self._is_serpentine:
            rows[1::2] = [row[::-1] for row in rows[1::2]]
        return tuple(rows)
