"""The server of the live view: loopback alone, and for those alone who know its URL."""

from __future__ import annotations

import hashlib
import hmac
import json
import socket
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, ClassVar, cast
from urllib.parse import parse_qs, urlsplit

from pytest_embedbench.watch.page import rendered

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.watch.choosing import WatchedRun

HOST = "127.0.0.1"
_QUIET_S = 10.0
"""How long somebody may hold a connection and say nothing."""
_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_Reply = tuple[int, str, bytes]


class WatchServer(ThreadingHTTPServer):
    """Serves one run; ``close`` ends it at once, with every connection and thread.

    Whoever asks has to know ``token``, the first part of the path, and to ask for this
    host by its own name: a page of somebody else's, whose name leads here, does not.
    """

    daemon_threads = False

    def __init__(self, watched: WatchedRun, *, token: str, port: int = 0) -> None:
        self.watched = watched
        self.token = token
        self.page, self.policy = rendered()
        self._open: set[socket.socket] = set()
        super().__init__((HOST, port), _Handler)

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://{HOST}:{self.server_port}/{self.token}/"

    def close(self) -> None:
        """Let go of the port and of everybody; ``serve_forever`` has ended."""
        for connection in tuple(self._open):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue
        self.server_close()

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401  # socketserver's
        """Begin a conversation."""
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:  # noqa: ANN401  # socketserver's
        """End one."""
        super().shutdown_request(request)
        self._open.discard(request)

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a browser that has gone in the middle of an answer."""


class _Handler(BaseHTTPRequestHandler):
    timeout: ClassVar[float | None] = _QUIET_S
    server_version = "embedbench"
    sys_version = ""

    @property
    def _mine(self) -> WatchServer:
        return cast("WatchServer", self.server)

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        _, token, *rest = f"{address.path}/".split("/")
        mine = {f"{name}:{self._mine.server_port}" for name in (HOST, "localhost")}
        given, known = token.encode("utf-8", "replace"), self._mine.token.encode()
        if self.headers.get("Host") not in mine or not hmac.compare_digest(
            given, known
        ):
            self._say((403, "text/plain", b"this address is not for you\n"))
            return
        query = {name: value[-1] for name, value in parse_qs(address.query).items()}
        self._say(self._answer("/".join(rest).strip("/"), query))

    def _answer(self, what: str, query: Mapping[str, str]) -> _Reply:
        watched = self._mine.watched
        if what == "":
            return 200, "text/html; charset=utf-8", self._mine.page.encode()
        if what == "state":
            return _state(watched.state(), query.get("have", ""))
        if what == "news":
            offsets = _offsets(query.get("have", ""))
            run, key = query.get("run", ""), query.get("key", "")
            return _as_json(watched.news(run, key, offsets))
        return 404, "text/plain", b"there is no such page\n"

    def _say(self, reply: _Reply) -> None:
        status, kind, body = reply
        self.send_response(status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Security-Policy", self._mine.policy)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # http.server's
        """Say nothing on the terminal."""


def _state(state: dict[str, Any], have: str) -> _Reply:
    """Return a state, or that it is the one that is known already."""
    text = json.dumps(state, default=str)
    version = hashlib.sha256(text.encode()).hexdigest()[:16]
    if version == have:
        return _as_json({"version": version})
    return _as_json({"version": version, "state": state})


def _offsets(text: str) -> dict[str, int]:
    """Return how much of each file is known; what makes no sense is not known."""
    try:
        given: object = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    table = cast("dict[str, object]", given) if isinstance(given, dict) else {}
    return {name: at for name, at in table.items() if isinstance(at, int)}


def _as_json(value: object) -> _Reply:
    body = json.dumps(value, separators=(",", ":"), default=str)
    return 200, "application/json", body.encode("ascii")
