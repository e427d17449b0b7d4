"""OLED display of 128 x 64 pixels with SSD1306 on I2C.

By Solomon Systech's datasheet "SSD1306", rev 1.5: 8.1.5.2 (control bytes), 8.9 and the
application note on the charge pump, table 9-1 and chapter 10 (commands). A module has
no other supply for its pixels than that pump (8D 14), and is dark without it.

Segments are remapped as data comes in, not as it is shown (10.1.8). Commands for page
addressing move the pointers in all modes, as the chip does, whatever 10.1.1 to 10.1.3
say: drivers that set the mode to 10h instead of 2 depend on it. RAM begins with zeros.
Contrast and clocks are taken and change nothing; scrolls are taken and do not move.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.parts.attribute_values import address_of
from pytest_embedbench.parts.models.oled_frame import HEIGHT, WIDTH, OledFrame

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pytest_embedbench.wiring.part_model import Reading, Wires

_PAGES = HEIGHT // 8
_MORE_CONTROL, _IS_DATA = 0x80, 0x40
_STATUS_OFF = 0x40
_HORIZONTAL, _VERTICAL, _PAGE_BY_PAGE = 0, 1, 2
_FEWEST_LINES = 16
_ARGUMENTS = {
    1: (0x20, 0x23, 0x81, 0x8D, 0xA8, 0xD3, 0xD5, 0xD6, 0xD9, 0xDA, 0xDB),
    2: (0x21, 0x22, 0xA3),
    5: (0x29, 0x2A),
    6: (0x26, 0x27),
}
_LENGTHS = {code: count for count, codes in _ARGUMENTS.items() for code in codes}
"""How many bytes follow a command, if any do."""


def board_oled(wires: Wires, attrs: Mapping[str, str]) -> Oled:
    """Make the module with four pins."""
    return _placed(wires, attrs, sda="SDA", scl="SCL")


def older_oled(wires: Wires, attrs: Mapping[str, str]) -> Oled:
    """Make the module whose pins of I2C are called DATA and CLK."""
    return _placed(wires, attrs, sda="DATA", scl="CLK")


def _placed(wires: Wires, attrs: Mapping[str, str], *, sda: str, scl: str) -> Oled:
    oled = Oled()
    wires.on_i2c(sda, scl, address_of(attrs), oled)
    return oled


class Oled:
    """A display; as after a reset."""

    def __init__(self) -> None:
        self.power_on(0)
        self._obey = {code: call for codes, call in self._commands() for code in codes}

    def power_on(self, _at_ticks: int) -> None:
        """Be dark, as after a reset."""
        self._ram = [bytearray(WIDTH) for _ in range(_PAGES)]  # by page and segment
        self._frame = OledFrame()
        self._is_on = self._is_pumped = False
        self._is_all_on = self._is_inverse = self._is_remapped = False
        self._mode = _PAGE_BY_PAGE
        self._column = self._page = 0
        self._columns, self._pages = (0, WIDTH - 1), (0, _PAGES - 1)
        self._command: list[int] = []
        self._control: int | None = None

    def observe(self, _at_ticks: int, _: str) -> Reading:
        """Return which pixels are lit: rows from the top, each from the left."""
        return tuple(self._row(line) for line in range(HEIGHT))

    def _row(self, glass_line: int) -> tuple[bool, ...]:
        line = self._frame.ram_line(glass_line)
        if line is None or not (self._is_on and self._is_pumped):
            return (False,) * WIDTH
        if self._is_all_on:
            return (True,) * WIDTH
        page, bit = self._ram[line // 8], line % 8
        return tuple((byte >> bit & 1) != self._is_inverse for byte in reversed(page))

    # -------------------------------------------------------------------- I2C

    def begin(self, _at_ticks: int, *, reads: bool) -> bool:
        """Answer to every address; a control byte comes first."""
        self._control = None
        return True

    def write(self, _at_ticks: int, byte: int) -> bool:
        """Take a control byte, a byte of a command, or one of data."""
        control = self._control
        if control is None:
            self._control = byte
            return True
        if control & _MORE_CONTROL:
            self._control = None
        if control & _IS_DATA:
            self._store(byte)
        else:
            self._gather(byte)
        return True

    def take_bytes(self, data: bytes) -> None:
        """Take bytes of a message; behind a control byte for data all are data."""
        for index, byte in enumerate(data):
            if self._control == _IS_DATA:
                for each in data[index:]:
                    self._store(each)
                return
            self.write(0, byte)

    def read(self, _at_ticks: int) -> int:
        """Return the status: whether it is off."""
        return 0 if self._is_on else _STATUS_OFF

    def end(self, _at_ticks: int) -> None:
        """Leave a command that is not complete as it is: more of it may come."""

    # ------------------------------------------------------------------- data

    def _store(self, byte: int) -> None:
        segment = WIDTH - 1 - self._column if self._is_remapped else self._column
        self._ram[self._page][segment] = byte
        if self._mode == _VERTICAL:
            self._page, is_over = _after(self._page, self._pages, _PAGES)
            if is_over:
                self._column, _ = _after(self._column, self._columns, WIDTH)
        elif self._mode == _HORIZONTAL:
            self._column, is_over = _after(self._column, self._columns, WIDTH)
            if is_over:
                self._page, _ = _after(self._page, self._pages, _PAGES)
        else:
            self._column = (self._column + 1) % WIDTH

    # --------------------------------------------------------------- commands

    def _gather(self, byte: int) -> None:
        self._command.append(byte)
        code, *arguments = self._command
        if len(arguments) == _LENGTHS.get(code, 0):
            self._command = []
            if code in self._obey:
                self._obey[code](code, *arguments)

    def _commands(self) -> Iterator[tuple[Iterable[int], Callable[..., None]]]:
        """Yield what obeys which codes; each is called with the whole command."""
        yield range(0x10), self._set_low_column
        yield range(0x10, 0x20), self._set_high_column
        yield (0x20,), self._set_mode
        yield (0x21,), self._set_columns
        yield (0x22,), self._set_pages
        yield range(0x40, 0x80), self._set_start_line
        yield (0x8D,), self._set_pump
        yield (0xA0, 0xA1), self._set_remap
        yield (0xA4, 0xA5), self._set_all_on
        yield (0xA6, 0xA7), self._set_inverse
        yield (0xA8,), self._set_lines
        yield (0xAE, 0xAF), self._set_on
        yield range(0xB0, 0xB8), self._set_page
        yield range(0xC0, 0xD0), self._set_scan
        yield (0xD3,), self._set_offset
        yield (0xDA,), self._set_com_pins

    def _set_low_column(self, code: int) -> None:
        self._column = self._column & 0x70 | code

    def _set_high_column(self, code: int) -> None:
        self._column = (code & 0x07) << 4 | self._column & 0x0F

    def _set_mode(self, _code: int, mode: int) -> None:
        self._mode = mode & 0x03

    def _set_columns(self, _code: int, first: int, last: int) -> None:
        self._columns = (first & 0x7F, last & 0x7F)
        self._column = self._columns[0]

    def _set_pages(self, _code: int, first: int, last: int) -> None:
        self._pages = (first & 0x07, last & 0x07)
        self._page = self._pages[0]

    def _set_page(self, code: int) -> None:
        self._page = code & 0x07

    def _set_pump(self, _code: int, setting: int) -> None:
        self._is_pumped = bool(setting & 0x04)

    def _set_remap(self, code: int) -> None:
        self._is_remapped = bool(code & 1)

    def _set_all_on(self, code: int) -> None:
        self._is_all_on = bool(code & 1)

    def _set_inverse(self, code: int) -> None:
        self._is_inverse = bool(code & 1)

    def _set_on(self, code: int) -> None:
        self._is_on = bool(code & 1)

    def _set_start_line(self, code: int) -> None:
        self._frame.start_line = code & 0x3F

    def _set_lines(self, _code: int, last: int) -> None:
        lines = (last & 0x3F) + 1
        if lines >= _FEWEST_LINES:
            self._frame.lines = lines

    def _set_scan(self, code: int) -> None:
        self._frame.scans_down = bool(code & 0x08)

    def _set_offset(self, _code: int, offset: int) -> None:
        self._frame.offset = offset & 0x3F

    def _set_com_pins(self, _code: int, setting: int) -> None:
        self._frame.is_alternative = bool(setting & 0x10)
        self._frame.is_swapped = bool(setting & 0x20)


def _after(place: int, limits: tuple[int, int], size: int) -> tuple[int, bool]:
    """Return the place after one, and whether that is the first one again."""
    first, last = limits
    return (first, True) if place == last else ((place + 1) % size, False)
