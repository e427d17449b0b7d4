"""What nets did, packed: eight bytes for a change, kept until somebody asks."""

from __future__ import annotations

import enum
from array import array
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

LEVEL_BITS, NET_BITS = 2, 14
"""A change is its tick, over the number of the net, over its level."""
FIGHT = 3
"""The level of a net on which outputs work against each other, so that it has none."""
MOST_NETS = 1 << NET_BITS
MOST_CHANGES = 1_000_000
MOST_PWM = 100_000
"""More than the last so many are not kept; of each net, what it was before is."""
NET_MASK = MOST_NETS - 1
TICK_SHIFT = LEVEL_BITS + NET_BITS


class BusKind(enum.IntEnum):
    """What went over a bus in hardware, which moves no pin of the simulation."""

    SPI_0 = 0
    """A byte of SPI in mode 0: CPOL and CPHA are the bits of the number."""
    SPI_1 = 1
    SPI_2 = 2
    SPI_3 = 3
    I2C_ACK = 4
    """A byte of I2C, acknowledged."""
    I2C_NACK = 5
    I2C_STOP = 6


class BusByte(NamedTuple):
    """Something on a bus: when its first clock began, and when its last was over.

    Args:
        kind: What it is.
        begins_ticks: When it began.
        ends_ticks: When it was over.
        value: The byte; of SPI what the chip sent.
        other: SPI: the byte that came back. I2C: 1 if START was before it.
    """

    kind: BusKind
    begins_ticks: int
    ends_ticks: int
    value: int
    other: int


class PwmChange(NamedTuple):
    """That a net has PWM from now on; with a period of 0, no more.

    A period begins at ``begun_at``, which may have been before; by default it is now.
    """

    at_ticks: int
    net: int
    period_ticks: int
    high_ticks: int
    begun_at: int = -1


class NetLog:
    """The last changes of all nets."""

    def __init__(self) -> None:
        self.packed = array("Q")
        self.pwm: list[PwmChange] = []
        self.bus = array("Q")  # two words for each
        self._before: dict[int, int] = {}
        self._bus_cut_at_ticks = 0
        self._pwm_cut_at = 0

    def add_byte(
        self, kind: int, begins_ticks: int, ends_ticks: int, value: int, other: int
    ) -> None:
        """Keep what went over a bus."""
        lasts_ticks = ends_ticks - begins_ticks
        word = lasts_ticks << 24 | value << 16 | other << 8 | kind
        self.add_bytes((begins_ticks, word))

    def add_bytes(self, words: Iterable[int]) -> None:
        """Keep what went over a bus, in the two words of each byte."""
        self.bus.extend(words)
        if len(self.bus) > 4 * MOST_CHANGES:
            self._bus_cut_at_ticks = self.bus[2 * MOST_CHANGES]
            del self.bus[: 2 * MOST_CHANGES]

    def add_pwm(self, change: PwmChange) -> None:
        """Keep that PWM began, changed or ended."""
        self.pwm.append(change)
        if len(self.pwm) >= 2 * MOST_PWM:
            old = self.pwm[:-MOST_PWM]
            last = {it.net: it for it in old}
            self._pwm_cut_at = old[-1].at_ticks
            self.pwm[:-MOST_PWM] = sorted(last.values())

    def cut(self) -> None:
        """Forget the oldest, if there are twice as many as are to be kept."""
        if len(self.packed) < 2 * MOST_CHANGES:
            return
        for change in self.packed[:-MOST_CHANGES]:
            self._before[change >> LEVEL_BITS & NET_MASK] = change
        del self.packed[:-MOST_CHANGES]

    def all(self) -> tuple[bytes, int]:
        """Return all that is there, and up to which tick some is missing."""
        before = array("Q", sorted(self._before.values()))
        cut_at_ticks = before[-1] >> TICK_SHIFT if before else 0
        cut_at_ticks = max(cut_at_ticks, self._bus_cut_at_ticks)
        cut_at_ticks = max(cut_at_ticks, self._pwm_cut_at)
        return before.tobytes() + self.packed.tobytes(), cut_at_ticks


def bus_bytes(packed: bytes) -> list[BusByte]:
    """Return what ``NetLog.bus`` has."""
    words = array("Q", packed)
    return [
        BusByte(
            BusKind(word & 0xFF),
            begins,
            begins + (word >> 24),
            word >> 16 & 0xFF,
            word >> 8 & 0xFF,
        )
        for begins, word in zip(words[::2], words[1::2], strict=True)
    ]
