"""A server that speaks ``/chat/completions``, and misbehaves as it is told.

It is in this process, on a port that was free.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

CRITERIA = ("correctness", "grounding", "actionability")


def grades(rating: int, /, **changes: object) -> str:
    """Return a judge's reply as it should be, but for ``changes``."""
    table: dict[str, Any] = {
        name: {"score": rating, "reason": f"{name} is {rating}"} for name in CRITERIA
    }
    return json.dumps({**table, "rating": rating, **changes})


def completion(
    content: object, finish_reason: str = "stop", **message: object
) -> bytes:
    """Return the body of a chat completion."""
    said = {"role": "assistant", "content": content, **message}
    return json.dumps(
        {"choices": [{"message": said, "finish_reason": finish_reason}]}
    ).encode()


@dataclass(frozen=True)
class Answered:
    """One HTTP answer; ``silent`` is none until the server is closed."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    silent: bool = False


def said(content: object, finish_reason: str = "stop", **message: object) -> Answered:
    return Answered(completion(content, finish_reason, **message))


@dataclass
class ChatServer:
    """``script`` is answered in order, then what ``otherwise`` says to a request."""

    script: list[Answered] = field(default_factory=list[Answered])
    otherwise: Callable[[dict[str, Any]], Answered] = lambda _: said(grades(4))
    requests: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    headers: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    paths: list[str] = field(default_factory=list[str])
    url: str = ""
    closing: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, path: str, headers: dict[str, str], body: bytes) -> Answered:
        with self.lock:
            request = json.loads(body)
            self.paths.append(path)
            self.headers.append(headers)
            self.requests.append(request)
            return self.script.pop(0) if self.script else self.otherwise(request)


def reach_it_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget the proxies of the environment; a name in small letters wins there."""
    for name in ("all_proxy", "http_proxy", "https_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@contextmanager
def chat_server() -> Iterator[ChatServer]:
    """Serve on this machine, until the end of the block."""
    server = ChatServer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            answered = server.answer(self.path, dict(self.headers), body)
            if answered.silent:
                server.closing.wait()
                return
            with suppress(ConnectionError):  # who asked has seen enough
                self.send_response(answered.status)
                for name, value in answered.headers.items():
                    self.send_header(name, value)
                if "Content-Length" not in answered.headers:
                    self.send_header("Content-Length", str(len(answered.body)))
                self.end_headers()
                self.wfile.write(answered.body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Say nothing."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = False
    server.url = f"http://127.0.0.1:{http.server_port}/v1"
    thread = threading.Thread(target=http.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        http.shutdown()
        http.server_close()
        thread.join()
