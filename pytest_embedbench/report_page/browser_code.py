"""What a page takes of style and programs for the browser."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

ASSETS = Path(__file__).with_name("assets")


def scripts(names: Iterable[str]) -> str:
    """Return programs of ours as one, in this order."""
    return "\n".join((ASSETS / name).read_text("utf-8") for name in names)


def style() -> str:
    """Return the style of all pages."""
    return (ASSETS / "page.css").read_text("utf-8")


def digest(script: str) -> str:
    """Return what a page's policy (CSP) knows its one program by: SHA-256, base64."""
    return base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode()
