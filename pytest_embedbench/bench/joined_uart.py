"""A UART that is joined to those of other boards: what it says to them, and hears."""

from __future__ import annotations

from bisect import bisect_right, insort
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.contracts import WireByte
from pytest_embedbench.model import Direction, Line
from pytest_embedbench.wire.framing import LineFramer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_embedbench.bench.recorder import Recorder
    from pytest_embedbench.contracts import Link
    from pytest_embedbench.model import Chunk

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
class JoinedUart:
    """One UART of a board, and the others that hear it.

    Times are common time: that of all boards that are joined.
    """

    recorder: Recorder
    tap: TappedLink | None = None
    """Where its bytes are heard, of a board that does not tell of each."""
    partners: list[JoinedUart] = field(default_factory=list["JoinedUart"], init=False)
    coming: list[WireByte] = field(default_factory=list[WireByte], init=False)
    """What is still to be heard, in the order of its ends."""
    given: list[WireByte] = field(default_factory=list[WireByte], init=False)
    """What the board knows of and the transcript does not, in the same order."""
    label: str = field(default="", init=False)
    """Its name with the board's, which no other of the bus has."""
    hears_directly: bool = field(default=False, init=False)
    """Whether it may hear boards of its kind without the bench between."""
    _framer: LineFramer = field(default_factory=LineFramer, init=False)
    _free_us: int = field(default=0, init=False)
    """When the last byte of ``say_chunk`` is out."""
    _last: WireByte = field(default=WireByte("", 0, 0, 0), init=False)
    """What was written down last."""
    _collided: set[frozenset[str]] = field(
        default_factory=set[frozenset[str]], init=False
    )

    @property
    def name(self) -> str:
        """Its name in the datasheet."""
        return (self.recorder.uart or self.recorder.board.spec.uarts[0]).name

    @property
    def shown(self) -> str:
        """Its name with the board's, for messages."""
        return f"{self.recorder.board.spec.name}.{self.name}"

    def say(self, byte: WireByte, *, directly: bool = False) -> None:
        """Have the partners hear a byte, but those who have heard it ``directly``."""
        # Of a board that does not tell of each byte nobody knows when it began.
        said = byte._replace(uart=self.label if self.tap is None else "")
        for partner in self.partners:
            knows = directly and partner.hears_directly
            queue = partner.given if knows else partner.coming
            insort(queue, said, key=_end_first)

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

    def take(self, until_us: int) -> list[WireByte]:
        """Return what the board is to be told of, that is heard up to then."""
        heard = _taken(self.coming, until_us)
        for byte in heard:
            insort(self.given, byte, key=_end_first)
        return heard

    def give_all(self) -> list[WireByte]:
        """Return all that is coming: the board is told of it now."""
        return self.take(self.coming[-1].ends_us) if self.coming else []

    def write_down_until(self, until_us: int, ahead_us: int) -> None:
        """Have in the transcript what is heard up to then, in the board's own time."""
        heard = _taken(self.given, until_us)
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


def _taken(queue: list[WireByte], until_us: int) -> list[WireByte]:
    """Take out what ends up to then."""
    count = bisect_right(queue, until_us, key=_end)
    taken = queue[:count]
    del queue[:count]
    return taken


def _end(byte: WireByte) -> int:
    return byte.ends_us


def _end_first(byte: WireByte) -> tuple[int, int, int]:
    return byte.ends_us, byte.begins_us, byte.value
