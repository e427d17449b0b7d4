"""The brief: what a submission is told, sentence by sentence.

A normative sentence is a list item that starts with its id in bold, and may go on over
indented lines::

    - **T3** A valid level above 80 switches the pump off.

Every hidden check names the sentences that it enforces. A sentence that the task's
published brief does not have says so behind its id::

    - **T12** (ours) When a step without a line switches the pump, `changed` is true.

"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_SENTENCE = re.compile(
    r"^[-*] \*\*([A-Z]+\d+)\*\*( \(ours\))? +(.+(?:\n[ \t]+\S.*)*)", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Brief:
    """What a submission is told: sentences by id, and which of them are ours."""

    sentences: Mapping[str, str]
    ours: frozenset[str]

    def __repr__(self) -> str:
        return (
            f"<Brief of {len(self.sentences)} sentences, {len(self.ours)} of them ours>"
        )

    @property
    def published(self) -> Mapping[str, str]:
        """The sentences that the published brief has, too."""
        return {n: each for n, each in self.sentences.items() if n not in self.ours}


def sentences(text: str) -> Mapping[str, str]:
    """Return the normative sentences of a brief by id, in their order.

    Line breaks within a sentence are spaces; else it is verbatim.

    Raises:
        ConfigError: two sentences have the same id.
    """
    return parse_brief(text).sentences


def parse_brief(text: str) -> Brief:
    """Return what ``text`` says; ``ConfigError`` as ``sentences``."""
    found: dict[str, str] = {}
    ours: list[str] = []
    for name, mark, sentence in _SENTENCE.findall(text):
        if name in found:
            raise ConfigError(f"two sentences of the brief have the id {name}")
        found[name] = " ".join(sentence.split())
        if mark:
            ours.append(name)
    return Brief(found, frozenset(ours))


def read_brief(file: Path) -> Mapping[str, str]:
    """Return the sentences of a ``BRIEF.md``.

    Raises:
        ConfigError: it cannot be read, or two sentences have the same id.
    """
    return load_brief(file).sentences


def load_brief(file: Path) -> Brief:
    """Return what a ``BRIEF.md`` says; ``ConfigError`` as ``read_brief``."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: not a readable brief: {error}") from error
    try:
        return parse_brief(text)
    except ConfigError as error:
        raise ConfigError(f"{file}: {error}") from error
