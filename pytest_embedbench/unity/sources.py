"""Which cases a source file runs, as far as its text tells: nothing is built for it.

``RUN_TEST(name)`` of Unity and ``TEST_CASE("name")`` of doctest, outside of comments,
strings and macros. What stands under ``#if`` may not be in every build: such a case is
certain only if every branch has it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_PIECE = re.compile(
    r"//(?:[^\n\\]|\\.)*"
    r"|/\*.*?(?:\*/|\Z)"
    r'|R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'(?:\\.|[^'\\\n])*'",
    re.DOTALL,
)
_DIRECTIVE = re.compile(r"[ \t]*#[ \t]*(?P<word>\w*)(?:[^\n\\]|\\.)*", re.DOTALL)
_RUN = re.compile(r"\bRUN_TEST\s*\(\s*&?\s*(?P<name>[A-Za-z_][\w:]*)\s*[,)]")
_DOCTEST = re.compile(
    r"\b(?P<kind>TEST_CASE|TEST_CASE_FIXTURE|SCENARIO)\s*\((?:\s*[\w:<>]+\s*,)?\s*"
    r'(?P<text>"(?:\\.|[^"\\\n])*")'
)
_HEAD = re.compile(
    r"(?P<void>\bvoid\s+)?(?!(?:if|for|while|switch|catch)\b)\b(?P<name>[A-Za-z_]\w*)"
    r"\s*\([^;{}()]*\)\s*\{"
)
"""A function begins; only of those that return nothing a name is of use."""
_ENTRIES = frozenset({"setup", "loop", "main", "app_main", "firmware_main"})
"""What is called from elsewhere."""
_ESCAPED = re.compile(r"\\(.)")

Branch = tuple[int, int]
"""An ``#if``, by its number, and which of its branches."""
Path = tuple[Branch, ...]
"""The branches that a line stands in, from the outermost on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceCase:
    """A case by its name; ``line`` is where its function begins, or where it is run.

    ``condition`` is the first ``#if`` that can leave it out; empty if none can.
    ``run_by`` are the functions that run it; none if that is not plain.
    """

    name: str
    line: int
    condition: str = ""
    run_by: tuple[str, ...] = ()


@dataclass(slots=True)
class _Conditions:
    """The ``#if`` that lines stand under, and how many branches each has."""

    now: list[Branch] = field(default_factory=list[Branch])
    texts: list[str] = field(default_factory=list[str])
    branches: list[int] = field(default_factory=list[int])
    has_else: set[int] = field(default_factory=set[int])

    def read(self, word: str, text: str) -> None:
        """Take a directive."""
        if word in {"if", "ifdef", "ifndef"}:
            self.now.append((len(self.texts), 0))
            self.texts.append(" ".join(text.split()))
            self.branches.append(1)
        elif word in {"else", "elif", "elifdef", "elifndef"} and self.now:
            number, branch = self.now[-1]
            self.now[-1] = (number, branch + 1)
            self.branches[number] += 1
            if word == "else":
                self.has_else.add(number)
        elif word == "endif" and self.now:
            self.now.pop()

    def condition_of(self, places: set[Path]) -> str:
        """Return the ``#if`` that may leave out what stands in these places."""
        while () not in places:
            whole = next(self._complete(places), None)
            if whole is None:
                return self.texts[min(places)[0][0]]
            places = {place for place in places if place[: len(whole)] != whole}
            places.add(whole)
        return ""

    def _complete(self, places: set[Path]) -> Iterator[Path]:
        """Yield where an ``#if`` stands that has something in each of its branches."""
        for place in sorted(places, key=len, reverse=True):
            above, (number, _) = place[:-1], place[-1]
            branches = range(self.branches[number])
            every = all((*above, (number, branch)) in places for branch in branches)
            if number in self.has_else and every:
                yield above


def unity_cases(text: str) -> list[SourceCase]:
    """Return the cases that a file runs by ``RUN_TEST``, by their first mention."""
    return _cases(text, _RUN, lambda match: match["name"], keeps_strings=False)


def doctest_cases(text: str) -> list[SourceCase]:
    """Return the cases that a file defines for doctest."""
    return _cases(text, _DOCTEST, _title, keeps_strings=True)


def is_called(function: str, texts: Iterable[str]) -> bool:
    """Say whether files mention a function but to define or to declare it."""
    if function in _ENTRIES:
        return True
    mention = re.compile(rf"\b(?P<declared>void\s+)?{re.escape(function)}\b")
    return any(
        not match["declared"]
        for text in texts
        for match in mention.finditer(_without_comments(text, keeps_strings=False))
    )


def _title(match: re.Match[str]) -> str:
    title = _ESCAPED.sub(r"\1", match["text"][1:-1])
    return f"Scenario: {title}" if match["kind"] == "SCENARIO" else title


def _cases(
    text: str,
    calls: re.Pattern[str],
    name_of: Callable[[re.Match[str]], str],
    *,
    keeps_strings: bool,
) -> list[SourceCase]:
    code = _without_comments(text, keeps_strings=keeps_strings)
    conditions = _Conditions()
    places: dict[str, set[Path]] = {}
    lines: dict[str, int] = {}
    run_by: dict[str, set[str]] = {}
    heads = [(code.count("\n", 0, h.start()) + 1, h) for h in _HEAD.finditer(code)]
    for number, line in _logical_lines(code):
        if directive := _DIRECTIVE.match(line):
            conditions.read(directive["word"], line)
            continue
        for match in calls.finditer(line):
            name = name_of(match)
            at = number + line.count("\n", 0, match.start())
            lines.setdefault(name, at)
            places.setdefault(name, set()).add(tuple(conditions.now))
            above = [head for head_at, head in heads if head_at <= at]
            run_by.setdefault(name, set()).add(_void_name(above))
    return [
        SourceCase(
            name=name,
            line=_defined_at(code, name) or lines[name],
            condition=conditions.condition_of(places[name]),
            run_by=() if "" in run_by[name] else tuple(sorted(run_by[name])),
        )
        for name in places
    ]


def _void_name(above: list[re.Match[str]]) -> str:
    """Return the function that began last, if it returns nothing."""
    return above[-1]["name"] if above and above[-1]["void"] else ""


def _without_comments(text: str, *, keeps_strings: bool) -> str:
    """Return the code alone; every line stays where it is."""

    def instead(match: re.Match[str]) -> str:
        piece = match[0]
        if piece.startswith("/"):
            return " " + "\n" * piece.count("\n")
        return piece if keeps_strings else '""' + "\n" * piece.count("\n")

    return _PIECE.sub(instead, text)


def _logical_lines(code: str) -> Iterator[tuple[int, str]]:
    """Yield directives as whole as they are, and what stands between two of them."""
    number, gathered, first = 1, "", 1
    lines = iter(code.split("\n"))
    for line in lines:
        length = 1
        if _DIRECTIVE.match(line):
            while line.endswith("\\") and (more := next(lines, None)) is not None:
                line, length = f"{line}\n{more}", length + 1  # noqa: PLW2901
            yield first, gathered
            yield number, line
            gathered, first = "", number + length
        else:
            gathered += f"{line}\n"
        number += length
    yield first, gathered


def _defined_at(code: str, name: str) -> int:
    """Return the line of a function's head, if this file has it."""
    plain = re.escape(name.rpartition("::")[2])
    head = rf"^[^\n;#=]*\bvoid\s+{plain}\s*\([^;{{)]*\)\s*{{"
    found = re.search(head, code, re.MULTILINE)
    return code.count("\n", 0, found.start()) + 1 if found else 0
