"""What ends a conversation at once, whoever is listening."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.errors import FirmwareFlood, PinContention
from pytest_embedbench.model import Direction
from pytest_embedbench.wire.transcript import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pytest_embedbench.errors import FirmwareFault
    from pytest_embedbench.model import Line
    from pytest_embedbench.wire.patterns import LinePatterns
    from pytest_embedbench.wire.transcript import Transcript

BITS_PER_BYTE = 10
"""8N1: a start bit, eight data bits, a stop bit."""
SATURATED_SHARE = 0.95


@dataclass(slots=True, kw_only=True)
class Watch:
    """A line that must not come: what it would mean, and how often it may.

    ``meaning`` is the sentence of the failure, up to the time and the line itself.
    ``since`` is the number of the next transcript line to look at.
    """

    patterns: LinePatterns
    raises: type[FirmwareFault]
    meaning: str
    since: int
    allowed_count: int = 0

    def check(self, transcript: Transcript) -> tuple[int, FirmwareFault] | None:
        """Return the first new offence: the number of its line, and the error."""
        lines = from_firmware(transcript.since(self.since))
        self.since = len(transcript)
        while (found := self.patterns.search(lines)) is not None:
            number, match = found
            if self.allowed_count == 0:
                self.since = number + 1
                said = printable(match.line.payload)
                return number, self.raises(
                    f"{self.meaning} at {match.at_us / 1e6:.6f} s: {said!r}"
                )
            self.allowed_count -= 1
        return None


def from_firmware(lines: Iterable[tuple[int, Line]]) -> Iterator[tuple[int, Line]]:
    """Keep the firmware's own lines."""
    return (
        (number, line)
        for number, line in lines
        if line.direction is Direction.FROM_FIRMWARE
    )


def first_behind(fault: FirmwareFault, transcript: Transcript) -> int:
    """Return the number of the first line that came after a fault.

    Of the faults that end a firmware none has; boards that are joined go on until the
    bench looks whether they worked against each other.
    """
    end = len(transcript)
    if not isinstance(fault, PinContention):
        return end
    later = (n for n, line in transcript.since(0) if line.at_us > fault.at_us)
    return next(later, end)


@dataclass(slots=True)
class FloodMeter:
    """Says when a UART was full for a whole window of simulated time.

    Saturation alone is no fault: a long log may take the wire for minutes while a
    test waits for its last line. Whoever waits for nothing in particular, or has
    waited in vain, reports ``flood``.
    """

    baud_bps: int
    window_ms: int = 1000
    flood: FirmwareFlood | None = field(default=None, init=False)
    _window_starts_us: int = field(default=0, init=False)
    _heard_bytes: int = field(default=0, init=False)

    def raise_flood(self, evidence: Callable[[], str]) -> None:
        """Raise it, if there is one, with what is quoted of the conversation."""
        if (flood := self.flood) is not None:
            self.flood = None
            flood.add_note(evidence())
            raise flood

    def count(self, heard_bytes: int, now_us: int) -> None:
        """Add what was heard up to ``now_us``."""
        self._heard_bytes += heard_bytes
        elapsed_us = now_us - self._window_starts_us
        if elapsed_us < self.window_ms * 1000:
            return
        capacity_bytes = self.baud_bps / BITS_PER_BYTE * elapsed_us / 1e6
        share = self._heard_bytes / capacity_bytes
        self.flood = None
        if share >= SATURATED_SHARE:
            self.flood = FirmwareFlood(
                f"the firmware never stops talking: {self._heard_bytes} bytes in the "
                f"{elapsed_us / 1e6:.3f} s up to {now_us / 1e6:.6f} s, "
                f"{share:.0%} of what {self.baud_bps} baud can carry"
            )
        self._window_starts_us = now_us
        self._heard_bytes = 0
