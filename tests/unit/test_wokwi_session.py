"""What our server answers to frames before, and without, any simulation."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_embedbench import Registry
from pytest_embedbench.wokwi.names import CommandName
from pytest_embedbench.wokwi_server.session import ClientSession, ErrorCode

ESP32 = {
    "version": 1,
    "parts": [{"type": "board-esp32-devkit-c-v4", "id": "esp"}],
    "connections": [],
}


class Gone(Exception):
    """The client has said all that it had to say."""


class Client:
    """A wire whose other end says some frames and goes."""

    def __init__(self, *frames: str | bytes) -> None:
        self._frames = [*frames]
        self.heard: list[dict[str, Any]] = []

    def send(self, message: str) -> None:
        self.heard.append(json.loads(message))

    def recv(self, timeout: float | None = None) -> str | bytes:
        assert timeout is None, "nothing runs"
        if not self._frames:
            raise Gone
        return self._frames.pop(0)


def answers(*frames: str | bytes) -> list[dict[str, Any]]:
    """Return what the server says to these frames, behind its hello."""
    client = Client(*frames)
    with pytest.raises(Gone):
        ClientSession(client, Registry(), "1.2").run()
    hello, *rest = client.heard
    assert (hello["type"], hello["protocolVersion"], hello["appVersion"]) == (
        "hello",
        1,
        "1.2",
    )
    return rest


def command(name: str, /, **params: object) -> str:
    return json.dumps({"type": "command", "id": "7", "command": name, "params": params})


def refusal(*frames: str) -> tuple[int, str]:
    answer = answers(*frames)[-1]
    assert (answer["type"], answer["error"], answer["id"]) == ("response", True, "7")
    return answer["result"]["code"], answer["result"]["message"]


@pytest.mark.parametrize(
    ("frame", "told"),
    [
        ("{", "a frame must be JSON"),
        (b"{}", "a frame must be text"),
        ("[1]", "must be a JSON object"),
        ('{"type": "hello", "protocolVersion": 1}', "a client sends commands"),
        ('{"type": "command", "command": "sim:pause"}', "id is missing"),
    ],
)
def test_garbage_is_told_and_the_session_goes_on(frame: str, told: str) -> None:
    error, answer = answers(frame, command("file:upload", name="a", text="b"))
    assert error["type"] == "error"
    assert told in error["message"]
    assert answer["error"] is False


def test_every_command_without_a_simulation_is_a_sentence() -> None:
    before = {CommandName.FILE_UPLOAD, CommandName.FILE_DOWNLOAD}
    before |= {CommandName.PAUSE_POINT_ADD, CommandName.PAUSE_POINT_REMOVE}
    wanted = {"part": "a", "pin": "b", "id": "c", "control": "d", "value": 1}
    for name in CommandName:
        if name in before | {CommandName.SIM_START, CommandName.SERIAL_LISTEN}:
            continue
        code, told = refusal(command(name, **wanted))
        assert code == ErrorCode.BAD_REQUEST
        assert told == "no simulation is there: send sim:start first"


@pytest.mark.parametrize(
    ("code", "told", "frames"),
    [
        (2, "no command named 'sim:stop'", [command("sim:stop")]),
        (2, "no uploaded file named 'x'", [command("file:download", name="x")]),
        (1, "file:upload: binary is 'é', and must be base64", [
            command("file:upload", name="x", binary="é"),
        ]),
        (1, "sim:start: firmware is missing", [command("sim:start")]),
        (1, "sim:start.firmware: file is missing", [
            command("sim:start", firmware=[{"offset": 0}]),
        ]),
        (1, "no diagram.json has been uploaded", [
            command("sim:start", firmware="f.hex"),
        ]),
        (1, "no JSON", [
            command("file:upload", name="diagram.json", text="{"),
            command("sim:start", firmware="f.hex"),
        ]),
        (3, "esp", [
            command("file:upload", name="diagram.json", text=json.dumps(ESP32)),
            command("sim:start", firmware="f.hex"),
        ]),
        (3, "custom chips run in Wokwi's cloud alone", [
            command("sim:start", firmware="f.hex", chips=["x"]),
        ]),
        (3, "nothing can be put on a card here", [
            command("sim:start", firmware="f.hex", sdcards=[{"prefix": "sd/"}]),
        ]),
    ],
)  # fmt: skip
def test_what_cannot_be_is_a_sentence_with_a_code(
    code: int, told: str, frames: list[str]
) -> None:
    found, sentence = refusal(*frames)
    assert (found, told in sentence) == (code, True), sentence
