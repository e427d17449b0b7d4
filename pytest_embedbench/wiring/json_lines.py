"""In which line of a JSON text each of its values stands."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    JsonPath = tuple[str | int, ...]

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+', re.DOTALL)


class JsonPlaces(NamedTuple):
    """Lines, from 1, by the keys and indexes that lead there; and what comes twice.

    A member of an object is where its key is. Of ``repeated`` keys the last counts.
    """

    lines: Mapping[JsonPath, int]
    repeated: tuple[tuple[JsonPath, int], ...]

    def line_of(self, *path: str | int) -> int:
        """Return the line of a value, or of the nearest one around it."""
        while path not in self.lines:
            path = path[:-1]
        return self.lines[path]


def json_places(text: str) -> JsonPlaces:
    """Locate the values of a text that ``json.loads`` takes."""
    walk = _JsonWalk()
    line, seen = 1, 0
    for token in _TOKEN.finditer(text):
        line += text.count("\n", seen, token.start())
        seen = token.start()
        walk.take(token[0], line)
    return JsonPlaces(walk.lines, tuple(walk.repeated))


class _JsonWalk:
    """Follows the tokens of a valid text, and knows which keys have led there."""

    def __init__(self) -> None:
        self.lines: dict[JsonPath, int] = {}
        self.repeated: list[tuple[JsonPath, int]] = []
        self._path: list[str | int] = []
        self._wants_key = False

    def take(self, word: str, line: int) -> None:
        if word in "}]":
            self._close()
        elif word == ",":
            self._go_on()
        elif self._wants_key:
            self._key(json.loads(word, strict=False), line)
        elif word != ":":
            self._value(word, line)

    def _close(self) -> None:
        if not self._wants_key:  # there is a member or a place that is done with
            self._path.pop()
        self._wants_key = False

    def _go_on(self) -> None:
        last = self._path.pop()
        if isinstance(last, int):
            self._path.append(last + 1)
        else:
            self._wants_key = True

    def _key(self, key: str, line: int) -> None:
        self._path.append(key)
        self._wants_key = False
        here = tuple(self._path)
        if here in self.lines:
            self.repeated.append((here, line))
        self.lines[here] = line

    def _value(self, word: str, line: int) -> None:
        if not self._path or isinstance(self._path[-1], int):
            self.lines[tuple(self._path)] = line
        if word == "{":
            self._wants_key = True
        elif word == "[":
            self._path.append(0)
