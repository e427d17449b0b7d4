"""A UART that is joined to those of other boards: what it says to them, and hears."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.bench.joined_end import JoinedEnd, taken
from pytest_embedbench.contracts import WireByte
from pytest_embedbench.model import Direction, Line
from pytest_embedbench.wire.framing import LineFramer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_embedbench.contracts import Link
    from pytest_embedbench.model import Chunk

LOOKAHEAD = 0.85
"""How much of a byte's time boards may be apart.

A byte is known nine tenths of its time before it ends, and a UART that is understood
may be 5 % faster than its nominal speed.
"""
BITS_PER_BYTE = 10
"""8N1: a start bit, eight data bits, a stop bit."""


@dataclass(slots=True)
class TappedLink:
    """A link whose bytes go to other boards, too."""

    inner: Link
    _for_others: list[Chunk] = field(default_factory=list["Chunk"], init=False)
    _for_bench: list[Chunk] = field(default_factory=list["Chunk"], init=False)

    def send(self, data: bytes) -> None:
        """Send to the board that it is the link of."""
        self.inner.send(data)

    def receive(self) -> Sequence[Chunk]:
        """Return what the firmware has said since the last call."""
        self._listen()
        said, self._for_bench = self._for_bench, []
        return said

    def overheard(self) -> Sequence[Chunk]:
        """Return the same, for the other boards."""
        self._listen()
        said, self._for_others = self._for_others, []
        return said

    def _listen(self) -> None:
        said = self.inner.receive()
        self._for_others += said
        self._for_bench += said


@dataclass(slots=True, eq=False, repr=False)
class JoinedUart(JoinedEnd):
    """One UART of a board, and the others that hear it."""

    tap: TappedLink | None = None
    """Where its bytes are heard, of a board that does not tell of each."""
    _framer: LineFramer = field(default_factory=LineFramer, init=False)
    _free_us: int = field(default=0, init=False)
    """When the last byte of ``say_chunk`` is out."""
    _last: WireByte = field(default=WireByte("", 0, 0, 0), init=False)
    """What was written down last."""
    _collided: set[frozenset[str]] = field(
        default_factory=set[frozenset[str]], init=False
    )

    @property
    def port(self) -> str:
        """Its name in the datasheet."""
        return (self.recorder.uart or self.recorder.board.spec.uarts[0]).name

    @property
    def shown(self) -> str:
        """Its name with the board's, for messages."""
        return f"{self.recorder.board.spec.name}.{self.port}"

    @property
    def window_us(self) -> float:
        """A little less than how long a byte takes."""
        return LOOKAHEAD * BITS_PER_BYTE * 1e6 / self.recorder.baud_bps

    def said(self, byte: WireByte) -> WireByte:
        """Leave out who said what nobody knows the beginning of."""
        return byte._replace(uart=self.label if self.tap is None else "")

    def say_chunk(self, data: bytes, ended_us: int, now_us: int) -> None:
        """Have the partners hear bytes of which only the end is known.

        They are taken to have followed each other, not before ``now_us``.
        """
        byte_us = BITS_PER_BYTE * 1_000_000 / self.recorder.baud_bps
        begins_us = max(self._free_us, now_us, ended_us - round(len(data) * byte_us))
        for number, value in enumerate(data):
            starts_us = begins_us + round(number * byte_us)
            self._free_us = begins_us + round((number + 1) * byte_us)
            self.say(WireByte("", starts_us, self._free_us, value))

    def write_down_until(self, until_us: int, ahead_us: int) -> None:
        """Have in the transcript what is heard up to then, in the board's own time."""
        heard = taken(self.given, until_us)
        for byte in heard if len(self.partners) > 1 else ():
            if byte.begins_us < self._last.ends_us and byte.uart and self._last.uart:
                self._note_collision(frozenset({byte.uart, self._last.uart}))
            self._last = byte
        self.write_down((byte.ends_us + ahead_us, byte.value) for byte in heard)

    def _note_collision(self, speakers: frozenset[str]) -> None:
        """Say once of two that a real wire would have mixed up what they said."""
        if len(speakers) > 1 and speakers not in self._collided:
            self._collided.add(speakers)
            who = " and ".join(sorted(speakers))
            self.recorder.note(
                f"{who} spoke at once: on one wire neither would be understood"
            )

    def write_down(self, heard: Iterable[tuple[int, int]]) -> None:
        """Have what was heard in the transcript: values, with the board's own time."""
        for at_us, value in heard:
            for payload, _ in self._framer.feed(bytes([value])):
                line = Line(at_us, Direction.TO_FIRMWARE, payload)
                self.recorder.transcript.sent.append(line)
