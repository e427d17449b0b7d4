"""Colour display of 240 x 320 pixels with ILI9341 on SPI.

By Ilitek's datasheet "ILI9341", V1.11: 7.1.9 (four wires: D/C tells commands from
data), 8.2 (commands), 9.3 (how MADCTL leads addresses to memory). Dark after a reset,
until Sleep Out (11) and Display On (29), or while LED is low. Pixels of 16 and 18 bits
are taken; 5 and 6 bits of a colour are shown as the upper ones of 8, as Wokwi does. RAM
begins with zeros, and a reset leaves it.

``pixels`` are what is seen: rows as firmware writes them, 240 wide and 320 high, or 320
wide while MADCTL exchanges rows and columns, for who does so looks at the long side.
The glass is mirrored against memory, which MX mirrors back. Reads give zeros;
scrolling, gamma, and which of red and blue comes first (modules want BGR) change
nothing.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from pytest_embedbench.pins import Level

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.wiring.part_model import Reading, Wires

WIDTH, HEIGHT = 240, 320
_SOFT_RESET, _SLEEP_IN, _SLEEP_OUT = 0x01, 0x10, 0x11
_INVERSION_OFF, _INVERSION_ON, _OFF, _ON = 0x20, 0x21, 0x28, 0x29
_COLUMNS, _ROWS, _WRITE, _MADCTL, _FORMAT, _WRITE_ON = (
    0x2A,
    0x2B,
    0x2C,
    0x36,
    0x3A,
    0x3C,
)
_MY, _MX, _MV = 0x80, 0x40, 0x20
_FORMAT_MASK, _16_BITS = 0x07, 0x05
_WHITE = 0xFFFFFF
_ADDRESS_BYTES = 4


class ColourDisplay:
    """A display; as after a reset."""

    def __init__(self, wires: Wires, _attrs: Mapping[str, str]) -> None:
        self._memory = array("I", bytes(4 * WIDTH * HEIGHT))
        self._is_data = self._is_selected = self._is_unlit = False
        self._reset()
        wires.on_level("D/C", self._on_kind)
        wires.on_level("RST", self._on_reset)
        wires.on_level("LED", self._on_light)
        wires.on_spi("SCK", "MOSI", "CS", self)

    def observe(self, _at_ticks: int, _: str) -> Reading:
        """Return red, green and blue, in rows."""
        wide, high = (HEIGHT, WIDTH) if self._madctl & _MV else (WIDTH, HEIGHT)
        if not self._is_on or self._sleeps or self._is_unlit:
            return (((0, 0, 0),) * wide,) * high
        flip = _WHITE if self._is_inverse else 0
        memory = self._memory
        colours = {
            word: (word >> 16, word >> 8 & 0xFF, word & 0xFF)
            for word in {it ^ flip for it in memory}
        }
        return tuple(
            tuple(colours[memory[at] ^ flip] for at in self._seen_row(y, wide))
            for y in range(high)
        )

    def _seen_row(self, y: int, wide: int) -> range:
        """Return where in memory a row that is seen is, from the left."""
        if self._madctl & _MV:
            return range(y, y + wide * WIDTH, WIDTH)
        return range(y * WIDTH + WIDTH - 1, y * WIDTH - 1, -1)

    # -------------------------------------------------------------------- SPI
    def select(self, _at_ticks: int, *, is_selected: bool) -> int:
        """Take note."""
        self._is_selected = is_selected
        return 0

    def transfer(self, _at_ticks: int, byte: int) -> int:
        """Take a command, or data for one."""
        if not self._is_selected:
            return 0
        if not self._is_data:
            self._begin(byte)
        elif self._command in (_WRITE, _WRITE_ON):
            self._pixel_byte(byte)
        else:
            self._arguments.append(byte)
            self._take()
        return 0

    def _begin(self, command: int) -> None:
        self._command = command
        self._arguments.clear()
        if command == _SOFT_RESET:
            self._reset()
        elif command in (_SLEEP_IN, _SLEEP_OUT):
            self._sleeps = command == _SLEEP_IN
        elif command in (_INVERSION_OFF, _INVERSION_ON):
            self._is_inverse = command == _INVERSION_ON
        elif command in (_OFF, _ON):
            self._is_on = command == _ON
        elif command == _WRITE:
            self._x, self._y = self._columns[0], self._rows[0]

    def _take(self) -> None:
        given = self._arguments
        if self._command == _MADCTL:
            self._madctl = given[0]
        elif self._command == _FORMAT:
            self._bytes = 2 if given[0] & _FORMAT_MASK == _16_BITS else 3
        elif self._command in (_COLUMNS, _ROWS) and len(given) == _ADDRESS_BYTES:
            window = given[0] << 8 | given[1], given[2] << 8 | given[3]
            if self._command == _COLUMNS:
                self._columns = window
            else:
                self._rows = window

    def _pixel_byte(self, byte: int) -> None:
        given = self._arguments
        given.append(byte)
        if len(given) < self._bytes:
            return
        if self._bytes == 2:  # noqa: PLR2004  # 5, 6 and 5 bits
            word = given[0] << 8 | byte
            colour = (word & 0xF800) << 8 | (word & 0x07E0) << 5 | (word & 0x1F) << 3
        else:
            colour = (given[0] << 16 | given[1] << 8 | byte) & 0xFCFCFC
        given.clear()
        self._put(colour)

    def _put(self, colour: int) -> None:
        column, row = self._x, self._y
        if self._madctl & _MV:
            column, row = row, column
        if column < WIDTH and row < HEIGHT:
            if self._madctl & _MX:
                column = WIDTH - 1 - column
            if self._madctl & _MY:
                row = HEIGHT - 1 - row
            self._memory[row * WIDTH + column] = colour
        self._x += 1
        if self._x > self._columns[1]:
            self._x = self._columns[0]
            self._y = self._rows[0] if self._y >= self._rows[1] else self._y + 1

    # ------------------------------------------------------------------- pins
    def _on_kind(self, _at_ticks: int, level: Level) -> None:
        self._is_data = level is Level.HIGH

    def _on_reset(self, _at_ticks: int, level: Level) -> None:
        if level is Level.LOW:
            self._reset()

    def _on_light(self, _at_ticks: int, level: Level) -> None:
        self._is_unlit = level is Level.LOW

    def _reset(self) -> None:
        self._command, self._arguments = 0, list[int]()
        self._madctl, self._bytes = 0, 3
        self._columns, self._rows = (0, WIDTH - 1), (0, HEIGHT - 1)
        self._x = self._y = 0
        self._is_on = self._is_inverse = False
        self._sleeps = True
