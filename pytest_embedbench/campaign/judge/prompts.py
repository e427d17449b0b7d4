"""The texts that models are given: files of this package, with version and digest."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from string import Template

VERSION = 1
"""Counted up with every change of a text."""
JUDGE_TEXTS = ("system", "initial", "reflect", "reconcile", "repair")
_FOLDER = Path(__file__).with_name("prompts")


@cache
def prompt_text(name: str) -> str:
    """Return the text of a prompt as it is in its file."""
    return (_FOLDER / f"{name}.md").read_text("utf-8").strip()


def filled(name: str, **values: str) -> str:
    """Return a prompt with its places filled; what is filled in is taken as it is."""
    return Template(prompt_text(name)).substitute(values)


def prompts_digest(names: tuple[str, ...] = JUDGE_TEXTS) -> str:
    """Return the SHA-256 of prompts in hex, names included."""
    digest = hashlib.sha256()
    for name in names:
        digest.update(f"{name}\0{prompt_text(name)}\0".encode())
    return digest.hexdigest()
