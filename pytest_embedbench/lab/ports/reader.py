"""A thread that keeps a port's bytes moving while a test does something else.

A system keeps a few kilobytes for us, a tenth of a second of a fast port. A test that
draws, builds or flashes another board must not lose what comes in meanwhile.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.clock import host_now_s

if TYPE_CHECKING:
    from pytest_embedbench.lab.ports.stream import PortStream

_IDLE_S = 0.5
_PIECE_BYTES = 1024
_SETTLES_WITHIN_S = 1.0


class Heard(NamedTuple):
    """Bytes, and the host time at which they were read."""

    at_s: float
    data: bytes


class Stalled(Exception):  # it never leaves this room
    """The other side takes nothing."""


@dataclass(slots=True, eq=False)
class PortReader:
    """Reads and writes one port on a thread of its own, until ``stop``.

    It outlives any garbage, and it never dies in silence: what ended it is in
    ``failure``, and what was heard before that can still be taken.
    """

    stream: PortStream
    takes_within_s: float
    """How long the other side may take nothing of what is sent."""
    failure: Exception | None = field(default=None, init=False)
    failed_s: float = field(default=0.0, init=False)
    """The host time at which that was."""
    _heard: list[Heard] = field(default_factory=list[Heard], init=False)
    _outgoing: bytearray = field(default_factory=bytearray, init=False)
    _guard: threading.Lock = field(default_factory=threading.Lock, init=False)
    _settling: list[threading.Event] = field(
        default_factory=list[threading.Event], init=False
    )
    _deaf: bool = field(default=False, init=False)
    _stopping: threading.Event = field(default_factory=threading.Event, init=False)
    _ended: threading.Event = field(default_factory=threading.Event, init=False)

    def start(self) -> PortReader:
        """Begin; returns itself."""
        threading.Thread(target=self._run, name="embedbench-port", daemon=True).start()
        return self

    def send(self, data: bytes) -> None:
        """Have ``data`` sent, after what is waiting already."""
        with self._guard:
            self._outgoing += data
        self._wake()

    def settle(self) -> None:
        """Wait until all that has come in by now can be taken."""
        settled = threading.Event()
        with self._guard:
            if self._deaf:
                return
            self._settling.append(settled)
            self.stream.wake()
        settled.wait(_SETTLES_WITHIN_S)

    def take(self) -> list[Heard]:
        """Return what was heard since the last call."""
        with self._guard:
            heard, self._heard = self._heard, []
        return heard

    def unsent(self) -> bytes:
        """Return what has not left yet."""
        with self._guard:
            return bytes(self._outgoing)

    def wait(self, duration_s: float) -> bool:
        """Wait, but not longer than the thread runs; say whether it has ended."""
        return self._ended.wait(duration_s)

    def stop(self, within_s: float) -> bool:
        """End it and close the port; say whether that was done in time."""
        self._stopping.set()
        self._wake()
        return self._ended.wait(within_s)

    def _run(self) -> None:
        try:
            self._move()
        except Exception as failure:  # noqa: BLE001  # whatever it is, it is told
            self.failed_s = host_now_s()
            self.failure = failure
        finally:
            with self._guard:
                self._deaf = True
                for waiting in self._settling:
                    waiting.set()
            try:
                self.stream.close()
            finally:
                self._ended.set()

    def _wake(self) -> None:
        with self._guard:
            if not self._deaf:
                self.stream.wake()

    def _move(self) -> None:
        moved_s = host_now_s()
        while not self._stopping.is_set():
            with self._guard:
                outgoing = bytes(self._outgoing[:_PIECE_BYTES])
                settling, self._settling = self._settling, []
            patience_s = self.takes_within_s if outgoing else _IDLE_S
            wait_s = 0.0 if settling else min(_IDLE_S, patience_s)
            incoming, sent = self.stream.exchange(outgoing, wait_s)
            now_s = host_now_s()
            with self._guard:
                del self._outgoing[:sent]
                if incoming:
                    self._heard.append(Heard(now_s, incoming))
                for waiting in settling:
                    waiting.set()
            if sent or not outgoing:
                moved_s = now_s
            elif now_s - moved_s > self.takes_within_s:
                raise Stalled(f"{len(self.unsent())} bytes wait to be sent")
