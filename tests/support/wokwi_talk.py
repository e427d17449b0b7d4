"""A bare client of Wokwi's protocol, for tests of the server."""

from __future__ import annotations

import base64
import json
import threading
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Self

from websockets.sync.client import connect

from pytest_embedbench import Registry
from pytest_embedbench.wokwi_server.server import WokwiServer

if TYPE_CHECKING:
    from collections.abc import Iterator

TOKEN = "open-sesame"
WITHIN_S = 60.0


@contextmanager
def wokwi_server() -> Iterator[WokwiServer]:
    """Have a server for a block; when it ends, so have all its threads."""
    server = WokwiServer(Registry(), token=TOKEN, version="1.2")
    thread = threading.Thread(target=server.serve)
    thread.start()
    try:
        yield server
    finally:
        server.close()
        thread.join()


class Talk:
    """Commands and what comes of them; events are kept in their order."""

    def __init__(self, url: str, token: str = TOKEN) -> None:
        headers = {"Authorization": f"Bearer {token}"}
        self._opened = ExitStack()
        connecting = connect(url, additional_headers=headers, proxy=None)
        self.wire = self._opened.enter_context(connecting)
        self.events: list[dict[str, Any]] = []
        self.errors: list[str] = []
        self._count = 0
        if (hello := self._hear())["type"] != "hello":
            raise ValueError(hello)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def ask(self, name: str, /, **params: object) -> dict[str, Any]:
        """Return the result of a command, or code and message of its error."""
        self._count += 1
        frame = {"type": "command", "id": str(self._count), "command": name}
        self.wire.send(json.dumps({**frame, "params": params}))
        while True:
            came = self._hear()
            if came["type"] == "response":
                if came["id"] != str(self._count):
                    raise ValueError(came)
                result: dict[str, Any] = came["result"]
                return result
            self._keep(came)

    def until(self, event: str) -> dict[str, Any]:
        """Return the next event of a kind."""
        while True:
            for index, each in enumerate(self.events):
                if each["event"] == event:
                    return self.events.pop(index)
            self._keep(self._hear())

    def start(self, diagram: str, firmware: bytes, **params: object) -> None:
        """Upload what a simulation needs, and begin it, paused."""
        self.ask("file:upload", name="diagram.json", text=diagram)
        binary = base64.b64encode(firmware).decode()
        self.ask("file:upload", name="firmware.hex", binary=binary)
        self.ask("serial-monitor:listen")
        given = {"firmware": "firmware.hex", "pause": True, **params}
        if refused := self.ask("sim:start", **given):
            raise ValueError(refused)

    def run(self, nanos: int) -> int:
        """Let so much time pass; return when that is."""
        self.ask("sim:resume", pauseAfter=nanos)
        at_ns: int = self.until("sim:pause")["nanos"]
        return at_ns

    def said(self) -> bytes:
        """Return what the firmware has said in the events so far."""
        taken = [it for it in self.events if it["event"] == "serial-monitor:data"]
        self.events = [it for it in self.events if it not in taken]
        return b"".join(bytes(it["payload"]["bytes"]) for it in taken)

    def _hear(self) -> dict[str, Any]:
        frame: dict[str, Any] = json.loads(self.wire.recv(timeout=WITHIN_S))
        return frame

    def _keep(self, frame: dict[str, Any]) -> None:
        if frame["type"] == "error":
            self.errors.append(frame["message"])
        else:
            self.events.append(frame)
