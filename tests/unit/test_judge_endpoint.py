"""Asking a model: patience, limits, and a key that nobody sees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from email.utils import formatdate
from typing import Any

import pytest

from pytest_embedbench.campaign.judge import endpoint as endpoint_module, request_pace
from pytest_embedbench.campaign.judge.endpoint import ChatEndpoint, ChatReply
from pytest_embedbench.campaign.judge.endpoint_settings import EndpointSettings, key_of
from pytest_embedbench.campaign.judge.request_pace import retry_after_s
from pytest_embedbench.errors import (
    ConfigError,
    EndpointFault,
    RequestRefused,
    ToolMissing,
)
from tests.support.chat_server import (
    Answered,
    ChatServer,
    chat_server,
    reach_it_directly,
    said,
)

pytest.importorskip("httpx", reason="pip install 'pytest-embedbench[judge]'")

KEY = "sk-this-is-secret"
ASKED = [{"role": "user", "content": "why?"}]


@dataclass
class HostTime:
    """Time that goes on only by what is waited for, and ``step_s`` per look."""

    at_s: float = 0.0
    step_s: float = 0.0
    waits: list[float] = field(default_factory=list[float])

    def now_s(self) -> float:
        self.at_s += self.step_s
        return self.at_s

    def wait(self, duration_s: float) -> None:
        self.waits.append(duration_s)
        self.at_s += duration_s


@pytest.fixture(autouse=True)
def without_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    reach_it_directly(monkeypatch)


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as serving:
        yield serving


def ask(
    server: ChatServer, time: HostTime | None = None, **changes: object
) -> ChatReply:
    values: dict[str, Any] = {"base_url": server.url, "model": "judge-1", "key": KEY}
    time = time or HostTime()
    settings = EndpointSettings(**(values | changes))
    with ChatEndpoint(settings, now_s=time.now_s, wait=time.wait) as model:
        return model.ask(ASKED)


def test_a_request_has_model_messages_settings_and_key(server: ChatServer) -> None:
    server.script = [said("because")]
    reply = ask(server, base_url=f"{server.url}/", settings={"temperature": 0.5})
    assert reply == ChatReply("because", "", "stop")
    assert server.paths == ["/v1/chat/completions"]
    assert server.requests == [
        {"temperature": 0.5, "model": "judge-1", "messages": ASKED}
    ]
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"


def test_without_a_key_there_is_no_header_for_it(server: ChatServer) -> None:
    ask(server, key="")
    assert "Authorization" not in server.headers[0]


def test_content_may_be_in_parts_and_a_refusal_beside_none(server: ChatServer) -> None:
    server.script = [
        said([{"type": "text", "text": "be"}, {"type": "text", "text": "cause"}]),
        said(None, refusal="I would rather not"),
    ]
    assert ask(server).text == "because"
    assert ask(server) == ChatReply("", "I would rather not", "stop")


def test_a_busy_server_is_asked_again_when_it_says(server: ChatServer) -> None:
    time = HostTime()
    server.script = [
        Answered(status=429, headers={"Retry-After": "7"}),
        Answered(status=503),
        Answered(status=500),
        said("now"),
    ]
    assert ask(server, time).text == "now"
    assert time.waits == [7.0, 2.0, 4.0]


def test_retries_have_an_end_and_the_last_reason_is_told(server: ChatServer) -> None:
    time = HostTime()
    body = b'{"error": {"message": "all is full"}}'
    server.script = [Answered(body, 503)] * 9
    with pytest.raises(EndpointFault, match=r"judge-1: HTTP 503: all is full$"):
        ask(server, time, retries=2)
    assert (len(server.requests), time.waits) == (3, [1.0, 2.0])


def test_nobody_waits_for_an_hour(server: ChatServer) -> None:
    time = HostTime()
    server.script = [Answered(status=429, headers={"Retry-After": "3600"})]
    with pytest.raises(EndpointFault, match="asks to wait 3600 s"):
        ask(server, time)
    assert time.waits == []


@pytest.mark.parametrize(
    ("value", "wait_s"), [(None, None), ("12", 12.0), ("soon", None), ("-3", None)]
)
def test_retry_after_is_seconds_or_nothing(
    value: str | None, wait_s: float | None
) -> None:
    assert retry_after_s(value) == wait_s


def test_retry_after_may_be_a_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_pace, "wall_now_ns", lambda: 1_000_000_000_000)
    assert retry_after_s(formatdate(1030, usegmt=True)) == 30.0
    assert retry_after_s(formatdate(900, usegmt=True)) == 0.0


def test_a_silent_server_is_given_up(server: ChatServer) -> None:
    server.otherwise = lambda _: Answered(silent=True)
    with pytest.raises(EndpointFault, match=r"no reply within 0\.05 s"):
        ask(server, timeout_s=0.05, retries=1)


def test_a_reply_that_drips_is_given_up(server: ChatServer) -> None:
    time = HostTime(step_s=61.0)
    with pytest.raises(EndpointFault, match="no whole reply within 60 s"):
        ask(server, time, timeout_s=60, retries=0)


def test_a_reply_that_breaks_off_is_asked_for_again(server: ChatServer) -> None:
    broken = Answered(
        b'{"cho', headers={"Content-Length": "1000", "Connection": "close"}
    )
    server.script = [broken, said("whole")]
    time = HostTime()
    assert ask(server, time).text == "whole"
    assert time.waits == [1.0]


def test_nobody_there_is_told_in_words() -> None:
    with chat_server() as gone:
        pass
    time = HostTime()
    with pytest.raises(EndpointFault, match=r"the connection failed \(ConnectError\)"):
        ask(gone, time, retries=1)
    assert time.waits == [1.0]


def test_a_huge_reply_is_not_read(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint_module, "LARGEST_REPLY_BYTES", 1_000_000)
    server.script = [said("x" * 1_500_000)]
    with pytest.raises(EndpointFault, match="larger than 1 MB"):
        ask(server)


@pytest.mark.parametrize(
    "body",
    [
        b"", b"<html>", b"[]", b"{}", b'{"choices": []}', b'{"choices": [{}]}',
        b'{"choices": [{"message": "hello"}]}', b'{"choices": 1}', b"[" * 100_000,
        b"\xff\xfe", b"null",
    ],
)  # fmt: skip
def test_a_reply_of_another_form_is_a_fault(server: ChatServer, body: bytes) -> None:
    server.script = [Answered(body)]
    with pytest.raises(EndpointFault, match="none of a chat completion"):
        ask(server)


@pytest.mark.parametrize(
    ("status", "kind", "words"),
    [
        (400, RequestRefused, "HTTP 400: too many images"),
        (404, EndpointFault, "is the address right"),
        (302, EndpointFault, "is the address right"),
        (401, EndpointFault, "look at the key"),
    ],
)
def test_what_a_server_does_not_take_is_not_asked_again(
    server: ChatServer, status: int, kind: type[EndpointFault], words: str
) -> None:
    body = b'{"error": {"message": "too many images"}}'
    server.script = [Answered(body, status, {"Location": "http://127.0.0.1:1/"})]
    with pytest.raises(EndpointFault, match=words) as caught:
        ask(server)
    assert type(caught.value) is kind
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500])
def test_the_key_is_in_no_error(server: ChatServer, status: int) -> None:
    body = f'{{"error": {{"message": "wrong key {KEY}"}}}}'.encode()
    server.otherwise = lambda _: Answered(body, status)
    with pytest.raises(EndpointFault) as caught:
        ask(server, retries=1)
    assert KEY not in str(caught.value)
    assert caught.value.__cause__ is None


def test_the_key_is_in_no_reply_and_in_no_repr(server: ChatServer) -> None:
    server.script = [said(f"you sent {KEY}")]
    assert ask(server).text == "you sent [key]"
    settings = EndpointSettings(base_url=server.url, model="m", key=KEY)
    assert KEY not in repr(settings)


def test_requests_keep_to_their_rate(server: ChatServer) -> None:
    time = HostTime()
    settings = EndpointSettings(base_url=server.url, model="m", per_minute=20)
    with ChatEndpoint(settings, now_s=time.now_s, wait=time.wait) as model:
        for _ in range(3):
            model.ask(ASKED)
        assert time.waits == [3.0, 3.0]
        time.at_s += 60.0
        model.ask(ASKED)
    assert time.waits == [3.0, 3.0]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"base_url": "localhost:8000"}, "is no address"),
        ({"base_url": "http://"}, "is no address"),
        ({"base_url": "http://host:port/v1"}, "is no address"),
        ({"base_url": "http://host/v1\n"}, "is no address"),
        ({"base_url": "http://ho st/v1"}, "is no address"),
        ({"base_url": "http://host..example/v1"}, "is no address"),
        ({"base_url": f"http://{'a' * 64}.example/v1"}, "is no address"),
        ({"base_url": f"http://me:{KEY}@host/v1"}, "has a user, a query"),
        ({"base_url": f"http://host/v1?key={KEY}"}, "has a user, a query"),
        ({"model": " "}, "name is empty"),
        ({"key": f"{KEY}\nX: y"}, "no header can have"),
        ({"key": f"{KEY}é"}, "no header can have"),
        ({"settings": {"model": "x"}}, "setting 'model': is set already"),
        ({"timeout_s": 0}, "timeout_s = 0: is out of range"),
        ({"timeout_s": float("nan")}, "timeout_s = nan: is out of range"),
        ({"retries": -1}, "retries = -1: is out of range"),
    ],
)
def test_settings_that_cannot_be_are_named(changes: dict[str, Any], words: str) -> None:
    values: dict[str, Any] = {"base_url": "http://host/v1", "model": "m"}
    with pytest.raises(ConfigError, match=words) as caught:
        EndpointSettings(**(values | changes)).check()
    assert KEY not in str(caught.value)


def test_a_key_is_in_the_variable_that_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("JUDGE_KEY", f"{KEY}\n")
    assert (key_of("JUDGE_KEY"), key_of("")) == (KEY, "")
    monkeypatch.delenv("JUDGE_KEY")
    with pytest.raises(ConfigError, match="variable 'JUDGE_KEY' is not set"):
        key_of("JUDGE_KEY")


def test_without_httpx_there_is_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(endpoint_module.__dict__, "import_module", _missing)
    with pytest.raises(ToolMissing, match=r"pip install 'pytest-embedbench\[judge\]'"):
        ChatEndpoint(EndpointSettings(base_url="http://host/v1", model="m"))


@pytest.mark.parametrize(
    ("name", "value"),
    [("http_proxy", "what://host"), ("SSL_CERT_FILE", "/there/is/none.pem")],
)
def test_a_proxy_or_certificates_that_cannot_be_are_named(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError, match="names a proxy or certificates"):
        ChatEndpoint(EndpointSettings(base_url="https://host/v1", model="m"))


def _missing(name: str) -> None:
    raise ImportError(name)
