"""Boards that run together: each child tells the others itself what it says.

What one begins to say is heard a while later: a byte when it is out. So long each may
run ahead of what it knows of the others. A core that sleeps says nothing before its
next timer, unless it is spoken to: until then the others need not wait for it at all.

Times are common time in us. A message is how far a board has come, before when nothing
of it begins in any case, before when nothing begins unless it hears more, how many
signals it had heard then, and its new ones: ``(port there, begins, ends, value)``.
"""

from __future__ import annotations

import os
import socket
from collections import deque

from pytest_embedbench.engines.simavr.core import layout
from pytest_embedbench.engines.simavr.core.messages import decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeAlias

    from pytest_embedbench.engines.simavr.core.machine import AvrMachine

    Signal: TypeAlias = tuple[str, int, int, int]
    Routes: TypeAlias = Mapping[str, Sequence[str]]
    """By our ports, those of a peer that hear them."""

_SOCKET = 0
_NEVER_US = 1 << 62
_MOST_BYTES = 1 << 18
"""Of a message: more than the system lets through in one."""


def take_ends(count: int) -> list[socket.socket]:
    """Return our ends of lines to other children, which come over our own socket."""
    ours = socket.socket(fileno=os.dup(_SOCKET))
    _, files, _, _ = socket.recv_fds(ours, 1024, count)
    ours.close()
    return [socket.socket(fileno=file) for file in files]


class Peer:
    """Another board, as far as we know of it."""

    def __init__(self, end: socket.socket) -> None:
        self.routes: Routes = {}
        self.new: list[Signal] = []
        """What it has not been told of yet."""
        self.reached_us = 0
        self._end, self._receive = end, end.recv_into
        # A buffer that is made for each message would be a system call more.
        self._room = memoryview(bytearray(_MOST_BYTES))
        self._sure_us = self._quiet_us = 0
        self._unheard: deque[int] = deque()
        """When those end that it did not know of as it told us how far it is."""
        self._told_count = self._known_count = self._heard_count = 0

    def set_out(self, begins_us: int, routes: Routes) -> None:
        """Begin a stretch: all that was said has been heard of."""
        self.routes = routes
        self.reached_us = self._sure_us = self._quiet_us = begins_us
        self._known_count = self._told_count
        self._unheard.clear()

    def say(self, signal: Signal) -> None:
        """Have it told of a signal, and reckon with an answer to it."""
        self.new.append(signal)
        self._unheard.append(signal[2])
        self._told_count += 1

    def nothing_before_us(self) -> int:
        """Return before when nothing of it begins, as things are."""
        quiet_us, unheard = self._quiet_us, self._unheard
        if unheard and unheard[0] < quiet_us:
            quiet_us = unheard[0]
        return max(quiet_us, self._sure_us)

    def tell(self, reached_us: int, sure_us: int, quiet_us: int) -> None:
        """Tell it how far we are, and what is new."""
        message = (reached_us, sure_us, quiet_us, self._heard_count, self.new)
        try:
            self._end.send(encode(message))
        except OSError:
            self._is_gone()
        self.new = []

    def hear(self, *, wait: bool) -> Sequence[Signal]:
        """Return what it says, once it says something; without ``wait`` perhaps ()."""
        try:
            count = self._receive(self._room, 0, 0 if wait else socket.MSG_DONTWAIT)
        except BlockingIOError:
            return ()
        except OSError:
            count = 0
        if not count:
            self._is_gone()
            return ()
        message = decode(self._room[:count])
        self.reached_us, self._sure_us, self._quiet_us, known, signals = message
        for _ in range(known - self._known_count):
            self._unheard.popleft()
        self._known_count = known
        self._heard_count += len(signals)
        heard: Sequence[Signal] = signals
        return heard

    def _is_gone(self) -> None:
        self.reached_us = self._sure_us = _NEVER_US


