"""A USART that is joined to another board's: bytes come and go at given cycles."""

from __future__ import annotations

from collections import deque

from pytest_embedbench.engines.simavr.core import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pytest_embedbench.engines.simavr.core.machine import AvrMachine
    from pytest_embedbench.engines.simavr.core.uart import Usart

_TOLERANCE = 0.05


class JoinedWire:
    """What comes to a USART and goes from it, byte by byte.

    Whether a byte is lost for want of room is judged at its stop bit, not at its start
    bit as by the chip: that may have been before anybody has told us of it.
    """

    def __init__(self, machine: AvrMachine, usart: Usart) -> None:
        self._garbled = 0
        self._machine = machine
        self._usart = usart
        self._coming: deque[tuple[int, int, int]] = deque()
        self._timer = machine.keep(layout.CycleTimer(self._on_end))
        machine.going_on.add(self._timer)
        machine.revive.append(self._on_reset)
        usart.begun = []

    def take_garbled(self) -> int:
        """Return how many bytes have not been understood since the last call."""
        garbled, self._garbled = self._garbled, 0
        return garbled

    def take_begun(self) -> list[tuple[int, int, int]]:
        """Return the bytes that have begun to go out since the last call."""
        begun, self._usart.begun = self._usart.begun or [], []
        return begun

    def arrive(self, begins: int, ends: int, byte: int) -> None:
        """Have a byte come, behind the others; its stop bit is out at ``ends``."""
        self._coming.append((begins, ends, byte))
        if len(self._coming) == 1:
            self._machine.at(ends, self._timer)

    def _on_end(self, _avr: int, when: int, _param: int) -> int:
        begins, ends, byte = self._coming.popleft()
        usart = self._usart
        own = usart.byte_cycles()
        if usart.is_listening() and abs(ends - begins - own) > _TOLERANCE * own:
            self._garbled += 1
        else:
            usart.make_room()
            usart.take_in(byte, when)
        return self._coming[0][1] if self._coming else 0

    def _on_reset(self) -> None:
        """The other board keeps sending."""
        if self._coming:
            self._machine.at(self._coming[0][1], self._timer)
