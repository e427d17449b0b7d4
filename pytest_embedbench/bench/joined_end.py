"""What is joined: an end of a wire at a board, and the others that hear it.

Times are common time: that of all boards that are joined.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right, insort
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.contracts import WireByte

if TYPE_CHECKING:
    from pytest_embedbench.bench.recorder import Recorder


@dataclass(slots=True, eq=False, repr=False)
class JoinedEnd(ABC):
    """A UART or a pin of a board, and what is on its way there."""

    recorder: Recorder
    """That of the UART, or of the board's first one."""
    partners: list[JoinedEnd] = field(default_factory=list["JoinedEnd"], init=False)
    coming: list[WireByte] = field(default_factory=list[WireByte], init=False)
    """What is still to be heard, in the order of its ends."""
    given: list[WireByte] = field(default_factory=list[WireByte], init=False)
    """What the board knows of and is not written down, in the same order."""
    label: str = field(default="", init=False)
    """Its name with the board's, which no other of the wire has."""
    hears_directly: bool = field(default=False, init=False)
    """Whether it may hear boards of its kind without the bench between."""

    @property
    @abstractmethod
    def port(self) -> str:
        """What stands for it in a ``WireByte``."""

    @property
    @abstractmethod
    def shown(self) -> str:
        """Its name with the board's, for messages."""

    @property
    @abstractmethod
    def window_us(self) -> float:
        """How long it takes at least until what begins is heard."""

    @abstractmethod
    def write_down_until(self, until_us: int, ahead_us: int) -> None:
        """Take note of what is heard up to then; the board's time is ahead."""

    @staticmethod
    def order(signal: WireByte) -> tuple[int, ...]:
        """Return what says which of two is heard first; of equals, the earlier said."""
        return signal.ends_us, signal.begins_us, signal.value

    def said(self, byte: WireByte) -> WireByte:
        """Return what the partners are to know of something that is said."""
        return byte._replace(uart=self.label)

    def say(self, byte: WireByte, *, directly: bool = False) -> None:
        """Have the partners hear it, but those who have heard it ``directly``."""
        said = self.said(byte)
        for partner in self.partners:
            knows = directly and partner.hears_directly
            queue = partner.given if knows else partner.coming
            insort(queue, said, key=partner.order)

    def take(self, until_us: int) -> list[WireByte]:
        """Return what the board is to be told of, that is heard up to then."""
        heard = taken(self.coming, until_us)
        for byte in heard:
            insort(self.given, byte, key=self.order)
        return heard

    def miss(self, until_us: int) -> None:
        """Forget what has come up to then: the firmware is dead."""
        taken(self.given, until_us)

    def lose(self, partner: JoinedEnd, now_us: int) -> None:  # noqa: ARG002  # for pins
        """Go on without another end, whose board has been closed."""
        self.partners.remove(partner)

    def give_all(self) -> list[WireByte]:
        """Return all that is coming: the board is told of it now."""
        return self.take(self.coming[-1].ends_us) if self.coming else []


def taken(queue: list[WireByte], until_us: int) -> list[WireByte]:
    """Take out what ends up to then."""
    count = bisect_right(queue, until_us, key=_end)
    heard = queue[:count]
    del queue[:count]
    return heard


def _end(byte: WireByte) -> int:
    return byte.ends_us
