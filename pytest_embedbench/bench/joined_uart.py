"""A UART that is joined to those of other boards: what it says to them, and hears."""

from __future__ import annotations

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
    _framer: LineFramer = field(default_factory=LineFramer, init=False)
    _free_us: int = field(default=0, init=False)
    """When the last byte of ``say_chunk`` is out."""

    @property
    def name(self) -> str:
        """Its name in the datasheet."""
        return (self.recorder.uart or self.recorder.board.spec.uarts[0]).name

    @property
    def shown(self) -> str:
        """Its name with the board's, for messages."""
        return f"{self.recorder.board.spec.name}.{self.name}"

    def say(self, byte: WireByte) -> None:
        """Have the partners hear a byte."""
        for partner in self.partners:
            partner.coming.append(byte._replace(uart=partner.name))
            if len(partner.partners) > 1:
                partner.coming.sort(key=lambda other: other.ends_us)

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
        """Return what is heard up to then."""
        count = 0
        for byte in self.coming:
            if byte.ends_us > until_us:
                break
            count += 1
        heard = self.coming[:count]
        del self.coming[:count]
        return heard

    def write_down(self, heard: Iterable[tuple[int, int]]) -> None:
        """Have what was heard in the transcript: values, with the board's own time."""
        for at_us, value in heard:
            for payload, _ in self._framer.feed(bytes([value])):
                line = Line(at_us, Direction.TO_FIRMWARE, payload)
                self.recorder.transcript.sent.append(line)
