"""UARTs of boards that are joined: bytes that go from one to another in one time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from socket import socket


class WireByte(NamedTuple):
    """A byte on a wire, with the board's own time of its start bit and its end.

    ``ends_us`` is when the stop bit is out: then it is heard. ``uart`` is the datasheet
    name of the UART of the board that says or hears it.

    Of pins that are joined it is an edge: ``uart`` is what ``pin_port`` returns,
    ``value`` what the pin does from ``begins_us`` on (a ``PinDrive``), and ``ends_us``
    when that is at the other end of the wire.
    """

    uart: str
    begins_us: int
    ends_us: int
    value: int


@runtime_checkable
class ExchangesBytes(Protocol):
    """A board in virtual time that can be led to any microsecond."""

    def exchange(self, until_us: int, heard: Sequence[WireByte]) -> Sequence[WireByte]:
        """Let the firmware run to a moment, and hear bytes on the way.

        Returns the bytes that have begun to go out since the last exchange: each at
        least nine tenths of its time before it ends, which may be after ``until_us``.
        What went out before the first exchange is not among them. ``Link.receive`` has
        them all the same, once they have ended.

        Args:
            until_us: Up to when; not before now.
            heard: In the order of their ends, all after now and not after ``until_us``.
                What comes at another speed than the firmware listens at is not
                understood.

        Raises:
            FirmwareFault, BoardLost: as ``Board.advance``.
        """
        ...


def pin_port(pin: str) -> str:
    """Return what stands for a pin in the place of a UART's name."""
    return f"pin {pin}"


@runtime_checkable
class JoinsPins(ExchangesBytes, Protocol):
    """A board whose pins can be joined to those of others."""

    def check_joinable(self, pin: str) -> None:
        """Refuse a pin that cannot be joined now.

        Raises:
            ConfigError: it has no digital level, or a test drives it.
        """
        ...

    def join_pin(self, pin: str, delay_us: int) -> None:
        """Tell, among what is exchanged, of all that the firmware does at a pin.

        Of what it does there now, too. Each edge is at the other end of the wire
        ``delay_us`` later. From then on nobody else drives the pin.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Common time that boards go through together.

    Args:
        begins_us: When it begins.
        ends_us: When it ends.
        ahead_us: By how much the board's own time is ahead of common time.
        window_us: How long it takes at least until what begins is heard.
        goes_first: Whether it runs at once: the others wait for what it says first, so
            that they take turns, in longer strides than side by side.
        routes: Of each other board that takes part, by its number among the ends of
            ``meet``: who hears what of ours, as names of our UARTs, of theirs.
    """

    begins_us: int
    ends_us: int
    ahead_us: int
    window_us: int
    goes_first: bool
    routes: Mapping[int, Sequence[tuple[str, str]]]


@runtime_checkable
class RunsTogether(ExchangesBytes, Protocol):
    """A board that hears others of its kind without the bench between.

    All begin a stretch before one ends it. Nothing that they say or hear depends on
    this way of running: it only costs less.
    """

    @property
    def wire_kind(self) -> str:
        """What is the same for all boards that understand each other."""
        ...

    def meet(self, ends: Sequence[socket]) -> None:
        """Be connected to others, in the place of those before.

        Each of ``ends`` is one of a pair (``SOCK_SEQPACKET``); the caller closes his.
        """
        ...

    def begin_together(self, stretch: Stretch, heard: Sequence[WireByte]) -> None:
        """Begin to run with others; ``heard`` is what is still to come, as before."""
        ...

    def end_together(self) -> None:
        """Wait for the end of the stretch.

        Raises:
            FirmwareFault, BoardLost: as ``Board.advance``.
        """
        ...

    def begun(self) -> Sequence[WireByte]:
        """Return what has begun to go out since the last exchange or call."""
        ...
