"""Getting bytes into a UART at an exact instant: while the guest stands still."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from pytest_embedbench.engines.qemu.leaps import set_leap
from pytest_embedbench.engines.qemu.machines import Fifo, OneByte

if TYPE_CHECKING:
    from pytest_embedbench.engines.qemu.ports import Port
    from pytest_embedbench.engines.qemu.rsp import Stop, Stub


class Receiver(Protocol):
    """What gives a UART the bytes that wait for it."""

    pending: bytearray
    unheard: int
    """How many bytes were lost because the UART was not receiving."""

    def feed(self, stub: Stub) -> None:
        """Give the UART what it has room for; the guest stands at a tick."""
        ...

    def go_on(self, stub: Stub, stop: Stop) -> Stop | None:
        """If it was us who wanted ``stop``, go on; return the next one."""
        ...


@dataclass(slots=True)
class FifoReceiver:
    """Fills a UART's FIFO, once per tick."""

    uart: Fifo
    port: Port
    bytes_per_tick: int
    pending: bytearray = field(default_factory=bytearray)
    unheard: int = 0

    def feed(self, stub: Stub) -> None:
        """Put in what fits; return when it is in."""
        if not self.pending:
            return
        uart = self.uart
        waiting = stub.read_word(uart.status) & uart.count_mask
        room = min(self.bytes_per_tick, uart.capacity_bytes - waiting)
        if room > 0:
            piece = bytes(self.pending[:room])
            del self.pending[:room]
            status = _deliver(self.port, piece, stub, uart.status)
            self.unheard += waiting + len(piece) - (status & uart.count_mask)

    def go_on(self, stub: Stub, stop: Stop) -> Stop | None:
        """Make no stops of our own."""
        del stub, stop
        return None


@dataclass(slots=True)
class OneByteReceiver:
    """Gives the next byte when the firmware has read the last, so that none is lost.

    All that a tick has room for comes at once, as from a FIFO. Each byte takes two
    stops; time must not leap far at these, or the tick would be over.
    """

    uart: OneByte
    port: Port
    bytes_per_tick: int
    leap_us: int
    """How far time may leap otherwise."""
    pending: bytearray = field(default_factory=bytearray)
    unheard: int = 0
    _quota: int = 0
    _watching: bool = False
    _short_leaps: bool = False

    def feed(self, stub: Stub) -> None:
        """Put the first byte of a tick in, if there is room."""
        self._quota = self.bytes_per_tick
        if not self.pending or self._watching:
            return
        if not stub.read_word(self.uart.status) & self.uart.ready_mask:
            self._leap(stub, short=True)
            self._put_next(stub)

    def go_on(self, stub: Stub, stop: Stop) -> Stop | None:
        """Let the firmware read its byte, and put in the next."""
        if stop.watched != self.uart.data:
            return None
        stub.step(b"z3,%x,4" % self.uart.data)
        self._watching = False
        self._put_next(stub)
        if not self._watching:
            self._leap(stub, short=False)
        return stub.resume()

    def _put_next(self, stub: Stub) -> None:
        while self.pending and self._quota and not self._watching:
            piece = bytes(self.pending[:1])
            del self.pending[:1]
            self._quota -= 1
            if (
                _deliver(self.port, piece, stub, self.uart.status)
                & self.uart.ready_mask
            ):
                stub.do(b"Z3,%x,4" % self.uart.data)
                self._watching = True
            else:
                self.unheard += 1

    def _leap(self, stub: Stub, *, short: bool) -> None:
        if short != self._short_leaps:
            set_leap(stub, 1 if short else self.leap_us)
            self._short_leaps = short


def receiver(
    uart: Fifo | OneByte, port: Port, *, bytes_per_tick: int, leap_us: int
) -> Receiver:
    """Return what suits the UART.

    Args:
        uart: The UART.
        port: Our side of it.
        bytes_per_tick: How many its line carries from one tick to the next.
        leap_us: How far time leaps at a stop.
    """
    if isinstance(uart, Fifo):
        return FifoReceiver(uart, port, bytes_per_tick)
    return OneByteReceiver(uart, port, bytes_per_tick, leap_us)


def _deliver(port: Port, data: bytes, stub: Stub, status: int) -> int:
    """Put ``data``, wait until the UART has had it, and return its status then."""
    port.put(data)
    wait = stub.patience.begin()
    while not port.taken():
        stub.read_word(status)  # a round trip: QEMU looks at its pipes in between
        wait.check()
    return stub.read_word(status)
