"""Findings about names: types, parts, pins, attributes, and the one board."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING

from pytest_embedbench.wiring.catalogue import CUSTOM_CHIP
from pytest_embedbench.wiring.diagram import SERIAL_MONITOR
from pytest_embedbench.wiring.findings import (
    CircuitFinding,
    FindingKind,
    listed,
    nearest,
)
from pytest_embedbench.wiring.netlist import known_parts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_embedbench.wiring.catalogue import PartCatalogue
    from pytest_embedbench.wiring.diagram import (
        Diagram,
        DiagramPart,
        DiagramWire,
        Endpoint,
    )
    from pytest_embedbench.wiring.part_type import PartAttribute, PartType

_MANY, _FEW = 40, 4
_WITH_PREFIX = re.compile(r"(\d+(?:\.\d+)?)\s*(?:([kKM])(\d*))?\s*(?:Ω|[Oo]hms?|R)?")
_PREFIX = {None: 1, "k": 1e3, "K": 1e3, "M": 1e6}
"""Of so many pins, a message shows so few: boards and breadboards."""


def check_types(diagram: Diagram, catalogue: PartCatalogue) -> Iterator[CircuitFinding]:
    """Yield the parts of which nobody here knows what they are."""
    boards = listed(sorted(catalogue.boards))
    wired = {end.part for wire in diagram.wires for end in (wire.start, wire.end)}
    for part in diagram.parts:
        if part.type in catalogue.types:
            continue
        kind = FindingKind.NO_MODEL
        if part.type.startswith(CUSTOM_CHIP):
            told = "is a custom chip, which only Wokwi's cloud can run"
        elif part.type in catalogue.boards_elsewhere:
            told = f"is a board on which no circuits run here; they do on {boards}"
        else:
            is_wired = part.id in wired
            kind = FindingKind.UNKNOWN_TYPE if is_wired else FindingKind.DECORATION
            told = (
                f"is a type of part that is not known here{_type_hint(part, catalogue)}"
            )
            if not is_wired:
                told += "; nothing is wired to it, so the circuit runs without it"
        text = f"{part.id}: {part.type} {told}"
        yield CircuitFinding(kind, part.line, text, part.id)


def _type_hint(part: DiagramPart, catalogue: PartCatalogue) -> str:
    """Return the nearest type; what most types begin with makes none alike."""
    by_tail = {name.partition("-")[2]: name for name in catalogue.types}
    tail = part.type.partition("-")[2] or part.type
    near = get_close_matches(tail, by_tail, n=1)
    return f"; do you mean {by_tail[near[0]]!r}?" if near else ""


def check_board(
    diagram: Diagram, catalogue: PartCatalogue, board: str = ""
) -> Iterator[CircuitFinding]:
    """Yield that there is no board, more than one, or another than ``board``."""
    types = {kind.name: name for name, kind in catalogue.boards.items()}
    found = [part for part in diagram.parts if part.type in types]
    elsewhere = any(part.type in catalogue.boards_elsewhere for part in diagram.parts)
    if not found and not elsewhere:
        wanted = types_of(catalogue, board)
        text = f"there is no board in it; it needs a part of type {wanted}"
        yield CircuitFinding(FindingKind.NO_BOARD, 0, text)
    for part in found[1:]:
        first = found[0]
        text = f"{part.id}: a second board; the first is {first.id}, line {first.line}"
        yield CircuitFinding(FindingKind.SEVERAL_BOARDS, part.line, text, part.id)
    if found and board and types[found[0].type] != board:
        part = found[0]
        text = (
            f"{part.id}: the diagram is for board {types[part.type]} ({part.type}), "
            f"not for {board}, which would be {types_of(catalogue, board)}"
        )
        yield CircuitFinding(FindingKind.OTHER_BOARD, part.line, text, part.id)


def types_of(catalogue: PartCatalogue, board: str = "") -> str:
    """Return the type of a board, or those of all boards, as text."""
    boards = catalogue.boards
    chosen = [board] if board in boards else sorted(boards)
    return " or ".join(boards[name].name for name in chosen)


def check_attributes(
    diagram: Diagram, catalogue: PartCatalogue
) -> Iterator[CircuitFinding]:
    """Yield attributes that no part of that type reads, or not as they are."""
    for part, kind in known_parts(diagram, catalogue).values():
        for name, value in part.attrs.items():
            known = kind.attrs.get(name)
            if known is None:
                text = f"{part.id}: {part.type} has no attribute {name!r}"
                text = f"{text}; it has {listed(kind.attrs)}{nearest(name, kind.attrs)}"
                finding = FindingKind.UNKNOWN_ATTRIBUTE
                yield CircuitFinding(finding, part.line, text, part.id)
            elif wrong := _wrong(known, value):
                text = f"{part.id}: attribute {name!r} is {value!r}, {wrong}"
                finding = FindingKind.BAD_ATTRIBUTE
                yield CircuitFinding(finding, part.line, text, part.id)


def _wrong(known: PartAttribute, value: str) -> str:
    if known.choices and value not in known.choices:
        return f"must be one of {listed(known.choices)}{nearest(value, known.choices)}"
    if not known.is_number:
        return _wrong_text(known, value)
    try:
        number = float(value)
    except ValueError:
        return f"must be a number{_written_out(value)}"
    lowest = float("-inf") if known.lowest is None else known.lowest
    highest = float("inf") if known.highest is None else known.highest
    allowed = f"from {lowest:g} to {highest:g}"
    if known.highest is None:
        allowed = f"of at least {lowest:g}"
    return "" if lowest <= number <= highest else f"must be a number {allowed}"


def _written_out(value: str) -> str:
    """Return how to write what has prefix or unit, such as ``4k7``, or ``""``."""
    found = _WITH_PREFIX.fullmatch(value.strip())
    if found is None:
        return ""
    number = float(f"{found[1]}.{found[3]}" if found[3] else found[1])
    return f": write {number * _PREFIX[found[2]]:.15g}"


def _wrong_text(known: PartAttribute, value: str) -> str:
    try:
        if known.parse is not None:
            known.parse(value)
    except ValueError as error:
        return str(error)
    return ""


def check_wires(diagram: Diagram, catalogue: PartCatalogue) -> Iterator[CircuitFinding]:
    """Yield wires to parts or pins that are not there, and those that join nothing."""
    parts = known_parts(diagram, catalogue)
    ids = {part.id: part for part in diagram.parts}
    drawn: dict[frozenset[Endpoint], int] = {}
    for wire in diagram.wires:
        ends = (wire.start, wire.end) if wire.start != wire.end else (wire.start,)
        for end in ends:
            if end.part in parts:
                yield from _wrong_pin(wire, end, *parts[end.part])
            elif end.part not in ids:
                every = (*ids, SERIAL_MONITOR)
                text = f"no part has the id {end.part!r}, to which the wire "
                text = f"{text}{wire.start} - {wire.end} leads; the parts are "
                text = f"{text}{listed(ids)}{nearest(end.part, every)}"
                finding = FindingKind.UNKNOWN_PART
                yield CircuitFinding(finding, wire.line, text, end.part, end.pin)
        both = frozenset(ends)
        text = f"the wire {wire.start} - {wire.end} "
        if wire.start == wire.end:
            text = f"{text}leads back to where it begins"
            yield CircuitFinding(FindingKind.USELESS_WIRE, wire.line, text, *wire.start)
        elif both in drawn:
            text = f"{text}is already there, in line {drawn[both]}"
            yield CircuitFinding(FindingKind.USELESS_WIRE, wire.line, text, *wire.start)
        drawn.setdefault(both, wire.line)


def _wrong_pin(
    wire: DiagramWire, end: Endpoint, part: DiagramPart, kind: PartType
) -> Iterator[CircuitFinding]:
    if kind.pin_named(end.pin, part.attrs) is not None:
        return
    every = (*(pin.name for pin in kind.pins), *kind.aliases)
    pins = kind.pins_with(part.attrs)
    if kind.aliases.get(end.pin, end.pin) in {pin.name for pin in kind.pins}:
        told = f"has the pin {end.pin} only with other attributes; with these it has"
        told = f"{told} {listed(pins)}"
    else:
        there = [name for name in every if kind.aliases.get(name, name) in pins]
        shown = listed(there, _FEW if len(there) > _MANY else len(there))
        told = f"has no pin {end.pin!r}; it has {shown}"
        told = f"{told}{nearest(end.pin, every)}"
    text = f"{end.part}: {part.type} {told}"
    yield CircuitFinding(FindingKind.UNKNOWN_PIN, wire.line, text, end.part, end.pin)
