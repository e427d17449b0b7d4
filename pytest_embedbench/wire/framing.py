"""Bytes to lines: however they are chunked, whatever ends them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

MAX_LINE_BYTES = 4096
_BREAK = re.compile(rb"\r\n?|\n\r?")
_PARTNER = {b"\r": b"\n", b"\n": b"\r"}


class Framed(NamedTuple):
    """A line without its terminator; ``cut_bytes`` of it beyond the cap are gone."""

    payload: bytes
    cut_bytes: int


@dataclass(slots=True)
class LineFramer:
    """Feed bytes as they come; get whole lines, terminator removed.

    LF, CR, CRLF and LFCR end a line, also when the pair is split across two feeds;
    a lone CR ends its line at once. A line keeps its first ``max_bytes`` only: the
    rest is counted, not split off, so that nothing can pose as a line of its own.
    """

    max_bytes: int = MAX_LINE_BYTES
    _pending: bytearray = field(default_factory=bytearray, init=False)
    _cut_bytes: int = field(default=0, init=False)
    _partner: bytes = field(default=b"", init=False)
    """What may still belong to the terminator that ended the last feed."""

    def feed(self, data: bytes) -> list[Framed]:
        """Return the lines that ``data`` completes, oldest first."""
        if not data:
            return []
        start = 1 if self._partner and data.startswith(self._partner) else 0
        if not (start or self._pending) and data.find(b"\n") == len(data) - 1:
            # That is how engines chunk their output, so this is the way of most bytes.
            line = data[:-1]
            if b"\r" not in line and len(line) <= self.max_bytes:
                self._partner = b"\r"
                return [Framed(line, 0)]
        self._partner = b""
        lines: list[Framed] = []
        for end in _BREAK.finditer(data, start):
            lines.append(self._finish(data[start : end.start()]))
            start = end.end()
            if start == len(data):
                self._partner = _PARTNER.get(end.group(), b"")
        if start < len(data):
            self._hold(data[start:])
        return lines

    @property
    def pending(self) -> bytes:
        """What has come since the last line ended: a prompt, or half a line."""
        return bytes(self._pending)

    def take_pending(self) -> Framed | None:
        """Hand over the unfinished line as it is, if there is one."""
        return self._finish(b"") if self._pending else None

    def _finish(self, piece: bytes) -> Framed:
        if not self._pending and len(piece) <= self.max_bytes:
            return Framed(piece, 0)
        self._hold(piece)
        line = Framed(bytes(self._pending), self._cut_bytes)
        self._pending.clear()
        self._cut_bytes = 0
        return line

    def _hold(self, piece: bytes) -> None:
        room_bytes = self.max_bytes - len(self._pending)
        self._pending += piece[:room_bytes]
        self._cut_bytes += max(0, len(piece) - room_bytes)
