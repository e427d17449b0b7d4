"""Ports behind a network: plain sockets, and pyserial's own RFC 2217 server."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import serial
from serial.rfc2217 import SERVER_PURGE_DATA, SERVER_SET_CONTROL, PortManager

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

BUSY = b"Port already in use\r\n"
"""What ser2net says to a second client before it hangs up."""


def echo(connection: socket.socket) -> None:
    """Send back what comes in, until the client goes."""
    while data := connection.recv(4096):
        connection.sendall(data)


def hang_up(connection: socket.socket) -> None:
    """Say something and go."""
    connection.sendall(b"bye\n")


def say_nothing(connection: socket.socket) -> None:
    """Take whatever comes, until the client goes."""
    while connection.recv(4096):
        pass


class LoggedLines(serial.Serial):
    """A port on a pseudo-terminal, which has no modem lines: they are written down."""

    log: list[str]
    cts = dsr = ri = cd = False

    def _reset_input_buffer(self) -> None:
        """Leave what the board has said before a client's server was ready."""

    def _update_dtr_state(self) -> None:
        self.log.append(f"D{self.dtr:d}")

    def _update_rts_state(self) -> None:
        self.log.append(f"R{self.rts:d}")


class Purging(PortManager):
    """A manager of a kind that does what it is told to purge, and does not say so."""

    unanswered = SERVER_PURGE_DATA

    def rfc2217_send_subnegotiation(self, option: bytes, value: bytes = b"") -> None:
        """Answer all else."""
        if option != self.unanswered:
            super().rfc2217_send_subnegotiation(option, value)


class Lineless(Purging):
    """One that says nothing of modem lines: as ``ser2net``, where there are none."""

    unanswered = SERVER_SET_CONTROL


class Service(Protocol):
    """What a server does for one client."""

    def __call__(self, connection: socket.socket, stop: int) -> None:
        """Serve it until it goes, or until ``stop`` can be read."""
        ...


@dataclass(slots=True)
class SharedPort:
    """A device for one client at a time: RFC 2217, or just its bytes.

    ``greeting`` is said to each client at once, as if the board did; ``lines`` logs
    what was done to DTR and RTS.
    """

    device: str
    manager: type[PortManager] | None = PortManager
    greeting: bytes = b""
    lines: list[str] = field(default_factory=list[str])

    def __call__(self, connection: socket.socket, stop: int) -> None:
        """Pass bytes on in both directions, none faster than they are taken."""
        port = LoggedLines(timeout=0, write_timeout=0)
        port.log = self.lines
        port.port = self.device
        with port:
            self.lines.clear()  # those of opening it are the server's own
            client = _Client(connection)
            # What the manager asks of both is less than the stubs say.
            rfc2217 = self.manager(port, client) if self.manager else None  # type: ignore[arg-type]
            device = port.fileno()
            client.write(self.greeting)
            to_device = b""
            while True:
                reading = [device, stop, *([] if to_device else [connection.fileno()])]
                writing = [device] if to_device else []
                ready, free, _ = select.select(reading, writing, [])
                if stop in ready:
                    return
                if free:
                    to_device = to_device[port.write(to_device) or 0 :]
                if connection.fileno() in ready:
                    if not (data := connection.recv(4096)):
                        return
                    to_device = b"".join(rfc2217.filter(data)) if rfc2217 else data
                if device in ready:
                    said = port.read(4096)
                    client.write(b"".join(rfc2217.escape(said)) if rfc2217 else said)


@dataclass(slots=True)
class _Client:
    connection: socket.socket

    def write(self, data: bytes) -> None:
        self.connection.sendall(data)


@dataclass(slots=True)
class Server:
    """Serves one client after the other; who comes meanwhile is told so."""

    serve: Service
    place: str = ""
    """``host:port``, also while it is down."""
    _listener: socket.socket | None = None
    _stop: tuple[int, int] = (-1, -1)
    _threads: list[threading.Thread] = field(default_factory=list[threading.Thread])

    def up(self) -> None:
        """Begin to listen, at the same place as before."""
        host, _, port = (self.place or "127.0.0.1:0").partition(":")
        self._listener = socket.create_server((host, int(port)))
        self.place = "{}:{}".format(*self._listener.getsockname())
        self._stop = os.pipe()
        self._start(self._listen, self._listener, self._stop[0])

    def down(self) -> None:
        """Break what there is, as a server does that is switched off."""
        if self._listener is None:
            return
        os.write(self._stop[1], b"!")
        for thread in self._threads:
            thread.join()
        self._threads.clear()
        self._listener.close()
        self._listener = None
        for end in self._stop:
            os.close(end)

    def _start(self, run: Callable[..., None], *arguments: object) -> None:
        self._threads.append(threading.Thread(target=run, args=arguments))
        self._threads[-1].start()

    def _listen(self, listener: socket.socket, stop: int) -> None:
        busy = threading.Lock()
        while stop not in select.select([listener.fileno(), stop], [], [])[0]:
            connection, _ = listener.accept()
            if busy.acquire(blocking=False):
                self._start(self._serve, connection, stop, busy)
            else:
                with connection:
                    connection.sendall(BUSY)

    def _serve(self, client: socket.socket, stop: int, busy: threading.Lock) -> None:
        with client, contextlib.suppress(OSError):
            self.serve(client, stop)
        busy.release()


@contextlib.contextmanager
def server(serve: Service) -> Generator[Server]:
    """Run a server for the block."""
    running = Server(serve)
    running.up()
    try:
        yield running
    finally:
        running.down()


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
