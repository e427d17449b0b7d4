"""An OpenAI-compatible endpoint: one request and its reply, with patience and limits.

Requests are tried again where the server is busy (408, 429, 5xx) or the connection
fails, after what ``Retry-After`` says or twice the pause before. The key is in the
request's header and nowhere else: what a server says is shown without it.
"""

from __future__ import annotations

import json
import os
import threading
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from pytest_embedbench.clock import host_now_s, pause, wall_now_ns
from pytest_embedbench.errors import (
    ConfigError,
    EndpointFault,
    RequestRefused,
    ToolMissing,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import TracebackType
    from typing import Self

LARGEST_REPLY_BYTES = 4_000_000
LONGEST_WAIT_S = 300.0
"""A server that asks for more patience is given up."""
OURS = ("model", "messages", "stream", "n")
"""What of a request no setting may change."""
_FIRST_WAIT_S = 1.0
_BUSY = (408, 409, 425, 429)
_NOT_ALLOWED = (401, 403)
_SERVER_ERRORS = 500
_OK = 200
_SHOWN_CHARS = 200
_HIDDEN = "[key]"

Message = dict[str, Any]


class _Busy(Exception):
    """It may go better the next time, which is to be in ``wait_s`` if that is known."""

    def __init__(self, reason: str, wait_s: float | None = None) -> None:
        super().__init__(reason)
        self.wait_s = wait_s


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointSettings:
    """Which model of which server, and how it is asked.

    Args:
        base_url: Up to and without ``/chat/completions``.
        model: The model's name there.
        key: What goes into ``Authorization``; nothing if empty.
        settings: More fields of each request, such as ``temperature``.
        timeout_s: For one request, its reply included.
        retries: How often one that failed is tried again.
        per_minute: How many requests there may be in a minute; 0 for any number.
    """

    base_url: str
    model: str
    key: str = field(default="", repr=False)
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    timeout_s: float = 120.0
    retries: int = 5
    per_minute: float = 0.0

    def check(self) -> None:
        """Insist on values that can be.

        Raises:
            ConfigError: naming the one that cannot; never with the key.
        """
        _check_url(self.base_url)
        if not self.model.strip():
            raise ConfigError("the model's name is empty")
        if not self.key.isascii() or not self.key.isprintable() or " " in self.key:
            raise ConfigError("the key has characters that no header can have")
        for name in OURS:
            if name in self.settings:
                raise ConfigError(f"setting {name!r}: is set already, by what is asked")
        for name in ("timeout_s", "retries", "per_minute"):
            value = getattr(self, name)
            if not 0 <= value <= 1e6 or (name == "timeout_s" and not value):  # noqa: PLR2004
                raise ConfigError(f"{name} = {value:g}: is out of range")


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What a model said: its text, or why there is none that can be used."""

    text: str
    refusal: str = ""
    finish_reason: str = ""


def key_of(variable: str) -> str:
    """Return the key in an environment variable; ``ConfigError`` if it is not set."""
    key = os.environ.get(variable, "").strip() if variable else ""
    if variable and not key:
        raise ConfigError(
            f"the environment variable {variable!r} is not set: it is to hold the key, "
            "and its name is what the option gives"
        )
    return key


class ChatEndpoint:
    """A model behind ``/chat/completions``; threads may share it.

    Args:
        settings: Which, and how.
        now_s: Time in seconds, from any start.
        wait: Lets so many seconds pass.

    Raises:
        ConfigError: a setting cannot be.
        ToolMissing: httpx is not installed.
    """

    def __init__(
        self,
        settings: EndpointSettings,
        *,
        now_s: Callable[[], float] = host_now_s,
        wait: Callable[[float], None] = pause,
    ) -> None:
        settings.check()
        self.settings = settings
        self._now_s = now_s
        self._wait = wait
        self._url = f"{settings.base_url.rstrip('/')}/chat/completions"
        self._next_s = now_s()
        self._turn = threading.Lock()
        self._httpx = _httpx()
        # Certificates take a while to read, and plain HTTP needs none.
        is_secure = urlsplit(settings.base_url).scheme == "https"
        self._client = self._httpx.Client(timeout=settings.timeout_s, verify=is_secure)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._client.close()

    def ask(self, messages: Sequence[Message]) -> ChatReply:
        """Return the model's reply to a conversation.

        Raises:
            RequestRefused: the server does not take this request.
            EndpointFault: it does not let us in, knows no such model, fails or is busy
                as often as it was tried, or replies in no known form.
        """
        body = json.dumps(
            {
                **self.settings.settings,
                "model": self.settings.model,
                "messages": messages,
            }
        )
        pause_s = _FIRST_WAIT_S
        for last in (*(False,) * int(self.settings.retries), True):
            self._take_turn()
            try:
                return self._reply(self._post(body.encode()))
            except _Busy as busy:
                wait_s = pause_s if busy.wait_s is None else busy.wait_s
                if last or wait_s > LONGEST_WAIT_S:
                    asks = f"; it asks to wait {wait_s:g} s" if busy.wait_s else ""
                    raise self._fault(f"{busy}{asks}") from None
                self._wait(wait_s)
                pause_s = min(2 * pause_s, LONGEST_WAIT_S)
        raise AssertionError

    def _take_turn(self) -> None:
        """Wait until another request may be made."""
        if not self.settings.per_minute:
            return
        with self._turn:
            now_s = self._now_s()
            wait_s = self._next_s - now_s
            self._next_s = max(now_s, self._next_s) + 60.0 / self.settings.per_minute
        if wait_s > 0:
            self._wait(wait_s)

    def _post(self, body: bytes) -> bytes:
        """Return the bytes of a reply that says that all is well."""
        headers = {"Content-Type": "application/json"}
        if self.settings.key:
            headers["Authorization"] = f"Bearer {self.settings.key}"
        try:
            with self._client.stream(
                "POST", self._url, content=body, headers=headers
            ) as response:
                data = self._read(response)
                self._check_status(response, data)
                return data
        except self._httpx.TimeoutException:
            raise _Busy(f"no reply within {self.settings.timeout_s:g} s") from None
        except self._httpx.TransportError as error:
            raise _Busy(f"the connection failed ({type(error).__name__})") from None
        except self._httpx.DecodingError:
            raise self._fault("its reply is compressed wrongly") from None

    def _read(self, response: Any) -> bytes:  # noqa: ANN401  # of a library that comes late
        end_s = self._now_s() + self.settings.timeout_s
        data = bytearray()
        for chunk in response.iter_bytes():
            data += chunk
            if len(data) > LARGEST_REPLY_BYTES:
                size = f"{LARGEST_REPLY_BYTES // 1_000_000} MB"
                raise self._fault(f"its reply is larger than {size}")
            if self._now_s() > end_s:
                raise _Busy(f"no whole reply within {self.settings.timeout_s:g} s")
        return bytes(data)

    def _check_status(self, response: Any, data: bytes) -> None:  # noqa: ANN401  # as above
        status: int = response.status_code
        if status == _OK:
            return
        if status in _NOT_ALLOWED:  # what it says then may have the key in parts
            raise self._fault(f"HTTP {status}: it does not let us in: look at the key")
        said = f"HTTP {status}{self._said(data)}"
        if status in _BUSY or status >= _SERVER_ERRORS:
            raise _Busy(said, retry_after_s(response.headers.get("Retry-After")))
        if status in (400, 413, 415, 422):
            raise RequestRefused(self._words(said))
        raise self._fault(f"{said}: is the address right, and the model's name?")

    def _said(self, data: bytes) -> str:
        """Return the server's own words, without the key, and not many."""
        text = data.decode("utf-8", "replace")
        try:
            error = json.loads(text)["error"]
            text = str(error["message"] if isinstance(error, dict) else error)
        except (ValueError, LookupError, TypeError, RecursionError):
            pass
        text = " ".join(self._without_key(text).split())
        return f": {text[:_SHOWN_CHARS]}" if text else ""

    def _reply(self, data: bytes) -> ChatReply:
        try:
            choice = json.loads(data)["choices"][0]
            message = choice["message"]
            content, refusal = message.get("content"), message.get("refusal")
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            raise self._fault("its reply is none of a chat completion") from None
        return ChatReply(
            self._without_key(_joined(content)),
            self._without_key(refusal if isinstance(refusal, str) else ""),
            str(choice.get("finish_reason") or ""),
        )

    def _without_key(self, text: str) -> str:
        return text.replace(self.settings.key, _HIDDEN) if self.settings.key else text

    def _fault(self, reason: str) -> EndpointFault:
        return EndpointFault(self._words(reason))

    def _words(self, reason: str) -> str:
        return f"{self.settings.base_url}, model {self.settings.model}: {reason}"


def retry_after_s(value: str | None) -> float | None:
    """Return the seconds that a ``Retry-After`` asks for, if it says any.

    It is a number of them, or a date (RFC 9110, 10.2.3).
    """
    if value is None:
        return None
    if value.strip().isdecimal():
        return float(value)
    try:
        until_s = parsedate_to_datetime(value).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None
    return max(0.0, until_s - wall_now_ns() / 1e9)


def _joined(content: object) -> str:
    """Return a message's text; some servers give it in parts."""
    if isinstance(content, list):
        parts = cast("list[object]", content)
        texts = [
            str(cast("dict[str, object]", part).get("text") or "")
            for part in parts
            if isinstance(part, dict)
        ]
        return "".join(texts)
    return content if isinstance(content, str) else ""


def _check_url(base_url: str) -> None:
    try:
        parts = urlsplit(base_url)
        is_url = (
            parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        )
    except ValueError:
        is_url = False
        parts = urlsplit("")
    if parts.username is not None or parts.query or parts.fragment:
        raise ConfigError(
            "the endpoint's address has a user, a query or a fragment: give the key by "
            "an environment variable, and the address alone"
        )
    if not is_url:
        raise ConfigError(
            f"{base_url!r}: is no address of an endpoint, such as "
            "https://host/v1 or http://localhost:8000/v1"
        )


def _httpx() -> Any:  # noqa: ANN401  # comes late
    try:
        return import_module("httpx")
    except ImportError as error:
        raise ToolMissing(
            "asking a model", "httpx", "pip install 'pytest-embedbench[judge]'"
        ) from error
