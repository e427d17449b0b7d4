"""A USART that is joined to another board's: bytes come and go at given cycles."""

from __future__ import annotations

from bisect import insort
from operator import itemgetter

from pytest_embedbench.engines.simavr.core import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.engines.simavr.core.machine import AvrMachine
    from pytest_embedbench.engines.simavr.core.uart import Usart

_TOLERANCE = 0.05
_END_FIRST = itemgetter(1, 0, 2)


class JoinedWire:
    """What comes to a USART and goes from it, byte by byte.

    Whether a byte is lost for want of room is judged at its stop bit, not at its start
    bit as by the chip: that may have been before anybody has told us of it.

    Args:
        machine: The chip.
        usart: One of its own.
        say: Called with each byte that begins to go out: begin, end in cycles, value.
    """

    def __init__(
        self,
        machine: AvrMachine,
        usart: Usart,
        say: Callable[[int, int, int], None],
    ) -> None:
        self._garbled = (0, 0, 0)
        self._next_at = 0
        self._machine = machine
        self._usart = usart
        self._coming: list[tuple[int, int, int]] = []
        self._timer = machine.keep(layout.CycleTimer(self._on_end))
        machine.going_on.add(self._timer)
        machine.revive.append(self._on_reset)
        usart.on_begun = say

    def take_garbled(self) -> tuple[int, int, int]:
        """Return how many bytes have not been understood since the last call.

        And how many cycles the last of them took, and one of ours takes.
        """
        garbled, self._garbled = self._garbled, (0, 0, 0)
        return garbled

    def line_free(self) -> int:
        """Return up to which cycle bytes go out that are known."""
        return self._usart.line_free_at

    def arrive(self, begins: int, ends: int, byte: int) -> None:
        """Have a byte come; its stop bit is out at ``ends``."""
        coming = (begins, ends, byte)
        insort(self._coming, coming, key=_END_FIRST)
        if self._coming[0] is coming:
            self._machine.at(ends, self._timer)

    def miss(self) -> None:
        """Forget what is coming: the firmware is dead."""
        self._coming.clear()

    def _on_end(self, _avr: int, when: int, _param: int) -> int:
        if not self._coming:
            return 0
        usart = self._usart
        own = usart.byte_cycles()
        if when < self._next_at:  # a receiver takes in one byte at a time
            return self._next_at
        begins, ends, byte = self._coming.pop(0)
        self._next_at = when + own // 2
        if usart.is_listening() and abs(ends - begins - own) > _TOLERANCE * own:
            self._garbled = (self._garbled[0] + 1, ends - begins, own)
        else:
            usart.make_room()
            usart.take_in(byte, when)
        return max(self._coming[0][1], self._next_at) if self._coming else 0

    def _on_reset(self) -> None:
        """The other board keeps sending."""
        if self._coming:
            self._machine.at(self._coming[0][1], self._timer)
