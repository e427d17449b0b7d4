"""Which server boards run at, and what it is shown to let us in."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pytest_embedbench.errors import ConfigError, ToolMissing
from pytest_embedbench.support.options import option_location
from pytest_embedbench.wokwi.names import SERVER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.engines.wokwi.options import WokwiOptions
    from pytest_embedbench.model import BoardSpec

TOKEN_VARIABLE = "WOKWI_CLI_TOKEN"  # noqa: S105  # that is its name
SERVER_VARIABLE = "WOKWI_CLI_SERVER"
HOW_TO_GET_IN = (
    "make one at https://wokwi.com/dashboard/ci and export WOKWI_CLI_TOKEN=..., or "
    "start a server of your own with `embedbench wokwi-serve` and export what it says"
)


class ServiceToken:
    """What lets us in; it shows itself to nobody but the server."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return "<token>"

    def headers(self) -> dict[str, str]:
        """Return the header that the server reads it from."""
        return {"Authorization": f"Bearer {self._text}"} if self._text else {}

    def taken_out(self, text: str) -> str:
        """Return a text of somebody else's without it."""
        return text.replace(self._text, "<token>") if self._text else text

    def __bool__(self) -> bool:
        return bool(self._text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """A server, and the token for it; ``is_named`` if somebody has chosen it."""

    server: str
    token: ServiceToken
    is_named: bool

    @property
    def is_loopback(self) -> bool:
        """Whether it is on this machine, where no proxy leads to."""
        host = urlsplit(self.server).hostname or ""
        return host in ("localhost", "::1") or host.startswith("127.")


def access_for(
    spec: BoardSpec, options: WokwiOptions, environ: Mapping[str, str] = os.environ
) -> Access:
    """Return where a board runs in the cloud.

    Raises:
        ConfigError: the server is no URL of a websocket.
    """
    named = options.server or environ.get(SERVER_VARIABLE, "").strip()
    _check_url(option_location(spec, "server") if options.server else "", named)
    return Access(
        server=named or SERVER,
        token=ServiceToken(environ.get(TOKEN_VARIABLE, "").strip()),
        is_named=bool(named),
    )


def token_missing(access: Access) -> ToolMissing | None:
    """Say how to get a token, if there is none; a server of one's own may need none."""
    if access.token or access.is_named:
        return None
    return ToolMissing("wokwi", f"a token in {TOKEN_VARIABLE}", HOW_TO_GET_IN)


def _check_url(where: str, url: str) -> None:
    try:
        parts = urlsplit(url)
        is_url = parts.scheme in ("ws", "wss") and bool(parts.hostname)
        is_url = is_url and parts.port != 0 and not parts.username
    except ValueError:  # a port that is none
        is_url = False
    if url and not is_url:
        raise ConfigError(
            f"{where or SERVER_VARIABLE}: {url!r} is no server: write ws://HOST:PORT "
            "or wss://HOST/PATH"
        )
