"""A service that speaks Wokwi's protocol, and misbehaves where it is told to.

It is in this process, on a port that was free. Its firmware says ``ready`` at 10 ms
and returns each line; pin 13 is high for every other 100 ms.
"""

from __future__ import annotations

import base64
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from websockets.exceptions import ConnectionClosed
from websockets.http11 import Response
from websockets.sync.server import serve

from pytest_embedbench.wokwi.messages import (
    Command,
    CommandResponse,
    ErrorResponse,
    Event,
    Hello,
    encode,
    parse,
)
from pytest_embedbench.wokwi.names import CommandName, EventName

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from websockets.http11 import Request
    from websockets.sync.server import ServerConnection

TOKEN = "wok_secret"
_MS = 1_000_000
_READY_NS, _HALF_NS = 10 * _MS, 100 * _MS

REFUSE, DROP, SILENT, GARBAGE = "refuse", "drop", "silent", "garbage"


@dataclass
class ScriptedService:
    """What it does, and what it has seen.

    ``at`` says what goes wrong, by command (or ``hello``): one of the words above, or
    a text that is sent before the answer; ``once`` has texts for the next one alone.
    ``statuses`` are what the first upgrades
    are answered with.
    """

    at: dict[str, str] = field(default_factory=dict[str, str])
    statuses: list[int] = field(default_factory=list[int])
    hello: str = field(default_factory=lambda: encode(Hello(app_name="scripted")))
    once: dict[str, str] = field(default_factory=dict[str, str])
    warnings: list[str] = field(default_factory=list[str])
    refusal: str = "no, sir"
    pins_as_numbers: bool = False
    url: str = ""
    commands: list[Command] = field(default_factory=list[Command])
    files: dict[str, str | bytes] = field(default_factory=dict[str, str | bytes])
    upgrades: list[Request] = field(default_factory=list["Request"])
    sessions_open: int = 0

    def names(self) -> list[str]:
        """Return what was asked for, in order."""
        return [it.command for it in self.commands]

    def params_of(self, name: str) -> Mapping[str, Any]:
        """Return the parameters of the last command of a name."""
        return [it.params for it in self.commands if it.command == name][-1]

    def process_request(
        self, connection: ServerConnection, request: Request
    ) -> Response | None:
        """Let clients in, or not."""
        self.upgrades.append(request)
        if self.statuses:
            return connection.respond(self.statuses.pop(0), "no\n")
        if request.headers.get("Authorization") != f"Bearer {TOKEN}":
            return connection.respond(401, "no\n")
        return None

    def serve_one(self, connection: ServerConnection) -> None:
        """Talk to a client until either of us has enough."""
        self.sessions_open += 1
        try:
            with suppress(ConnectionClosed):
                if self._misbehaves("hello", connection):
                    return
                connection.send(self.hello)
                _Session(self, connection).run()
        finally:
            self.sessions_open -= 1

    def _misbehaves(self, step: str, connection: ServerConnection) -> bool:
        """Do what goes wrong at a step; say whether the session is over."""
        word = self.once.pop(step, self.at.get(step, ""))
        if word == DROP:
            connection.socket.shutdown(2)
        elif word == SILENT:
            for _ in connection:
                pass
        elif word == GARBAGE:
            connection.send("\x00 no JSON {")
        elif word and word != REFUSE:
            connection.send(word)
        return word in (DROP, SILENT)


