"""The constants that end up as pins, with all places where they are written."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from pytest_embedbench.esr.sources.counted import counted, counts_of
from pytest_embedbench.esr.sources.grouping import PinMention, grouped
from pytest_embedbench.esr.sources.loops import (
    NUMBER,
    bound_of,
    last_of,
    loop_of,
    start_of_its_loop,
)
from pytest_embedbench.esr.sources.pin_constant import PinToken, SourceConstant
from pytest_embedbench.esr.sources.program import Program
from pytest_embedbench.esr.sources.sinks import ArgumentRole, sinks
from pytest_embedbench.esr.sources.tree import argument_of, field

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_embedbench.esr.board_pins import BoardPins
    from pytest_embedbench.esr.sources.program import Key
    from pytest_embedbench.esr.sources.sinks import Sink
    from pytest_embedbench.esr.sources.tree import SourcePiece

_NAMES = (
    *("identifier", "field_expression", "type_identifier"),
    "qualified_identifier",
)
_BOTH_SIDES = ("parenthesized_expression", "cast_expression", "conditional_expression")
_TRANSPARENT = ("pgm_read_byte", "pgm_read_word", "uint8_t", "int")


def pin_constants(
    files: Mapping[str, bytes], pins: BoardPins
) -> tuple[SourceConstant, ...]:
    """Return the constants of a program, in the order of its files.

    Args:
        files: Its sources in C and C++, by path.
        pins: Those of the board; what says no pin of it is left out.
    """
    program = Program(files)
    found: defaultdict[PinToken, list[PinMention]] = defaultdict(list)
    for sink in sinks(program):
        for token, owner in _roots(program, sink.piece, sink, frozenset()):
            found[token].append(PinMention(token, owner, sink.role, sink.call))
    return grouped(found, files, lambda token, roles: _pin_of(token, roles, pins), pins)


def _pin_of(token: PinToken, roles: set[ArgumentRole], pins: BoardPins) -> str:
    pin = pin_said(token.text, roles, pins)
    return pins.at(pins.number(pin) - token.over) if pin and token.over else pin


def pin_said(text: str, roles: set[ArgumentRole], pins: BoardPins) -> str:
    """Return the pin that a number or a name says; ``""`` if it is none."""
    number = NUMBER.fullmatch(text)
    if not number:
        return pins.by_name.get(text, "")
    digits: str = number[1]
    is_octal = digits.isdigit() and digits.startswith("0")
    value = int(digits, 8 if is_octal else 0)
    if roles == {ArgumentRole.MEASURE}:
        return pins.of_channel(value)
    if roles == {ArgumentRole.INTERRUPT}:
        return pins.of_interrupt(value)
    return pins.at(value)


def _roots(
    program: Program, piece: SourcePiece, sink: Sink, seen: frozenset[Key]
) -> Iterator[tuple[PinToken, str]]:
    """Yield where a value comes from: numbers, names of the core, and their owners."""
    node = piece.node
    if node.type == "number_literal":
        yield _token(piece), piece.owner
    elif node.type in _NAMES:
        yield from _of_variable(program, piece, sink, seen)
    elif node.type == "subscript_expression":
        yield from _of_element(program, piece, sink, seen)
    elif node.type in ("binary_expression", "enumerator"):
        yield from _of_count(program, piece, sink, seen)
    elif node.type in _BOTH_SIDES:
        for child in node.named_children:
            if child is not field(node, "condition"):
                yield from _roots(program, piece.at(child), sink, seen)
    elif node.type == "call_expression":
        yield from _of_call(program, piece, sink, seen)
    elif node.type == "pointer_expression":
        inner = field(node, "argument")
        if inner is not None:
            yield from _roots(program, piece.at(inner), sink, seen)


def _of_element(
    program: Program, piece: SourcePiece, sink: Sink, seen: frozenset[Key]
) -> Iterator[tuple[PinToken, str]]:
    array = field(piece.node, "argument")
    if array is not None:
        yield from _of_key(program, program.variable(piece.at(array)), sink, seen)


def _of_variable(
    program: Program, piece: SourcePiece, sink: Sink, seen: frozenset[Key]
) -> Iterator[tuple[PinToken, str]]:
    start = start_of_its_loop(piece)
    if start is not None:
        yield from _roots(program, start, sink, seen)
        return
    last = last_of(piece)
    if last is not None and last[0].node.type == "identifier":
        bound, over = last
        for token, owner in _of_key(program, program.variable(bound), sink, seen):
            yield token._replace(over=over), owner
    key = program.variable(piece)
    if key in program.values or key in program.elements:
        yield from _of_key(program, key, sink, seen)
    elif piece.node.type != "field_expression":
        yield _token(piece), piece.owner


def _of_key(
    program: Program, key: Key, sink: Sink, seen: frozenset[Key]
) -> Iterator[tuple[PinToken, str]]:
    if key in seen:
        return
    for value in (*program.values.get(key, ()), *program.elements.get(key, ())):
        yield from _roots(program, value, sink, seen | {key})


def _of_count(
    program: Program, piece: SourcePiece, sink: Sink, seen: frozenset[Key]
) -> Iterator[tuple[PinToken, str]]:
    """Take what is counted from constants as one of its own."""
    value = counted(program, piece)
    if value is None:
        yield from _of_sum(program, piece, sink, seen)
    elif piece.node.type == "enumerator":
        file, end = value.place
        token = PinToken(file, end, end, value.text, before=" = ", bases=value.bases)
        yield token, piece.owner
    else:
        yield _token(piece)._replace(text=value.text, bases=value.bases), piece.owner


def _of_sum(
    program: Program, piece: SourcePiece, sink: Sink, seen: frozenset[Key]
) -> Iterator[tuple[PinToken, str]]:
    """Take of ``FIRST + i`` the constant that the pins begin at."""
    left, right = field(piece.node, "left"), field(piece.node, "right")
    sign = field(piece.node, "operator")
    if left is None or right is None or sign is None or sign.text not in (b"+", b"-"):
        return
    for one, other in ((left, right), (right, left)):
        found = list(_roots(program, piece.at(one), sink, seen))
        counts = [token.bound for token, _ in found]
        if found and not any(counts):
            reach = counts_of(program, piece.at(other)) if sign.text == b"+" else None
            for token, owner in found:
                yield token._replace(reach=reach), owner
            return


def _of_call(
    program: Program, piece: SourcePiece, sink: Sink, seen: frozenset[Key]
) -> Iterator[tuple[PinToken, str]]:
    """Take what a function returns; of the core's, those that stand for a pin."""
    function = field(piece.node, "function")
    name = (function.text or b"").decode() if function is not None else ""
    given = field(piece.node, "arguments")
    if name in _TRANSPARENT and given is not None:
        for child in given.named_children:
            yield from _roots(program, piece.at(child), sink, seen)
    for value in program.returned(name):
        yield from _roots(program, value, sink, seen)


def _token(piece: SourcePiece) -> PinToken:
    condition = loop_of(piece)
    sign = field(condition, "operator") if condition is not None else None
    is_inclusive = sign is not None and sign.text in (b"<=", b">=")
    bound = bound_of(piece)
    said = piece.file, piece.start, piece.end, piece.text
    return PinToken(*said, bound, is_inclusive, argument=argument_of(piece))
