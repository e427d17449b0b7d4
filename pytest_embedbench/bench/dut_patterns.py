"""Patterns as pexpect takes them, and what they are looked for in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, cast

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.wire.patterns import search

if TYPE_CHECKING:
    from pexpect.exceptions import EOF, TIMEOUT

    Special = type[EOF | TIMEOUT]
    Text = str | bytes | re.Pattern[str] | re.Pattern[bytes]
    Wanted = re.Pattern[bytes] | Special
    Found = tuple[int, re.Match[bytes]]


class Piece(NamedTuple):
    """Unread text of line ``number``, from ``start`` on; to its end if ``is_whole``."""

    number: int
    start: int
    text: bytes
    is_whole: bool


def compiled_for(pattern: Text | Special, *, exact: bool) -> Wanted:
    """Return what is looked for; ``exact`` text stands for itself.

    Raises:
        ConfigError: it is no regular expression.
    """
    if isinstance(pattern, type):
        return pattern
    try:
        if isinstance(pattern, re.Pattern):
            flags = pattern.flags & ~re.UNICODE
            return re.compile(as_bytes(pattern.pattern), flags)
        text = as_bytes(pattern)
        return re.compile(re.escape(text) if exact else text)
    except re.error as error:
        raise ConfigError(
            f"{pattern!r} is not a regular expression: {error}"
        ) from error


def first_match(wanted: list[Wanted], piece: Piece) -> Found | None:
    """Return the match that starts first; of several, that of the first pattern."""
    matches = [
        (index, match)
        for index, regex in enumerate(wanted)
        if isinstance(regex, re.Pattern)
        and (match := _search(regex, piece)) is not None
    ]
    return min(matches, key=lambda found: found[1].start(), default=None)


def _search(regex: re.Pattern[bytes], piece: Piece) -> re.Match[bytes] | None:
    r"""Look for a pattern; one with ``\n`` or ``\r\n`` sees such a line end."""
    text = piece.text
    if piece.is_whole and (b"\n" in regex.pattern or rb"\n" in regex.pattern):
        asks_for_pair = b"\r" in regex.pattern or rb"\r" in regex.pattern
        text += b"\r\n" if asks_for_pair else b"\n"
    return cast("re.Match[bytes] | None", search(regex, text))


def as_bytes(text: str | bytes) -> bytes:
    """Return text as it goes over the wire."""
    return text.encode() if isinstance(text, str) else text
