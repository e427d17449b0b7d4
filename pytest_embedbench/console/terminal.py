"""A terminal on a target, for pexpect, and as a stream for what has it to itself."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from pexpect.exceptions import EOF, TIMEOUT
from pexpect.spawnbase import SpawnBase

from pytest_embedbench.clock import Deadline
from pytest_embedbench.errors import BoardLost

if TYPE_CHECKING:
    from pytest_embedbench.lab.ports.stream import PortStream

    _Spawn = SpawnBase[bytes]
else:
    _Spawn = SpawnBase

TAKES_WITHIN_S = 10.0
_READ_BYTES = 1 << 16
_READ_SLICE_S = 0.5


class Terminal(Protocol):
    """Where a shell is spoken with."""

    @property
    def location(self) -> str:
        """How it reads in a message."""
        ...

    @property
    def spawn(self) -> StreamSpawn:
        """The terminal, as pexpect sees it."""
        ...

    def close(self) -> None:
        """Hang up; safe to call twice."""
        ...


class StreamSpawn(_Spawn):
    """pexpect on a stream: one that has a descriptor, or any other.

    Every wait ends in time, whatever the stream is made of, and what was heard while
    something was sent is kept.
    """

    def __init__(self, stream: PortStream, location: str) -> None:
        super().__init__(timeout=30, maxread=_READ_BYTES)
        self.stream = stream
        self.location = location
        self._heard = bytearray()
        self._failure: OSError | None = None

    def read_nonblocking(self, size: int = 1, timeout: float | None = None) -> bytes:
        """Return what there is, or what comes within ``timeout`` seconds; pexpect's.

        Raises:
            TIMEOUT: nothing has come.
            EOF: the other end is gone.
        """
        deadline = Deadline(_READ_SLICE_S if timeout is None else max(0.0, timeout))
        if not self._heard:
            self._exchange(b"", 0.0)
        while not self._heard:
            if self._failure is not None:
                self.flag_eof = True
                raise EOF(f"{self.location}: {self._failure}")
            if deadline.passed():
                raise TIMEOUT("nothing came")
            self._exchange(b"", deadline.remaining_s())
        data = bytes(self._heard[:size])
        del self._heard[:size]
        return data

    def send(self, data: bytes, *, within_s: float = TAKES_WITHIN_S) -> int:
        """Send all of ``data``.

        Raises:
            BoardLost: the other end is gone, or takes nothing.
        """
        deadline = Deadline(within_s)
        rest = data
        while True:
            sent = self._exchange(rest[:1024], min(0.1, deadline.remaining_s()))
            rest = rest[sent:]
            if self._failure is not None:
                raise BoardLost(f"{self.location} is gone: {self._failure}")
            if not rest:
                return len(data)
            if sent:
                deadline = Deadline(within_s)
            elif deadline.passed():
                raise BoardLost(f"{self.location} takes nothing of what is typed")

    @property
    def gone(self) -> str:
        """Why the other end is gone; ``""`` while it is not."""
        return str(self._failure or "")

    def leftover(self) -> bytes:
        """Take what has been heard and not been asked for yet."""
        left: bytes = self.buffer + bytes(self._heard)
        self.buffer = b""
        self._heard.clear()
        return left

    def _exchange(self, outgoing: bytes, wait_s: float) -> int:
        try:
            incoming, sent = self.stream.exchange(outgoing, wait_s)
        except OSError as failure:
            self._failure = failure
            return 0
        self._heard += incoming
        return sent


@dataclass(slots=True, eq=False)
class SharedTerminal:
    """A stream that somebody else closes."""

    stream: PortStream

    def exchange(self, outgoing: bytes, wait_s: float) -> tuple[bytes, int]:
        """Send and receive."""
        return self.stream.exchange(outgoing, wait_s)

    def wake(self) -> None:
        """End a wait."""
        self.stream.wake()

    def close(self) -> None:
        """Leave it open."""


@dataclass(slots=True, eq=False)
class PortTerminal:
    """A terminal on a serial port."""

    location: str
    stream: PortStream
    spawn: StreamSpawn = field(init=False)

    def __post_init__(self) -> None:
        self.spawn = StreamSpawn(self.stream, self.location)

    def close(self) -> None:
        """Let the port go."""
        stream, self.stream = self.stream, _CLOSED
        stream.close()


class _ClosedStream:
    """What is left of a terminal that is closed."""

    def exchange(self, outgoing: bytes, wait_s: float) -> tuple[bytes, int]:
        """Refuse."""
        del outgoing, wait_s
        raise OSError(os.strerror(9))

    def wake(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


_CLOSED = _ClosedStream()
