"""Four digits with a colon, driven by TM1637, by Titan Micro's datasheet "TM1637".

DIO falls while CLK is high: begin; it rises while CLK is high: end. In between a bit is
taken as CLK rises, the lowest first; as CLK falls after the 8th, the chip holds DIO low
until it falls after the 9th; what a host does to DIO meanwhile, such as to drive it
high, is no begin and no end. The first byte is a command: 01xx xxxx says how data
comes, with bit 2 to one address, else to one after the other; 11xx xxxx an address, and
data follows; 10xx xxxx the brightness, with bit 3 the light. A digit's bits are A to G
and, of the second one, the colon. Without light at power on; there are no keys, so who
reads them gets ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.parts.models.glyphs import read_glyph
from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.drives import Strength, drive

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.wiring.part_model import Reading, Wires

_DIGITS, _REGISTERS = 4, 6
_BITS = 8
_COLON_DIGIT = 1
_KIND_MASK, _DATA, _DISPLAY, _ADDRESS = 0xC0, 0x40, 0x80, 0xC0
_READS_KEYS, _FIXED, _ON = 0x02, 0x04, 0x08
_WIDTHS = (1, 2, 4, 10, 11, 12, 13, 14)
"""How much of 16 parts a segment is lit, by brightness."""
_LOW = drive(Strength.OUTPUT, Level.LOW)
_PULL_UP = drive(Strength.PULL, Level.HIGH)


class ClockDisplay:
    """A display whose module pulls CLK and DIO up."""

    def __init__(self, wires: Wires, _: Mapping[str, str]) -> None:
        self._wires = wires
        self._levels = {"CLK": Level.FLOATING, "DIO": Level.FLOATING}
        self.power_on(0)
        wires.drive("CLK", _PULL_UP)
        wires.on_level("CLK", self._on_clock)
        wires.on_level("DIO", self._on_data)

    def power_on(self, _at_ticks: int) -> None:
        """Be off, with nothing in any register."""
        self._registers = [0] * _REGISTERS
        self._control = 0
        self._is_fixed = self._reads_keys = False
        self._is_begun = self._acknowledges = False
        self._clocks = self._byte = self._bytes = 0
        self._address: int | None = None
        self._wires.drive("DIO", _PULL_UP)

    def observe(self, _at_ticks: int, name: str) -> Reading:
        """Return text, segments or brightness; a display that is off is dark."""
        is_on = bool(self._control & _ON)
        if name == "brightness":
            return _WIDTHS[self._control & 7] / 16 if is_on else 0.0
        digits = [
            tuple(is_on and bool(byte >> bit & 1) for bit in range(_BITS))
            for byte in self._registers[:_DIGITS]
        ]
        if name == "segments":
            return tuple(digits)
        text = [read_glyph(digit[:-1]) for digit in digits]
        if digits[_COLON_DIGIT][-1]:
            text.insert(_COLON_DIGIT + 1, ":")
        return "".join(text)

    def _on_data(self, _at_ticks: int, level: Level) -> None:
        was, self._levels["DIO"] = self._levels["DIO"], level
        if self._levels["CLK"] is Level.LOW or self._acknowledges:
            return
        if level is Level.LOW and was is not Level.LOW:
            self._is_begun = True
            self._clocks = self._byte = self._bytes = 0
            self._address = None
        elif level is Level.HIGH and was is Level.LOW:
            self._is_begun = False

    def _on_clock(self, _at_ticks: int, level: Level) -> None:
        was, self._levels["CLK"] = self._levels["CLK"], level
        if not self._is_begun:
            return
        if level is Level.HIGH and was is Level.LOW:
            if self._clocks < _BITS:
                bit = self._levels["DIO"] is not Level.LOW
                self._byte |= bit << self._clocks
            self._clocks += 1
        elif level is Level.LOW and self._clocks == _BITS:
            if not (self._reads_keys and self._bytes):
                self._acknowledges = True
                self._wires.drive("DIO", _LOW)
            self._take(self._byte)
        elif level is Level.LOW and self._clocks > _BITS:
            self._acknowledges = False
            self._wires.drive("DIO", _PULL_UP)
            self._clocks = self._byte = 0

    def _take(self, byte: int) -> None:
        self._bytes += 1
        if self._bytes > 1:
            self._store(byte)
            return
        kind = byte & _KIND_MASK
        if kind == _DATA:
            self._is_fixed = bool(byte & _FIXED)
            self._reads_keys = bool(byte & _READS_KEYS)
        elif kind == _DISPLAY:
            self._control = byte
        elif kind == _ADDRESS:
            self._address = byte & 0xF

    def _store(self, byte: int) -> None:
        if self._address is None or self._reads_keys:
            return
        if self._address < _REGISTERS:
            self._registers[self._address] = byte
        if not self._is_fixed:
            self._address += 1
