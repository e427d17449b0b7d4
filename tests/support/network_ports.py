"""Ports behind a network: a plain socket, and pyserial's own RFC 2217 server."""

from __future__ import annotations

import contextlib
import socket
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import serial
from serial.rfc2217 import PortManager

if TYPE_CHECKING:
    from collections.abc import Callable, Generator


@dataclass(slots=True)
class Rfc2217Echo:
    """Serves one connection with a port that hears itself; it logs the lines."""

    connection: socket.socket
    lines: list[str] = field(default_factory=list[str])

    def write(self, data: bytes) -> None:
        """Send to the client; the port manager's way out."""
        self.connection.sendall(data)

    def __call__(self) -> None:
        """Serve until the client goes."""
        port = serial.serial_for_url("loop://", timeout=0.01)
        manager = PortManager(port, self)  # type: ignore[arg-type]  # the stub is wrong
        while data := self.connection.recv(4096):
            port.write(b"".join(manager.filter(data)))
            self.write(b"".join(manager.escape(port.read(port.in_waiting))))


def echo(connection: socket.socket) -> None:
    """Send back what comes in, until the client goes."""
    while data := connection.recv(4096):
        connection.sendall(data)


def hang_up(connection: socket.socket) -> None:
    """Say something and go."""
    connection.sendall(b"bye\n")


@contextlib.contextmanager
def served(serve: Callable[[socket.socket], object]) -> Generator[str]:
    """Serve one connection on a thread for the block; yields ``host:port``."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def accept() -> None:
            with contextlib.suppress(OSError):
                connection, _ = listener.accept()
                with connection:
                    serve(connection)

        thread = threading.Thread(target=accept)
        thread.start()
        host, port = listener.getsockname()
        yield f"{host}:{port}"
    # A listener that is closed wakes nobody who waits on it.
    with contextlib.suppress(OSError):
        socket.create_connection((host, port), timeout=0.1).close()
    thread.join()
