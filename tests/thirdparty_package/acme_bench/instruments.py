"""A supply that speaks SCPI, and a relay: both over a socket."""

from __future__ import annotations

import socket
from dataclasses import dataclass, field

from pytest_embedbench import option


@dataclass(kw_only=True)
class _OverSocket:
    host: str = option("localhost", "where it is")
    port: int = option(5025, "its TCP port", lowest=1, highest=65_535)
    _socket: socket.socket | None = field(default=None, init=False)

    def open(self) -> None:
        """Connect; a board is taken in vain where that fails."""
        self._socket = socket.create_connection((self.host, self.port), timeout=5)

    def close(self) -> None:
        """Disconnect."""
        if self._socket is not None:
            self._socket.close()

    def tell(self, words: str) -> None:
        """Send a line."""
        assert self._socket is not None, "its board is ours, so it is open"
        self._socket.sendall(f"{words}\n".encode())

    def ask(self, words: str) -> str:
        """Send a line, and return the one that answers it."""
        self.tell(words)
        assert self._socket is not None, "its board is ours, so it is open"
        heard = b""
        while not heard.endswith(b"\n"):
            if not (more := self._socket.recv(4096)):
                raise ConnectionError(f"{words}: the instrument has hung up")
            heard += more
        return heard.decode().strip()


@dataclass(kw_only=True)
class ScpiSupply(_OverSocket):
    """A power supply; a board that is let go finds the voltage that it began with."""

    millivolts: int = option(5000, "what a board is given to begin with", lowest=0)

    def open(self) -> None:
        """Connect, and give the board its voltage."""
        super().open()
        self.set_voltage(self.millivolts)
        self.tell("OUTP ON")

    def close(self) -> None:
        """Leave it as it was found, and disconnect."""
        try:
            self.set_voltage(self.millivolts)
        finally:
            super().close()

    def set_voltage(self, millivolts: int) -> None:
        """Set the output, in mV."""
        self.tell(f"VOLT {millivolts / 1000:.3f}")

    def current_ma(self) -> float:
        """Measure what the board takes, in mA."""
        return float(self.ask("MEAS:CURR?")) * 1000


@dataclass(kw_only=True)
class Relay(_OverSocket):
    """One relay of a card; it is open unless a test has closed it."""

    number: int = option(1, "which one of the card", lowest=1)

    def close(self) -> None:
        """Open the relay, and disconnect."""
        try:
            self.switch(on=False)
        finally:
            super().close()

    def switch(self, *, on: bool) -> None:
        """Close or open it, and wait until it has obeyed."""
        self.ask(f"RELAY {self.number} {'ON' if on else 'OFF'}")
