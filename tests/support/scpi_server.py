"""A supply and a relay card behind a socket of this machine."""

from __future__ import annotations

import socket
import threading
from dataclasses import dataclass, field


@dataclass(slots=True, eq=False)
class InstrumentServer:
    """It answers questions, and keeps what it was told; one client after the other."""

    told: list[str] = field(default_factory=list[str], init=False)
    clients: int = field(default=0, init=False)
    _listener: socket.socket = field(init=False)
    _thread: threading.Thread = field(init=False)

    def __post_init__(self) -> None:
        self._listener = socket.create_server(("localhost", 0))
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        """Where it listens."""
        port: int = self._listener.getsockname()[1]
        return port

    def close(self) -> None:
        """Take it off the network, and wait until all is read that was told."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self.clients += 1
            with client, client.makefile("rw", newline="\n") as lines:
                for line in lines:
                    self.told.append(words := line.strip())
                    if words.endswith("?") or words.startswith("RELAY"):
                        lines.write("0.0425\n")
                        lines.flush()
