"""Sketches whose constants have names that say nothing of what they are for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_NAMED = re.compile(r"(\w+)(?:\[\d*\])?(?:\s+|\s*=\s*|\s*\{)[({\s]*<\w+>")
_COMMENT = re.compile(
    r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|//[^\n]*|/\*.*?\*/""", re.DOTALL
)


def neutral(text: str, lines: Sequence[str]) -> str:
    """Return a sketch with ``v1``, ``v2``, ... for its constants, without comments.

    Args:
        text: The sketch.
        lines: Where pins stand in it, with ``<signal>`` for each, as in ``pins.toml``.
    """
    text = _COMMENT.sub(lambda found: found[1] or "", text)
    names = dict.fromkeys(name for line in lines for name in _NAMED.findall(line))
    for number, name in enumerate(names, start=1):
        text = re.sub(rf"\b{name}\b", f"v{number}", text)
    return text
