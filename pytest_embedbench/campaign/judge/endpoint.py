"""An OpenAI-compatible endpoint: one request and its reply, with patience and limits.

Requests are tried again where the server is busy (408, 429, 5xx) or the connection
fails, after what ``Retry-After`` says or twice the pause before. The key is in the
request's header and nowhere else: what a server says is shown without it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from pytest_embedbench.campaign.judge.request_pace import (
    FIRST_WAIT_S,
    LONGEST_WAIT_S,
    RequestPace,
    ServerBusy,
    retry_after_s,
)
from pytest_embedbench.clock import host_now_s, pause
from pytest_embedbench.errors import (
    ConfigError,
    EndpointFault,
    RequestRefused,
    ToolMissing,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType
    from typing import Self

    from pytest_embedbench.campaign.judge.endpoint_settings import EndpointSettings

LARGEST_REPLY_BYTES = 4_000_000
_BUSY = (408, 409, 425, 429)
_NOT_ALLOWED = (401, 403)
_SERVER_ERRORS = 500
_OK = 200
_SHOWN_CHARS = 200
_HIDDEN = "[key]"

Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What a model said: its text, or why there is none that can be used."""

    text: str
    refusal: str = ""
    finish_reason: str = ""


class ChatEndpoint:
    """A model behind ``/chat/completions``; threads may share it.

    Args:
        settings: Which, and how.
        now_s: Time in seconds, from any start.
        wait: Lets so many seconds pass.

    Raises:
        ConfigError: a setting cannot be, or the environment names a proxy or
            certificates that cannot be used.
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
        self._pace = RequestPace(settings.per_minute, now_s, wait)
        self._httpx = _httpx()
        self._client = _client(self._httpx, settings)

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
        pause_s = FIRST_WAIT_S
        for last in (*(False,) * int(self.settings.retries), True):
            self._pace.take_turn()
            try:
                return self._reply(self._post(body.encode()))
            except ServerBusy as busy:
                wait_s = pause_s if busy.wait_s is None else busy.wait_s
                if last or wait_s > LONGEST_WAIT_S:
                    asks = f"; it asks to wait {wait_s:g} s" if busy.wait_s else ""
                    raise self._fault(f"{busy}{asks}") from None
                self._wait(wait_s)
                pause_s = min(2 * pause_s, LONGEST_WAIT_S)
        raise AssertionError

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
            raise ServerBusy(f"no reply within {self.settings.timeout_s:g} s") from None
        except self._httpx.TransportError as error:
            raise ServerBusy(
                f"the connection failed ({type(error).__name__})"
            ) from None
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
                raise ServerBusy(f"no whole reply within {self.settings.timeout_s:g} s")
        return bytes(data)

    def _check_status(self, response: Any, data: bytes) -> None:  # noqa: ANN401  # as above
        status: int = response.status_code
        if status == _OK:
            return
        if status in _NOT_ALLOWED:  # what it says then may have the key in parts
            raise self._fault(f"HTTP {status}: it does not let us in: look at the key")
        said = f"HTTP {status}{self._said(data)}"
        if status in _BUSY or status >= _SERVER_ERRORS:
            raise ServerBusy(said, retry_after_s(response.headers.get("Retry-After")))
        if status in (400, 413, 415, 422):
            raise RequestRefused(self._words(said))
        raise self._fault(f"{said}: is the address right, and the model's name?")

    def _said(self, data: bytes) -> str:
        """Return the server's own words, without the key, and not many."""
        text = data.decode("utf-8", "replace")
        try:
            error: object = json.loads(text)["error"]
            if isinstance(error, dict):
                error = cast("dict[str, object]", error)["message"]
            text = str(error)
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


def _client(httpx: Any, settings: EndpointSettings) -> Any:  # noqa: ANN401  # as above
    # Certificates take a while to read, and plain HTTP needs none.
    is_secure = urlsplit(settings.base_url).scheme == "https"
    try:
        return httpx.Client(timeout=settings.timeout_s, verify=is_secure)
    except (ImportError, ValueError, OSError, httpx.InvalidURL) as error:
        raise ConfigError(
            "the environment names a proxy or certificates (ALL_PROXY, SSL_CERT_FILE "
            f"and their like) that cannot be used: {error}"
        ) from None


def _httpx() -> Any:  # noqa: ANN401  # comes late
    try:
        return import_module("httpx")
    except ImportError as error:
        raise ToolMissing(
            "asking a model", "httpx", "pip install 'pytest-embedbench[judge]'"
        ) from error
