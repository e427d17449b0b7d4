"""The frames of Wokwi's protocol: what is written is read again, all else refused."""

from __future__ import annotations

import pytest

from pytest_embedbench.errors import BadFrame
from pytest_embedbench.wokwi.fields import Fields
from pytest_embedbench.wokwi.messages import (
    Command,
    CommandResponse,
    ErrorResponse,
    Event,
    FatalError,
    Frame,
    Hello,
    encode,
    parse,
)
from pytest_embedbench.wokwi.names import CommandName

FRAMES: list[Frame] = [
    Hello(app_name="Wokwi Simulation API", app_version="1.0"),
    Command(id="1", command=CommandName.SIM_START, params={"firmware": "a.hex"}),
    CommandResponse(id="1", command="sim:start", result={}),
    ErrorResponse(id="1", command="pin:read", code=2, message="no such part"),
    Event(event="sim:pause", payload={"pausePoint": "p"}, nanos=250, paused=True),
    FatalError(message="Unauthorized"),
]


@pytest.mark.parametrize("frame", FRAMES, ids=lambda frame: type(frame).__name__)
def test_a_frame_is_read_as_it_was_written(frame: Frame) -> None:
    assert parse(encode(frame)) == frame


def test_names_are_plain_text_on_the_wire() -> None:
    assert '"command":"sim:start"' in encode(FRAMES[1])


def test_what_may_be_left_out_may_be_left_out() -> None:
    assert parse('{"type": "response", "id": "1", "result": null}') == CommandResponse(
        id="1", command=""
    )
    assert parse('{"type": "event", "event": "e", "nanos": 2.0}') == Event(
        event="e", nanos=2, paused=False
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"\x00\x01", "a frame must be text, came: b'\\x00\\x01'"),
        ("hello", "a frame must be JSON, came: 'hello'"),
        ("[" * 100_000, "a frame must be JSON, came: "),
        ("[1]", "a frame: must be a JSON object, is [1]"),
        ("{}", "a frame: type is missing, and must be text"),
        ('{"type": "hi"}', "no frame is of type 'hi'; came: '{\"type\": \"hi\"}'"),
        ('{"type": "hello"}', "hello: protocolVersion is missing"),
        ('{"type": "event", "event": "e", "nanos": -1}', "event: nanos is -1, and"),
        ('{"type": "event", "event": "e", "nanos": NaN}', "event: nanos is nan, and"),
        ('{"type": "event", "event": "e", "nanos": Infinity}', "nanos is inf, and"),
        ('{"type": "event", "event": "e", "nanos": true}', "nanos is True, and"),
        ('{"type": "response", "id": 1}', "response: id is 1, and must be text"),
        (
            '{"type": "response", "id": "1", "result": [2]}',
            "response.result: must be a JSON object, is [2]",
        ),
    ],
)
def test_what_is_no_frame_is_quoted(text: str | bytes, told: str) -> None:
    with pytest.raises(BadFrame) as raised:
        parse(text)
    assert told in str(raised.value)
    assert len(str(raised.value)) < 200


def test_bytes_are_read_in_both_writings() -> None:
    fields = Fields("file", {"bytes": [0, 255], "binary": "AP8=", "empty": []})
    assert fields.octets("bytes") == fields.base64("binary") == b"\x00\xff"
    assert fields.octets("empty") == b""


@pytest.mark.parametrize("value", [[256], [-1], [1.5], [True], "AP8=", None])
def test_what_is_no_list_of_bytes_is_refused(value: object) -> None:
    with pytest.raises(BadFrame, match="bytes"):
        Fields("write", {"bytes": value}).octets("bytes")


def test_what_is_no_base64_is_refused() -> None:
    with pytest.raises(BadFrame, match="file: binary is 'no base64!', and must"):
        Fields("file", {"binary": "no base64!"}).base64("binary")
