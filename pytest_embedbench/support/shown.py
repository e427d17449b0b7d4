"""How names that somebody else has made up read."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def shown(name: str | Path) -> str:
    """Return a name as text that anything can print: no line ends, no broken UTF-8."""
    text = os.fspath(name).encode("utf-8", "surrogateescape")
    readable = text.decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in readable)
