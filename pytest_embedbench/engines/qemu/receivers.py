"""Getting bytes into a UART at an exact instant: while the guest stands still."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from pytest_embedbench.engines.qemu.launch import limit_time_warp
from pytest_embedbench.engines.qemu.machines import Fifo, OneByte

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.engines.qemu.rsp import Stop, Stub
    from pytest_embedbench.engines.qemu.uart_pipes import QemuUart
    from pytest_embedbench.processes.time_budget import Wait


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How fast bytes may come.

    ``bytes_per_tick`` is what the line carries from one tick to the next;
    ``time_warp_us`` how far time may go at a stop as a rule. ``read_word`` is written
    each time when the firmware has read a byte, if there is such a word.
    """

    bytes_per_tick: int
    time_warp_us: int
    read_word: int | None = None


class Receiver(Protocol):
    """What gives a UART the bytes that wait for it."""

    pending: bytearray
    unheard: int
    """How many bytes were lost because the UART was not receiving."""

    def feed(self, stub: Stub) -> None:
        """Give the UART what it has room for; the guest stands at a tick.

        Called while there is something ``pending``.
        """
        ...

    def go_on(self, stub: Stub, stop: Stop) -> Stop | None:
        """If it was us who wanted ``stop``, go on; return the next one."""
        ...


@dataclass(slots=True)
class FifoReceiver:
    """Fills a UART's FIFO, once per tick."""

    uart: Fifo
    port: QemuUart
    pace: Pace
    pending: bytearray = field(default_factory=bytearray)
    unheard: int = 0

    def feed(self, stub: Stub) -> None:
        """Put in what fits; return when it is in."""
        uart = self.uart
        waiting = stub.read_word(uart.status) & uart.count_mask
        room = min(self.pace.bytes_per_tick, uart.capacity_bytes - waiting)
        if room > 0:
            piece = bytes(self.pending[:room])
            del self.pending[:room]
            self.port.put(piece)
            goal = waiting + len(piece)
            arrived = _wait_until_taken(
                self.port,
                stub,
                lambda: stub.read_word(uart.status) & uart.count_mask == goal,
            )
            self.unheard += 0 if arrived else len(piece)

    def go_on(self, stub: Stub, stop: Stop) -> Stop | None:
        """Make no stops of our own."""
        del stub, stop
        return None


@dataclass(slots=True)
class OneByteReceiver:
    """Gives the next byte when the firmware has read the last, so that none is lost.

    All that a tick has room for comes at once, as from a FIFO. Each byte takes two
    stops: before the firmware reads it, and when it has. Time must not go far at
    these, or the tick would be over.
    """

    uart: OneByte
    port: QemuUart
    pace: Pace
    pending: bytearray = field(default_factory=bytearray)
    unheard: int = 0
    _watch: bytes = field(init=False)
    _unwatch: bytes = field(init=False)
    _quota: int = 0
    _watching: bool = False
    _short_warps: bool = False

    def __post_init__(self) -> None:
        self._watch = b"Z3,%x,4" % self.uart.data
        self._unwatch = b"z3,%x,4" % self.uart.data

    def feed(self, stub: Stub) -> None:
        """Put the first byte of a tick in, if there is room."""
        self._quota = self.pace.bytes_per_tick
        if self._watching or self._full(stub):
            return
        self._limit_time_warp(stub, short=True)
        if self._put_next(stub):
            stub.do(self._watch)
        else:
            self._limit_time_warp(stub, short=False)

    def go_on(self, stub: Stub, stop: Stop) -> Stop | None:
        """Let the firmware read its byte, and put in the next."""
        read_word = self.pace.read_word
        if stop.watched is None or stop.watched not in (self.uart.data, read_word):
            return None
        if stop.watched == read_word:
            return self._after_read(stub, b"z2,%x,4" % read_word)
        if read_word is not None:
            return stub.resume(self._unwatch, b"Z2,%x,4" % read_word)
        stub.step(self._unwatch)
        return self._after_read(stub)

    def _after_read(self, stub: Stub, *before: bytes) -> Stop:
        if self._put_next(stub):
            return stub.resume(*before, self._watch)
        self._limit_time_warp(stub, short=False)
        return stub.resume(*before)

    def _put_next(self, stub: Stub) -> bool:
        """Put in the next byte of this tick; say whether there was one."""
        while self.pending and self._quota:
            self.port.put(self.pending[:1])
            del self.pending[:1]
            self._quota -= 1
            if _wait_until_taken(self.port, stub, lambda: self._full(stub)):
                self._watching = True
                return True
            self.unheard += 1
        self._watching = False
        return False

    def _full(self, stub: Stub) -> bool:
        return bool(stub.read_word(self.uart.status) & self.uart.ready_mask)

    def _limit_time_warp(self, stub: Stub, *, short: bool) -> None:
        if short != self._short_warps:
            limit_time_warp(stub, 1 if short else self.pace.time_warp_us)
            self._short_warps = short


def receiver(uart: Fifo | OneByte, port: QemuUart, pace: Pace) -> Receiver:
    """Return what suits the UART."""
    if isinstance(uart, Fifo):
        return FifoReceiver(uart, port, pace)
    return OneByteReceiver(uart, port, pace)


def _wait_until_taken(port: QemuUart, stub: Stub, arrived: Callable[[], bool]) -> bool:
    """Wait until the UART has what was put; say whether it has ``arrived``.

    A UART whose receiver is off lets bytes pass by.
    """
    wait: Wait | None = None
    while True:
        taken = port.taken()
        # A round trip: QEMU looks at its pipes in between.
        if arrived():
            return True
        if taken:
            return False
        wait = wait or stub.channel.begin_wait()
        wait.check()
