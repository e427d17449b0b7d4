"""Getting bytes into a UART at an exact instant: while the guest stands still."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

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
    """Fills a UART's FIFO once per tick: about what its line could carry."""

    uart: Fifo
    port: Port
    pending: bytearray = field(default_factory=bytearray)
    unheard: int = 0

    def feed(self, stub: Stub) -> None:
        """Put in what fits; return when it is in."""
        if not self.pending:
            return
        uart = self.uart
        waiting = stub.read_word(uart.status) & uart.count_mask
        piece = self.pending[: max(0, uart.capacity_bytes - waiting)]
        if piece:
            del self.pending[: len(piece)]
            status = _deliver(self.port, piece, stub, uart.status)
            self.unheard += waiting + len(piece) - (status & uart.count_mask)

    def go_on(self, stub: Stub, stop: Stop) -> Stop | None:
        """Make no stops of our own."""
        del stub, stop
        return None


@dataclass(slots=True)
class OneByteReceiver:
    """Gives the next byte when the firmware has read the last, so that none is lost.

    Each byte takes two stops, which move the guest's time a little, as a wire would.
    """

    uart: OneByte
    port: Port
    pending: bytearray = field(default_factory=bytearray)
    unheard: int = 0
    _watching: bool = False

    def feed(self, stub: Stub) -> None:
        """Put one byte in if there is room."""
        uart = self.uart
        if not self.pending or self._watching:
            return
        if stub.read_word(uart.status) & uart.ready_mask:
            return
        piece = self.pending[:1]
        del self.pending[:1]
        if _deliver(self.port, piece, stub, uart.status) & uart.ready_mask:
            stub.do(b"Z3,%x,4" % uart.data)
            self._watching = True
        else:
            self.unheard += 1

    def go_on(self, stub: Stub, stop: Stop) -> Stop | None:
        """Let the firmware read its byte, and put in the next."""
        if stop.watched != self.uart.data:
            return None
        stub.step(b"z3,%x,4" % self.uart.data)
        self._watching = False
        self.feed(stub)
        return stub.resume()


def receiver(uart: Fifo | OneByte, port: Port) -> Receiver:
    """Return what suits the UART."""
    if isinstance(uart, Fifo):
        return FifoReceiver(uart, port)
    return OneByteReceiver(uart, port)


def _deliver(port: Port, data: bytes | bytearray, stub: Stub, status: int) -> int:
    """Put ``data``, wait until the UART has had it, and return its status then."""
    port.put(bytes(data))
    wait = stub.patience.begin()
    while not port.taken():
        stub.read_word(status)  # a round trip: QEMU looks at its pipes in between
        wait.check()
    return stub.read_word(status)