class AmongPeers:
    """How one board runs while others do.

    Args:
        machine: The board's.
        ends: Of the lines to the others, in their order.
        arrive: Called with each signal that comes: port, begin, end in cycles, value.
        line_free: Returns up to which cycle what begins at a port cannot begin yet.
    """

    def __init__(
        self,
        machine: AvrMachine,
        ends: Sequence[socket.socket],
        arrive: Callable[[str, int, int, int], None],
        line_free: Callable[[str], int],
    ) -> None:
        self._machine, self._arrive, self._line_free = machine, arrive, line_free
        self._peers = [Peer(end) for end in ends]
        self._present: list[Peer] = []
        self._ahead_us = self._window_us = 0
        self._goes_first = True
        self._reached_us = self._until_us = self._stop_us = 0

    def set_out(
        self,
        begins_us: int,
        ahead_us: int,
        window_us: int,
        goes_first: bool,  # noqa: FBT001  # as it was packed
        routes: Mapping[int, Routes],
    ) -> None:
        """Plan a stretch with those of the others to whom there are routes."""
        self._reached_us, self._ahead_us = begins_us, ahead_us
        self._window_us, self._goes_first = window_us, goes_first
        self._present = [self._peers[number] for number in sorted(routes)]
        for number, theirs in routes.items():
            self._peers[number].set_out(begins_us, theirs)

    @property
    def is_due(self) -> bool:
        """Whether a stretch is planned."""
        return bool(self._present)

    def say(self, port: str, begins: int, ends: int, value: int) -> None:
        """Have those told who hear a port; times are in cycles."""
        if not self._present:
            return
        begins_us, ends_us = self._us(begins), self._us(ends)
        for peer in self._present:
            for there in peer.routes.get(port, ()):
                peer.say((there, begins_us, ends_us, value))
        horizon_us = self._horizon_us()
        if horizon_us < self._stop_us:
            self._stop_us = horizon_us
            self._machine.shorten(self._cycle(horizon_us))

    def run(self, until_us: int) -> None:
        """Go through the stretch, up to a moment of our own time."""
        self._until_us = until_us = until_us - self._ahead_us
        self._tell()
        for peer in self._present:
            self._hear(peer, wait=True)
        if not self._goes_first:
            self._hear_slowest()
        while self._reached_us < until_us:
            for peer in self._present:
                self._hear(peer, wait=False)
            horizon_us = min(until_us, self._horizon_us())
            if horizon_us > self._reached_us:
                self._go(horizon_us)
                self._tell()
            else:
                self._hear_slowest()
        for peer in self._present:
            while peer.reached_us < until_us:
                self._hear(peer, wait=True)
        self._present = []

    def _go(self, until_us: int) -> None:
        self._stop_us = until_us
        self._machine.run_until(self._cycle(until_us))
        self._reached_us = self._stop_us
        if self._machine.fault is not None:
            self._reached_us = self._until_us

    def _hear_slowest(self) -> None:
        self._hear(min(self._present, key=Peer.nothing_before_us), wait=True)

    def _hear(self, peer: Peer, *, wait: bool) -> None:
        for port, begins_us, ends_us, value in peer.hear(wait=wait):
            self._arrive(port, self._cycle(begins_us), self._cycle(ends_us), value)

    def _tell(self) -> None:
        next_us = self._next_us()
        for peer in self._present:
            free = min(map(self._line_free, peer.routes))
            sure_us = max(self._reached_us, self._us(free))
            if self._machine.fault is not None:
                sure_us = _NEVER_US
            peer.tell(self._reached_us, sure_us, max(sure_us, next_us))

    def _next_us(self) -> int:
        """Return when a core that sleeps may wake by itself, or 0."""
        avr = self._machine.avr
        if avr.state != layout.SLEEPING or avr.interrupt_state:
            return 0
        return self._us(avr.first_slot.contents.when) if avr.first_slot else _NEVER_US

    def _horizon_us(self) -> int:
        return self._window_us + min(map(Peer.nothing_before_us, self._present))

    def _cycle(self, at_us: int) -> int:
        return (at_us + self._ahead_us) * self._machine.cpu_hz // 1_000_000

    def _us(self, cycle: int) -> int:
        return cycle * 1_000_000 // self._machine.cpu_hz - self._ahead_us
