"""The frames, as values: ``encode`` writes one, ``parse`` reads it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_embedbench.errors import BadFrame
from pytest_embedbench.wokwi.fields import Fields, fields_of, shown
from pytest_embedbench.wokwi.names import PROTOCOL_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Hello:
    """The first frame: what the server is."""

    app_name: str = ""
    app_version: str = ""
    protocol_version: int = PROTOCOL_VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """What a client asks for; its answer has the same ``id``."""

    id: str
    command: str
    params: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def fields(self) -> Fields:
        """Return its parameters, to be read."""
        return Fields(self.command, self.params)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandResponse:
    """What came of a command."""

    id: str
    command: str
    result: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def fields(self) -> Fields:
        """Return the result, to be read."""
        return Fields(f"answer to {self.command}", self.result)


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorResponse:
    """Why nothing came of a command; the session goes on."""

    id: str
    command: str
    code: int
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What happened in a simulation, with its time then; ``paused`` if it stands."""

    event: str
    payload: Mapping[str, Any] = field(default_factory=dict[str, Any])
    nanos: int
    paused: bool

    def fields(self) -> Fields:
        """Return what it tells, to be read."""
        return Fields(f"event {self.event}", self.payload)


@dataclass(frozen=True, slots=True, kw_only=True)
class FatalError:
    """Why the server ends the session."""

    message: str


Frame = Hello | Command | CommandResponse | ErrorResponse | Event | FatalError


def encode(frame: Frame) -> str:
    """Return a frame as its text on the wire."""
    return json.dumps(_body(frame), separators=(",", ":"))


def parse(text: str | bytes) -> Frame:
    """Return the frame that came.

    Raises:
        BadFrame: it is none of version 1; the message quotes what came.
    """
    if not isinstance(text, str):
        raise BadFrame(f"a frame must be text, came: {shown(text)}")
    try:
        document: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadFrame(f"a frame must be JSON, came: {shown(text)}") from error
    fields = fields_of("a frame", document)
    kind = fields.text("type")
    if kind not in _READ:
        raise BadFrame(f"no frame is of type {shown(kind)}; came: {shown(text)}")
    return _READ[kind](Fields(kind, fields.values))


def _body(frame: Frame) -> dict[str, Any]:
    match frame:
        case Hello():
            return {
                "type": "hello",
                "protocolVersion": frame.protocol_version,
                "appName": frame.app_name,
                "appVersion": frame.app_version,
            }
        case Command():
            told = {"command": frame.command, "params": dict(frame.params)}
            return {"type": "command", **told, "id": frame.id}
        case Event():
            told = {"event": frame.event, "payload": dict(frame.payload)}
            at = {"nanos": frame.nanos, "paused": frame.paused}
            return {"type": "event", **told, **at}
        case FatalError():
            return {"type": "error", "message": frame.message}
        case CommandResponse() | ErrorResponse():
            return _answer(frame)


def _answer(frame: CommandResponse | ErrorResponse) -> dict[str, Any]:
    result = dict[str, Any]()
    if isinstance(frame, ErrorResponse):
        result |= {"code": frame.code, "message": frame.message}
    else:
        result |= frame.result
    return {
        "type": "response",
        "command": frame.command,
        "id": frame.id,
        "result": result,
        "error": isinstance(frame, ErrorResponse),
    }


def _hello(fields: Fields) -> Frame:
    return Hello(
        app_name=fields.text("appName", ""),
        app_version=fields.text("appVersion", ""),
        protocol_version=fields.whole("protocolVersion"),
    )


def _command(fields: Fields) -> Frame:
    return Command(
        id=fields.text("id"),
        command=fields.text("command"),
        params=fields.table("params").values,
    )


def _response(fields: Fields) -> Frame:
    id_, command = fields.text("id"), fields.text("command", "")
    result = fields.table("result")
    if not fields.flag("error", default=False):
        return CommandResponse(id=id_, command=command, result=result.values)
    return ErrorResponse(
        id=id_,
        command=command,
        code=result.whole("code", 0),
        message=result.text("message", "no reason given"),
    )


def _event(fields: Fields) -> Frame:
    return Event(
        event=fields.text("event"),
        payload=fields.table("payload").values,
        nanos=fields.whole("nanos"),
        paused=fields.flag("paused", default=False),
    )


def _error(fields: Fields) -> Frame:
    return FatalError(message=fields.text("message", "no reason given"))


_READ: Mapping[str, Callable[[Fields], Frame]] = {
    "hello": _hello,
    "command": _command,
    "response": _response,
    "event": _event,
    "error": _error,
}
