"""UARTs of boards that are joined: bytes that go from one to another in one time."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Sequence


class WireByte(NamedTuple):
    """A byte on a wire, with the board's own time of its start bit and its end.

    ``ends_us`` is when the stop bit is out: then it is heard. ``uart`` is the datasheet
    name of the UART of the board that says or hears it.
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
