"""Move bytes in and out of an open port without ever waiting for good."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import select
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import serial

if TYPE_CHECKING:
    from pytest_embedbench.lab.ports.opening import SerialHandle

_READ_BYTES = 1 << 16
_SLICE_BYTES = 64


class PortStream(Protocol):
    """An open port, both ways."""

    def exchange(self, outgoing: bytes, wait_s: float) -> tuple[bytes, int]:
        """Send what can be sent now; wait for something to come in, or to go out.

        Returns what came in, and how many bytes of ``outgoing`` have left.

        Raises:
            OSError: the port is gone, or someone else reads from it.
        """
        ...

    def wake(self) -> None:
        """End the wait of ``exchange`` early; from any thread."""
        ...

    def close(self) -> None:
        """Let the port go; what has not left yet is dropped."""
        ...


def stream_for(port: SerialHandle) -> PortStream:
    """Return the stream that suits a port: ``select`` where the system can."""
    try:
        descriptor = port.fileno()
    except io.UnsupportedOperation:
        return PollingStream(port)
    return SelectStream(port, descriptor) if os.name == "posix" else PollingStream(port)


class DescriptorPort(Protocol):
    """What a stream with a descriptor needs of its port."""

    def reset_output_buffer(self) -> None:
        """Forget what is not sent yet."""
        ...

    def close(self) -> None:
        """Let it go."""
        ...


@dataclass(slots=True)
class SelectStream:
    """A port with a descriptor: sleeps until there is something to do."""

    port: DescriptorPort
    descriptor: int
    _alarm: tuple[int, int] = field(default_factory=os.pipe, init=False)

    def __post_init__(self) -> None:
        os.set_blocking(self._alarm[1], False)

    def exchange(self, outgoing: bytes, wait_s: float) -> tuple[bytes, int]:
        """Read and write the descriptor where it is ready."""
        alarm, _ = self._alarm
        writing = [self.descriptor] if outgoing else []
        readable, writable, _ = select.select(
            [self.descriptor, alarm], writing, [], wait_s
        )
        if alarm in readable:
            os.read(alarm, _READ_BYTES)
        sent = self._write(outgoing) if writable else 0
        return self._read() if self.descriptor in readable else b"", sent

    def wake(self) -> None:
        """Ring."""
        with contextlib.suppress(BlockingIOError):
            os.write(self._alarm[1], b"!")

    def close(self) -> None:
        """Drop what is unsent first: closing may else wait for it, for 30 s."""
        _close(self.port)
        for descriptor in self._alarm:
            os.close(descriptor)

    def _write(self, outgoing: bytes) -> int:
        try:
            return os.write(self.descriptor, outgoing)
        except BlockingIOError:
            return 0

    def _read(self) -> bytes:
        try:
            incoming = os.read(self.descriptor, _READ_BYTES)
        except BlockingIOError:
            return b""
        if not incoming:
            raise _why_nothing(self.descriptor)
        return incoming


@dataclass(frozen=True, slots=True)
class PollingStream:
    """A port without one (Windows, RFC 2217, ``loop://``): asked again and again."""

    port: SerialHandle

    def exchange(self, outgoing: bytes, wait_s: float) -> tuple[bytes, int]:
        """Write a piece, or read for a slice of time; the port has both limits."""
        del wait_s
        sent = self._write(outgoing[:_SLICE_BYTES]) if outgoing else 0
        waiting = self.port.in_waiting
        if sent and not waiting:
            return b"", sent  # what is to be sent next does not wait for an answer
        return self.port.read(waiting or 1), sent

    def wake(self) -> None:
        """Do nothing: a slice is short."""

    def close(self) -> None:
        """Close it."""
        _close(self.port)

    def _write(self, piece: bytes) -> int:
        try:
            sent = self.port.write(piece)
        except serial.SerialTimeoutException:
            return 0
        return len(piece) if sent is None else sent


def _why_nothing(descriptor: int) -> OSError:
    """Say what it means that there is nothing to be read where something should be.

    A port that was unplugged hangs up before its name is gone, and no port of that
    name answers for it: so the descriptor itself is asked.
    """
    if sys.platform == "win32":
        return OSError("ready to be read, but there was nothing")
    import termios  # noqa: PLC0415  # POSIX only

    try:
        termios.tcgetattr(descriptor)
    except termios.error as error:
        if error.args[0] == errno.EIO:
            return OSError(errno.EIO, "it has hung up")
        return OSError("the other side has closed it")
    return OSError("ready to be read, but there was nothing")


def _close(port: DescriptorPort) -> None:
    # A port that is gone can be neither flushed nor closed, and says so in two ways.
    with contextlib.suppress(*_TROUBLE):
        port.reset_output_buffer()
    with contextlib.suppress(*_TROUBLE):
        port.close()


def _trouble() -> tuple[type[Exception], ...]:
    if sys.platform == "win32":
        return (OSError,)
    import termios  # noqa: PLC0415  # POSIX only

    return (OSError, termios.error)


_TROUBLE = _trouble()
