"""Which endpoint is asked for which model, and how; checked before it is asked."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

OURS = ("model", "messages", "stream", "n")
"""What of a request no setting may change."""


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


def key_of(variable: str) -> str:
    """Return the key in an environment variable; ``ConfigError`` if it is not set."""
    key = os.environ.get(variable, "").strip() if variable else ""
    if variable and not key:
        raise ConfigError(
            f"the environment variable {variable!r} is not set: it is to hold the key, "
            "and its name is what the option gives"
        )
    return key


def _check_url(base_url: str) -> None:
    try:
        parts = urlsplit(base_url)
        is_url = (
            parts.scheme in ("http", "https")
            and parts.port != 0
            and base_url.isprintable()
            and " " not in base_url
            and (parts.hostname or "").encode("idna")  # its labels are 1 to 63 long
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
