"""The brief: what a submission is told, sentence by sentence.

A normative sentence is a list item that starts with its id in bold, and may go on over
indented lines::

    - **T3** A valid level above 80 switches the pump off.

Every hidden check names the sentences that it enforces.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_SENTENCE = re.compile(
    r"^[-*] \*\*([A-Z]+\d+)\*\* +(.+(?:\n[ \t]+\S.*)*)", re.MULTILINE
)


def sentences(text: str) -> Mapping[str, str]:
    """Return the normative sentences of a brief by id, in their order.

    Line breaks within a sentence are spaces; else it is verbatim.

    Raises:
        ConfigError: two sentences have the same id.
    """
    found: dict[str, str] = {}
    for name, sentence in _SENTENCE.findall(text):
        if name in found:
            raise ConfigError(f"two sentences of the brief have the id {name}")
        found[name] = " ".join(sentence.split())
    return found


def read_brief(file: Path) -> Mapping[str, str]:
    """Return the sentences of a ``BRIEF.md``.

    Raises:
        ConfigError: it cannot be read, or two sentences have the same id.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: not a readable brief: {error}") from error
    try:
        return sentences(text)
    except ConfigError as error:
        raise ConfigError(f"{file}: {error}") from error
