"""From the text of a ``diagram.json`` to a diagram, and what is wrong with its form."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from pytest_embedbench.wiring.diagram import (
    Diagram,
    DiagramPart,
    DiagramWire,
    Endpoint,
    SerialMonitor,
)
from pytest_embedbench.wiring.findings import (
    CircuitFinding,
    FindingKind,
    listed,
    nearest,
)
from pytest_embedbench.wiring.json_lines import JsonPlaces, json_places

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import TypeAlias

    Table: TypeAlias = Mapping[str, Any]


class _JsonKind(NamedTuple):
    """What a member can be, and what messages call it."""

    types: tuple[type, ...]
    name: str


_TEXT = _JsonKind((str,), "text")
_NUMBER = _JsonKind((int, float), "a number")
_TABLE = _JsonKind((dict,), "an object")
_ROWS = _JsonKind((list,), "a list")
_FLAG = _JsonKind((bool,), "true or false")
_DIAGRAM: dict[str, _JsonKind] = {
    "version": _NUMBER,
    "author": _TEXT,
    "editor": _TEXT,
    "parts": _ROWS,
    "connections": _ROWS,
    "serialMonitor": _TABLE,
    "dependencies": _TABLE,
}
_PART: dict[str, _JsonKind] = {
    "id": _TEXT,
    "type": _TEXT,
    "left": _NUMBER,
    "top": _NUMBER,
    "rotate": _NUMBER,
    "hide": _FLAG,
    "attrs": _TABLE,
}
_MONITOR: dict[str, _JsonKind] = {
    "display": _TEXT,
    "newline": _TEXT,
    "convertEol": _FLAG,
}
_MONITOR_WORDS = {
    "display": ("auto", "always", "never", "plotter", "terminal"),
    "newline": ("lf", "cr", "crlf", "none"),
}
_NEEDED = {"": ("parts", "connections"), "part": ("id", "type")}
_ROUTE = re.compile(r"[vh]-?\d+(\.\d+)?(e-?\d+)?|\*|\$bb")
_ENDS = 2
_NOT_DRAWN: tuple[object, object] = ("", [])
"""Color and route of a wire that says neither."""


class DiagramReading(NamedTuple):
    """A diagram as far as it could be read, and every mistake of form."""

    diagram: Diagram
    findings: tuple[CircuitFinding, ...]


def read_diagram(text: str, file: str) -> DiagramReading:
    """Read what a file has to say; mistakes leave out what they are about.

    Args:
        text: The whole file.
        file: Its name, for messages.
    """
    empty = Diagram(file=file, text=text)
    try:
        table: object = json.loads(text.removeprefix("\ufeff"), parse_constant=_refuse)
    except json.JSONDecodeError as error:
        told = f"is no JSON: {error.msg}, column {error.colno}"
        return DiagramReading(empty, (_malformed(error.lineno, told),))
    except (RecursionError, ValueError) as error:
        told = f"is no JSON that can be read: {error}"
        return DiagramReading(empty, (_malformed(0, told),))
    reader = _Reader(json_places(text.removeprefix("\ufeff")))
    if not isinstance(table, dict):
        reader.tell((), f"must be an object with parts and connections, is {table!r}")
        return DiagramReading(empty, tuple(reader.findings))
    diagram = reader.diagram(cast("Table", table), file, text)
    return DiagramReading(diagram, tuple(reader.findings))


class _Reader:
    """Turns tables into nouns and keeps what it has to complain of."""

    def __init__(self, places: JsonPlaces) -> None:
        self._places = places
        self.findings = [
            _malformed(line, f"{path[-1]!r} is there twice; the last one counts")
            for path, line in places.repeated
        ]

    def tell(
        self,
        path: tuple[str | int, ...],
        text: str,
        kind: FindingKind = FindingKind.MALFORMED,
        part: str = "",
    ) -> None:
        line = self._places.line_of(*path)
        self.findings.append(CircuitFinding(kind, line, text, part))

    def diagram(self, table: Table, file: str, text: str) -> Diagram:
        known = self._fields(table, _DIAGRAM, (), "the diagram", _NEEDED[""])
        if known.get("version", 1) != 1:
            told = f"version {known['version']!r} is not known; there is version 1"
            self.tell(("version",), told)
        libraries = cast("Table", known.get("dependencies", {}))
        return Diagram(
            file=file,
            text=text,
            parts=tuple(self._parts(known.get("parts", []))),
            wires=tuple(self._wires(known.get("connections", []))),
            author=known.get("author", ""),
            editor=known.get("editor", ""),
            serial_monitor=self._monitor(known.get("serialMonitor", {})),
            dependencies={name: _as_text(value) for name, value in libraries.items()},
        )

    def _parts(self, rows: list[object]) -> Iterator[DiagramPart]:
        taken: dict[str, int] = {}
        for index, row in enumerate(rows):
            path = ("parts", index)
            if not isinstance(row, dict):
                self.tell(path, f"a part must be an object, is {row!r}")
                continue
            part = self._part(cast("Table", row), path)
            if part is None:
                continue
            if part.id in taken:
                told = f"the id {part.id!r} is already that of line {taken[part.id]}"
                self.tell((*path, "id"), told, FindingKind.DUPLICATE_ID, part.id)
                continue
            taken[part.id] = part.line
            yield part

    def _part(self, row: Table, path: tuple[str | int, ...]) -> DiagramPart | None:
        name = row.get("id")
        called = f"part {name!r}" if isinstance(name, str) else f"part {path[-1]}"
        fields = self._fields(row, _PART, path, called, _NEEDED["part"])
        if "id" not in fields or "type" not in fields:
            return None
        if not fields["id"] or ":" in fields["id"]:
            told = f"an id must be text without ':', is {fields['id']!r}"
            self.tell((*path, "id"), told, part=fields["id"])
            return None
        return DiagramPart(
            id=fields["id"],
            type=fields["type"],
            attrs=self._attrs(fields, path),
            left=fields.get("left", 0),
            top=fields.get("top", 0),
            rotate=fields.get("rotate", 0),
            is_hidden=fields.get("hide", False),
            line=self._places.line_of(*path),
        )

    def _attrs(self, part: Table, path: tuple[str | int, ...]) -> dict[str, str]:
        attrs: dict[str, str] = {}
        for name, value in cast("Table", part.get("attrs", {})).items():
            if value is None or isinstance(value, dict):
                told = f"{part['id']}: attribute {name!r} must be text, is {value!r}"
                here = (*path, "attrs", name)
                self.tell(here, told, FindingKind.BAD_ATTRIBUTE, part["id"])
            else:
                attrs[name] = _as_text(value)
        return attrs

    def _wires(self, rows: list[object]) -> Iterator[DiagramWire]:
        for index, row in enumerate(rows):
            path = ("connections", index)
            fields = cast("list[object]", row) if isinstance(row, list) else []
            if not _ENDS <= len(fields) <= _ENDS + len(_NOT_DRAWN):
                shape = '["part:pin", "part:pin", "color", ["v10", "h5"]]'
                self.tell(path, f"a connection must be {shape}, is {row!r}")
                continue
            start = self._end(fields[0], (*path, 0))
            end = self._end(fields[1], (*path, 1))
            color, route = [*fields, *_NOT_DRAWN[len(fields) - _ENDS :]][_ENDS:]
            if not isinstance(color, str):
                self.tell((*path, 2), f"a color must be text, is {color!r}")
                color = ""
            line = self._places.line_of(*path)
            steps = self._route(route, (*path, 3))
            if start and end:
                yield DiagramWire(start, end, color, steps, line)

    def _end(self, value: object, path: tuple[str | int, ...]) -> Endpoint | None:
        if isinstance(value, str):
            part, colon, pin = value.partition(":")
            if part and colon and pin:
                return Endpoint(part, pin)
        told = f"an end of a wire must be 'part:pin', is {value!r}"
        self.tell(path, told)
        return None

    def _route(self, value: object, path: tuple[str | int, ...]) -> tuple[str, ...]:
        steps = cast("list[object]", value) if isinstance(value, list) else [value]
        for step in steps:
            if not (isinstance(step, str) and _ROUTE.fullmatch(step)):
                told = f"a route is a list of 'v10', 'h-5' and one '*', not {step!r}"
                self.tell(path, told)
                return ()
        return tuple(str(step) for step in steps)

    def _monitor(self, table: Table) -> SerialMonitor:
        path = ("serialMonitor",)
        fields = self._fields(table, _MONITOR, path, "serialMonitor")
        for key, words in _MONITOR_WORDS.items():
            if key in fields and fields[key] not in words:
                told = f"{key} must be one of {listed(words)}, is {fields[key]!r}"
                self.tell((*path, key), f"serialMonitor: {told}")
                del fields[key]
        return SerialMonitor(
            display=fields.get("display", ""),
            newline=fields.get("newline", ""),
            convert_eol=fields.get("convertEol", False),
        )

    def _fields(
        self,
        table: Table,
        kinds: Mapping[str, _JsonKind],
        path: tuple[str | int, ...],
        called: str,
        needed: tuple[str, ...] = (),
    ) -> dict[str, Any]:
        """Return the members that are of the right kind; tell of all others."""
        fields: dict[str, Any] = {}
        for key in needed:
            if key not in table:
                self.tell(path, f"{called} has no {key!r}")
        for key, value in table.items():
            here = (*path, key)
            kind = kinds.get(key)
            if kind is None:
                told = f"{called}: nobody reads {key!r}; known: {listed(kinds)}"
                told = f"{told}{_key_hint(key, kinds)}"
                self.tell(here, told, FindingKind.UNKNOWN_KEY)
            elif not isinstance(value, kind.types) or (
                isinstance(value, bool) and kind is _NUMBER
            ):
                told = f"{called}: {key!r} must be {kind.name}, is {value!r}"
                self.tell(here, told)
            else:
                fields[key] = value
        return fields


def _key_hint(key: str, kinds: Mapping[str, _JsonKind]) -> str:
    meant = {"x": "left", "y": "top"}.get(key, "")
    return f"; do you mean {meant!r}?" if meant in kinds else nearest(key, kinds)


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is no number")


def _malformed(line: int, text: str) -> CircuitFinding:
    return CircuitFinding(FindingKind.MALFORMED, line, text)


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
