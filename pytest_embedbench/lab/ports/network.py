"""Ports behind a network: pyserial's two clients, mended where they lose bytes or time.

Both drop what came in while they were opening. The RFC 2217 one also fails where a
server does not confirm a purge, forgets the last words of a server that has gone, and
has no limit on how long it waits to send.
"""

from __future__ import annotations

import contextlib
import errno
import queue
import select
import socket
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import serial
from serial import rfc2217
from serial.urlhandler import protocol_socket

if TYPE_CHECKING:
    from collections.abc import Callable

    from _typeshed import ReadableBuffer

_IDLE_S, _ASK_EVERY_S, _ASK_COUNT = 5, 2, 3
"""When a peer that says nothing is asked whether it is there, and how often."""
_SHOWN_BYTES = 80


class SocketPort(protocol_socket.Serial):
    """``socket://host:port``: the bytes of a connection as they are."""

    _socket: socket.socket | None = None
    _is_set_up: bool = False

    def open(self) -> None:
        """Connect, and notice a peer that vanishes without a word."""
        self._is_set_up = False
        super().open()
        self._is_set_up = True
        assert self._socket is not None
        _keep_alive(self._socket)

    def reset_input_buffer(self) -> None:
        """Leave what has come in: the board may have begun to speak."""

    def close(self) -> None:
        """Hang up, also where the peer has done so before."""
        _hang_up(self._socket, super().close)

    def _update_dtr_state(self) -> None:
        self._refuse_lines()

    def _update_rts_state(self) -> None:
        self._refuse_lines()

    def _refuse_lines(self) -> None:
        """Say what is not there, where pyserial does nothing; opening sets both."""
        if self._is_set_up:
            raise _no_lines()


class Rfc2217Port(rfc2217.Serial):
    """``rfc2217://host:port``: a serial port of another machine, with its lines."""

    _socket: socket.socket | None
    _read_buffer: queue.Queue[bytes | None] | None
    _ignore_set_control_answer: bool
    _is_set_up: bool = False
    _has_no_lines: bool = False

    def open(self) -> None:
        """Connect and agree on the port's settings.

        Raises:
            SerialException: that was not possible; with what the server said, if it
                spoke like people (``Port already in use``).
        """
        self._is_set_up = self._has_no_lines = False
        asks_no_answer = "ign_set_control" in (self.port or "")
        try:
            super().open()
        except OSError as error:
            said = self._take(_SHOWN_BYTES).decode("ascii", "replace").strip()
            hint = f"; the server said: {said!r}" if said else ""
            raise serial.SerialException(f"{_in_words(error)}{hint}") from error
        self._is_set_up = True
        self._has_no_lines = self._ignore_set_control_answer and not asks_no_answer
        assert self._socket is not None
        _keep_alive(self._socket)

    def close(self) -> None:
        """Hang up, also where the server has done so before."""
        _hang_up(self._socket, super().close)

    def read(self, size: int = 1, /) -> bytes:
        """Return what came in, also after the server has gone."""
        return self._take(size) or super().read(size)

    def write(self, data: ReadableBuffer, /) -> int:
        """Send ``data`` unless that would have to wait, and return how much was."""
        if self._socket is None or not select.select([], [self._socket], [], 0)[1]:
            return 0
        super().write(data)
        return memoryview(data).nbytes

    def rfc2217_set_control(self, value: bytes) -> None:
        """Set a line; one that is not confirmed in opening is not there.

        ``ser2net`` does not confirm those of a port that has none.
        """
        if self._has_no_lines:
            raise _no_lines()
        try:
            super().rfc2217_set_control(value)
        except serial.SerialException:
            if self._is_set_up:
                raise
            self._ignore_set_control_answer = True

    def reset_input_buffer(self) -> None:
        """Leave what has come in: the board may have begun to speak."""

    def reset_output_buffer(self) -> None:
        """Leave what is on its way: not every server confirms a purge."""

    def _take(self, size: int) -> bytes:
        """Return what is there already, up to the end of the connection."""
        taken = bytearray()
        with contextlib.suppress(queue.Empty):
            while self._read_buffer is not None and len(taken) < size:
                piece = self._read_buffer.get_nowait()
                if piece is None:
                    break
                taken += piece
        return bytes(taken)


PORTS: dict[str, type[serial.SerialBase]] = {
    "rfc2217": Rfc2217Port,
    "socket": SocketPort,
}


def peer_of(url: str) -> str:
    """Return what is the same for all URLs of one remote port: address and number."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    try:
        known: list[Any] = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        host = min(str(entry[4][0]) for entry in known)
    except OSError:
        pass  # opening it will say so
    return f"{host}:{parts.port}"


def _in_words(error: OSError) -> str:
    """Say what an error means that a server causes by hanging up in the middle."""
    if isinstance(error, BrokenPipeError | ConnectionResetError):
        return (
            "the server hung up before it had agreed on anything: it is none of RFC "
            "2217, or it serves somebody else"
        )
    return str(error)


def _no_lines() -> OSError:
    return OSError(errno.ENOTTY, "neither DTR nor RTS is there")


def _keep_alive(connection: socket.socket) -> None:
    """Have the system ask a silent peer whether it is there: a cable can be pulled."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (
        ("TCP_KEEPIDLE", _IDLE_S),
        ("TCP_KEEPINTVL", _ASK_EVERY_S),
        ("TCP_KEEPCNT", _ASK_COUNT),
    ):
        # Not every system has all of them.
        if (option := getattr(socket, name, None)) is not None:
            connection.setsockopt(socket.IPPROTO_TCP, option, value)


def _hang_up(connection: socket.socket | None, close: Callable[[], None]) -> None:
    """Close, and also where pyserial gives up: when the peer was first."""
    close()
    if connection is not None:
        connection.close()
