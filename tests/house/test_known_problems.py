"""Comments such as ``# U16`` name a row of docs/known_problems.md."""

from __future__ import annotations

import functools
import re
import tokenize
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "docs" / "known_problems.md"
ROOMS = ("tests", "benchmarks", "pytest_embedbench")
IDENTIFIER = r"[BCEFUVWX]\d{1,2}"
# One row or several, then nothing or the reason: "# U16, V1: the second is silent."
CITATION = re.compile(rf"#\s+(?P<rows>{IDENTIFIER}(?:, {IDENTIFIER})*)(?:: .*)?")
# Few files have one, and reading tokens is slow.
MAYBE = re.compile(rf"#.*\b{IDENTIFIER}\b")
ROW = re.compile(rf"\| (?P<row>{IDENTIFIER}) \|")


def test_every_row_that_a_test_cites_is_in_the_table_and_the_other_way_round() -> None:
    cited = {row for _, rows in _citations() for row in rows.split(", ")}
    rows = Counter(
        found["row"]
        for line in TABLE.read_text().splitlines()
        if (found := ROW.match(line))
    )
    assert {row for row, count in rows.items() if count > 1} == set()
    assert cited == set(rows)


def test_a_citation_stands_at_the_beginning_of_its_comment() -> None:
    adrift = [
        f"{where}: {comment}"
        for where, comment in _comments()
        if re.search(rf"\b{IDENTIFIER}\b", comment) and not CITATION.fullmatch(comment)
    ]
    assert adrift == []


@pytest.mark.parametrize(
    ("comment", "rows"),
    [("# U16", "U16"), ("# U16, V1: silent.", "U16, V1"), ("# see U16", None)],
)
def test_what_a_citation_is(comment: str, rows: str | None) -> None:
    found = CITATION.fullmatch(comment)
    assert (found and found["rows"]) == rows


def _citations() -> list[tuple[str, str]]:
    return [
        (where, found["rows"])
        for where, comment in _comments()
        if (found := CITATION.fullmatch(comment))
    ]


@functools.cache
def _comments() -> list[tuple[str, str]]:
    return [
        (f"{path.relative_to(ROOT)}:{token.start[0]}", token.string)
        for room in ROOMS
        for path in sorted((ROOT / room).rglob("*.py"))
        if path != Path(__file__)
        if MAYBE.search(path.read_text())
        for token in _tokens(path)
        if token.type == tokenize.COMMENT
    ]


def _tokens(path: Path) -> list[tokenize.TokenInfo]:
    with path.open("rb") as source:
        return list(tokenize.tokenize(source.readline))
