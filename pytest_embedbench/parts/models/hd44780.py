"""The chip of character displays, HD44780U: what comes in over RS, R/W, E and the data.

By Hitachi's datasheet "HD44780U (LCD-II)", ADE-207-272: table 6 for the instructions
and how long they take at 270 kHz (37 us; clear and home 1.52 ms), "Reset Function" for
the first 10 ms, "Interfacing to the MPU" for nibbles.

What comes while it is busy is not accepted; of two nibbles, if it is busy at the first
one. That they still count as two is a guess: the datasheet says nothing. Nor does it
say what is at addresses between lines; here, memory that is not seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.parts.models.hd44780_font import LETTERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.wiring.part_model import Reading

_RESET_US, _LONG_US, _SHORT_US = 10_000, 1520, 37
_BUSY = 0x80
_HIGH_NIBBLE, _LOW_NIBBLE = 0xF0, 0x0F
_BLANK = 0x20
_SECOND_LINE = 0x40
_LINE, _LONG_LINE = 40, 80
_LAST_OF_FIRST, _LAST_OF_SECOND = 0x27, 0x67
_CGRAM_MASK, _DDRAM_MASK = 0x3F, 0x7F
_GLYPHS, _GLYPH_ROWS, _GLYPH_WIDTH = 8, 8, 5


class LcdRow(NamedTuple):
    """A row of a display: the line of memory that it shows a part of, and from where.

    ``line`` is the address of the line, 0 or 40h.
    """

    line: int
    first: int = 0


class Hd44780:
    """A chip, from the moment on that it has power.

    Args:
        ticks_per_us: How fast the clock is.
        rows: What its display shows, from the top.
        width: Characters per row.
    """

    def __init__(
        self, ticks_per_us: int, *, rows: tuple[LcdRow, ...], width: int
    ) -> None:
        self._ticks_per_us = ticks_per_us
        self._rows, self._width = rows, width
        self.power_on(0)

    def power_on(self, at_ticks: int) -> None:
        """Reset itself, which takes a while."""
        self._ddram = bytearray([_BLANK] * (_DDRAM_MASK + 1))
        self._cgram = bytearray(_CGRAM_MASK + 1)
        self._address: int = 0
        self._is_cgram = False
        self._is_8_bit, self._is_two_lines = True, False
        self._is_on = self._has_cursor = self._blinks = False
        self._goes_up, self._shifts = True, False
        self._shift: int = 0
        self._first_nibble: int | None = None
        self._is_lost = False
        self._busy_until_ticks = at_ticks + _RESET_US * self._ticks_per_us

    # ------------------------------------------------------------ what is seen

    def text(self) -> Reading:
        """Return the rows of characters; all blank while it is off."""
        return tuple(self._row(row) for row in self._rows)

    def cursor(self) -> Reading:
        """Return its row and column from 0, or nothing while it is not seen."""
        if not self._is_on or not (self._has_cursor or self._blinks) or self._is_cgram:
            return ()
        for index, row in enumerate(self._rows):
            addresses = self._addresses(row)
            if self._address in addresses:
                return (index, addresses.index(self._address))
        return ()

    def glyphs(self) -> Reading:
        """Return the eight characters that firmware draws: rows of on and off."""
        lines = [
            tuple(bool(line >> bit & 1) for bit in range(_GLYPH_WIDTH - 1, -1, -1))
            for line in self._cgram
        ]
        return tuple(
            tuple(lines[index * _GLYPH_ROWS : (index + 1) * _GLYPH_ROWS])
            for index in range(_GLYPHS)
        )

    def _row(self, row: LcdRow) -> str:
        addresses = self._addresses(row) if self._is_on else []
        letters = "".join(LETTERS[self._ddram[address]] for address in addresses)
        return letters.ljust(self._width)

    def _addresses(self, row: LcdRow) -> list[int]:
        """Return what a row shows; nothing if it is of a line that is not used."""
        if row.line and not self._is_two_lines:
            return []
        first, length = row.first + self._shift, self._length
        return [row.line + (first + i) % length for i in range(self._width)]

    @property
    def _length(self) -> int:
        return _LINE if self._is_two_lines else _LONG_LINE

    # ------------------------------------------------------------- at the pins

    @property
    def drives(self) -> int:
        """Which of D7 to D0 it drives while it is read."""
        return 0xFF if self._is_8_bit else _HIGH_NIBBLE

    @property
    def busy_until_ticks(self) -> int:
        """When it accepts the next instruction."""
        return self._busy_until_ticks

    def shown(self, at_ticks: int, *, is_data: bool) -> int:
        """Return what is at D7 to D0 while E and R/W are high."""
        byte = self._memory[self._address] if is_data else self._status(at_ticks)
        return byte if self._first_nibble is None else byte << 4 & _HIGH_NIBBLE

    def latch(self, at_ticks: int, *, is_data: bool, reads: bool, byte: int) -> None:
        """Take what is at the pins as E falls; of four bits they are the upper ones."""
        if self._first_nibble is None:
            self._is_lost = at_ticks < self._busy_until_ticks
        if not self._is_8_bit:
            if self._first_nibble is None:
                self._first_nibble = byte & _HIGH_NIBBLE
                return
            byte = self._first_nibble | byte >> 4 & _LOW_NIBBLE
            self._first_nibble = None
        is_status = reads and not is_data
        if not (is_status or self._is_lost):
            self._accept(at_ticks, is_data=is_data, reads=reads, byte=byte)

    def _accept(self, at_ticks: int, *, is_data: bool, reads: bool, byte: int) -> None:
        duration_us = _SHORT_US
        if not is_data:
            duration_us = self._obey(byte)
        elif reads:
            self._step(up=self._goes_up)
        else:
            self._memory[self._address] = byte
            if self._shifts and not self._is_cgram:
                self._shift_display(right=not self._goes_up)
            self._step(up=self._goes_up)
        self._busy_until_ticks = at_ticks + duration_us * self._ticks_per_us

    def _status(self, at_ticks: int) -> int:
        is_busy = at_ticks < self._busy_until_ticks
        return (_BUSY if is_busy else 0) | self._address

    @property
    def _memory(self) -> bytearray:
        return self._cgram if self._is_cgram else self._ddram

    # ------------------------------------------------------------ instructions

    def _obey(self, code: int) -> int:
        """Obey an instruction, and return how long it takes, in us."""
        if not code:
            return _SHORT_US
        return self._instructions()[code.bit_length() - 1](code) or _SHORT_US

    def _instructions(self) -> tuple[Callable[[int], int | None], ...]:
        """Return what obeys, by the highest bit that is set."""
        return (
            self._clear,
            self._home,
            self._set_entry,
            self._set_display,
            self._move,
            self._set_function,
            self._set_cgram,
            self._set_ddram,
        )

    def _clear(self, code: int) -> int:
        self._ddram[:] = bytes([_BLANK]) * len(self._ddram)
        self._goes_up = True
        return self._home(code)

    def _home(self, _code: int) -> int:
        self._address, self._is_cgram = 0, False
        self._shift = 0
        return _LONG_US

    def _set_entry(self, code: int) -> None:
        self._goes_up, self._shifts = bool(code & 0x02), bool(code & 0x01)

    def _set_display(self, code: int) -> None:
        self._is_on = bool(code & 0x04)
        self._has_cursor, self._blinks = bool(code & 0x02), bool(code & 0x01)

    def _move(self, code: int) -> None:
        right = bool(code & 0x04)
        if code & 0x08:
            self._shift_display(right=right)
        else:
            self._step(up=right)

    def _set_function(self, code: int) -> None:
        self._is_8_bit, self._is_two_lines = bool(code & 0x10), bool(code & 0x08)

    def _set_cgram(self, code: int) -> None:
        self._address, self._is_cgram = code & _CGRAM_MASK, True

    def _set_ddram(self, code: int) -> None:
        self._address, self._is_cgram = code & _DDRAM_MASK, False

    def _shift_display(self, *, right: bool) -> None:
        self._shift = (self._shift + (-1 if right else 1)) % self._length

    def _step(self, *, up: bool) -> None:
        if self._is_cgram:
            self._address = (self._address + (1 if up else -1)) & _CGRAM_MASK
            return
        here = self._address
        jumps = self._jumps()
        if up:
            self._address = jumps.get(here, (here + 1) & _DDRAM_MASK)
        else:
            back = {there: origin for origin, there in jumps.items()}
            self._address = back.get(here, (here - 1) & _DDRAM_MASK)

    def _jumps(self) -> dict[int, int]:
        """Return where the address goes from the end of each line."""
        if self._is_two_lines:
            return {_LAST_OF_FIRST: _SECOND_LINE, _LAST_OF_SECOND: 0}
        return {_LONG_LINE - 1: 0}