class _Session:
    def __init__(self, service: ScriptedService, connection: ServerConnection) -> None:
        self._service, self._connection = service, connection
        self._now_ns = 0
        self._power_ns = 0
        self._points: dict[str, bytes] = {}
        self._said = b""
        self._to_say: list[tuple[int, bytes]] = []
        self._listened: set[tuple[str, str]] = set()

    def run(self) -> None:
        for text in self._connection:
            command = parse(text)
            assert isinstance(command, Command)
            self._service.commands.append(command)
            if self._service._misbehaves(command.command, self._connection):
                return
            if self._service.at.get(command.command) == REFUSE:
                refusal = ErrorResponse(
                    id=command.id,
                    command=command.command,
                    code=7,
                    message=self._service.refusal,
                )
                self._connection.send(encode(refusal))
                continue
            result = self._answer(command)
            answer = CommandResponse(
                id=command.id, command=command.command, result=result
            )
            self._connection.send(encode(answer))
            if command.command == CommandName.SIM_RESUME:
                self._run(command.params["pauseAfter"])

    def _answer(self, command: Command) -> dict[str, Any]:
        params = command.params
        match command.command:
            case CommandName.FILE_UPLOAD:
                text = params.get("text")
                binary = base64.b64decode(params.get("binary", ""))
                self._service.files[params["name"]] = binary if text is None else text
            case CommandName.SIM_START:
                self._begin()
                return {"warnings": self._service.warnings}
            case CommandName.SIM_RESTART:
                self._begin()
            case CommandName.SERIAL_WRITE:
                echo = b"got " + bytes(params["bytes"])
                self._to_say.append((self._now_ns + _MS, echo))
            case CommandName.PAUSE_POINT_ADD:
                self._points[params["id"]] = bytes(params["bytes"])
                self._said = b""
            case CommandName.PAUSE_POINT_REMOVE:
                self._points.pop(params["id"], None)
            case CommandName.PIN_LISTEN:
                change = set.add if params["listen"] else set.discard
                change(self._listened, (params["part"], params["pin"]))
            case name:
                return self._shown(name, params)
        return {}

    def _shown(self, name: str, params: Mapping[str, Any]) -> dict[str, Any]:
        match name:
            case CommandName.PIN_READ:
                return self._pin(params["pin"])
            case CommandName.FRAMEBUFFER_READ:
                return {"png": base64.b64encode(b"\x89PNG").decode()}
            case CommandName.READ_VCD:
                return {"vcd": "$timescale", "channelCount": 1, "sampleCount": 0}
            case CommandName.SIM_STATUS:
                return {"running": False, "nanos": self._now_ns}
        return {}

    def _begin(self) -> None:
        self._now_ns = 0
        self._to_say = [(_READY_NS, b"ready\n")]

    def _pin(self, pin: str) -> dict[str, Any]:
        is_high = pin == "13" and self._now_ns // _HALF_NS % 2 == 1
        if self._service.pins_as_numbers:
            return {"pin": pin, "value": int(is_high), "voltage": 5.0 * is_high}
        return {"pin": pin, "value": is_high, "direction": "out", "pullUp": False}

    def _run(self, lasts_ns: int) -> None:
        ends_ns = self._now_ns + lasts_ns
        while (happens := self._next(ends_ns)) is not None:
            self._now_ns, data = happens
            if not data:
                for part, pin in self._listened:
                    state = {"part": part, **self._pin(pin)}
                    self._tell(EventName.PIN_CHANGE, state, paused=False)
                continue
            self._said += data
            told = {"bytes": list(data)}
            self._tell(EventName.SERIAL_DATA, told, paused=False)
            for name, wanted in list(self._points.items()):
                if wanted in self._said:
                    del self._points[name]
                    self._tell(EventName.PAUSE, {"pausePoint": name}, paused=True)
                    return
        self._now_ns = ends_ns
        self._tell(EventName.PAUSE, {}, paused=True)

    def _next(self, ends_ns: int) -> tuple[int, bytes] | None:
        edge_ns = (self._now_ns // _HALF_NS + 1) * _HALF_NS
        due = sorted([*self._to_say, (edge_ns, b"")])
        if due[0][0] > ends_ns:
            return None
        if due[0] in self._to_say:
            self._to_say.remove(due[0])
        return due[0]

    def _tell(self, event: str, payload: dict[str, Any], *, paused: bool) -> None:
        frame = Event(event=event, payload=payload, nanos=self._now_ns, paused=paused)
        self._connection.send(encode(frame))


@contextmanager
def running(service: ScriptedService) -> Iterator[ScriptedService]:
    """Have a service that listens, for a block."""
    with serve(
        service.serve_one,
        "127.0.0.1",
        0,
        process_request=service.process_request,
        close_timeout=0.2,
        ping_interval=None,
    ) as server:
        host, port = server.socket.getsockname()
        service.url = f"ws://{host}:{port}/api/ws/beta"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield service
        finally:
            server.shutdown()
            thread.join()
