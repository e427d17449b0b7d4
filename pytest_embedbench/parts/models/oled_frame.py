"""What an SSD1306 shows on the glass of its module: which line of its RAM is where.

By Solomon Systech's datasheet "SSD1306", rev 1.5, 10.1.14 to 10.1.18 and tables 10-1
to 10-3. The glass of a module with 64 lines is wired for the alternative configuration
of COM pins, and stands on its head: SEG0 is at the right and COM0 at the bottom, so
that the usual commands A1 and C8 have RAM's first byte at the left of the top.
"""

from __future__ import annotations

from dataclasses import dataclass

WIDTH, HEIGHT = 128, 64
_HALF = HEIGHT // 2
_LINE_MASK = HEIGHT - 1


@dataclass(slots=True, kw_only=True)
class OledFrame:
    """How lines come to the glass; as after a reset."""

    lines: int = HEIGHT
    """The multiplex ratio: what is beyond stays dark."""
    start_line: int = 0
    offset: int = 0
    scans_down: bool = False
    """Whether it goes from the highest COM to COM0 (C8)."""
    is_alternative: bool = True
    is_swapped: bool = False
    """Whether COM's left and right are swapped."""

    def ram_line(self, glass_line: int) -> int | None:
        """Return which line of RAM is seen at a line from the top; ``None``: dark."""
        com = self._com(HEIGHT - 1 - glass_line)
        first = self.lines - 1 - com if self.scans_down else com
        row = (first + self.offset) & _LINE_MASK
        return (row + self.start_line) & _LINE_MASK if row < self.lines else None

    def _com(self, line: int) -> int:
        """Return the output of the scan that drives a line of glass, from below."""
        pad = line // 2 + _HALF * (line % 2)
        if self.is_swapped:
            pad ^= _HALF
        if not self.is_alternative:
            return pad
        return pad % _HALF * 2 + pad // _HALF
