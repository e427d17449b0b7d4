"""docs/troubleshooting.md quotes what the package says, word for word."""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "pytest_embedbench"
PAGE = (ROOT / "docs" / "troubleshooting.md").read_text("utf-8")
OF_OTHERS = (
    "Could not find Unity configuration",
    "undefined reference to",
    "multiple definition of",
    "Different tests were collected",
    "No space left",
)
"""What compilers, PlatformIO, xdist and the system say."""
SYMPTOMS = re.compile(r"^\| (?!you see)(?P<symptom>[^|]+) \|", re.MULTILINE)
QUOTED = re.compile(r"`([^`]+)`")
HOLE = re.compile(r"\.\.\.|'[^']*'|\d+|\buno\b|\bread-pins\b|\bserial0\b|\btest_\w+")


@functools.cache
def said_by_the_package() -> str:
    """Return all of its texts, with a hole where a value comes in."""
    texts: list[str] = []
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.JoinedStr):
                parts = node.values
                words = (p.value if isinstance(p, ast.Constant) else " " for p in parts)
                texts.append("".join(str(word) for word in words))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.append(node.value)
    return " ".join(" ".join(texts).split())


MESSAGES = sorted(
    message
    for symptom in SYMPTOMS.findall(PAGE)
    for message in QUOTED.findall(symptom)
    if " " in message and not message.startswith(OF_OTHERS)
)


def test_there_are_messages() -> None:
    assert len(MESSAGES) > 15


@pytest.mark.parametrize("message", MESSAGES)
def test_a_quoted_message_is_one_of_ours(message: str) -> None:
    pieces = (piece.strip(" :;") for piece in HOLE.split(message))
    missing = [
        piece for piece in pieces if piece and piece not in said_by_the_package()
    ]
    assert missing == []
