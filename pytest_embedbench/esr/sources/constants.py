"""The constants that end up as pins, with all places where they are written."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.esr.sources.program import Program
from pytest_embedbench.esr.sources.sinks import PinRole, sinks
from pytest_embedbench.esr.sources.tree import declared, every, field

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tree_sitter import Node

    from pytest_embedbench.esr.board_pins import BoardPins
    from pytest_embedbench.esr.sources.program import Key
    from pytest_embedbench.esr.sources.sinks import Sink
    from pytest_embedbench.esr.sources.tree import Piece

_NUMBER = re.compile(r"(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)[uUlL]*")
_NAMES = (
    *("identifier", "field_expression", "type_identifier"),
    "qualified_identifier",
)
_BOTH_SIDES = ("parenthesized_expression", "cast_expression", "conditional_expression")
_TRANSPARENT = ("pgm_read_byte", "pgm_read_word", "uint8_t", "int")
NO_BOUND = (-1, -1, 0)
"""Of a loop that ends with something else than a number."""


class PinToken(NamedTuple):
    """A number or a name in a file that says a pin.

    ``bound`` is the other end of a loop over pins, which goes along with it.
    """

    file: str
    start: int
    end: int
    text: str
    bound: tuple[int, int, int] | None = None
    """Its first byte, the byte behind it, and the number there."""
    is_inclusive: bool = False
    """Whether the loop goes on to its bound: ``<=``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PinConstant:
    """A constant that is a pin: ``SERVO_PIN`` is ``9`` in ``src/main.cpp``, line 3.

    All ``tokens`` say the same pin; those of a number that is written again and again
    in calls are one constant. ``name`` is that of what is called, then.
    """

    name: str
    pin: str
    roles: frozenset[PinRole]
    calls: frozenset[str]
    tokens: tuple[PinToken, ...]
    file: str
    line: int
    span: tuple[str, ...] = ()
    """The pins that a loop goes over from it on, itself among them."""

    @property
    def group(self) -> str:
        """What it is an element of; ``""`` if it stands alone."""
        array, index, _ = re.split(r"([\[(]\d+[\])])", f"{self.name}[0]", maxsplit=1)
        return array if index and array != self.name else ""

    @property
    def words(self) -> str:
        """Its name without the number of an element, which says nothing."""
        return re.sub(r"[\[(]\d*[\])]", " ", self.name)


class _Found(NamedTuple):
    token: PinToken
    owner: str
    role: PinRole
    call: str


def pin_constants(
    files: Mapping[str, bytes], pins: BoardPins
) -> tuple[PinConstant, ...]:
    """Return the constants of a program, in the order of its files.

    Args:
        files: Its sources in C and C++, by path.
        pins: Those of the board; what says no pin of it is left out.
    """
    program = Program(files)
    found: defaultdict[PinToken, list[_Found]] = defaultdict(list)
    for sink in sinks(program):
        for token, owner in _roots(program, sink.piece, sink, frozenset()):
            found[token].append(_Found(token, owner, sink.role, sink.call))
    groups: defaultdict[tuple[str, str, str], list[_Found]] = defaultdict(list)
    for token, uses in found.items():
        roles = {use.role for use in uses}
        pin = pin_said(token.text, roles, pins)
        if pin:
            owner = next((use.owner for use in uses if use.owner), "")
            where = f"{token.file}:{token.start}" if owner else _side(roles)
            groups[owner, where, pin] += uses
    constants = [
        _constant(pin, uses, files, pins) for (_, _, pin), uses in groups.items()
    ]
    order = {name: index for index, name in enumerate(files)}
    return tuple(sorted(constants, key=lambda it: (order[it.file], it.tokens[0].start)))


def pin_said(text: str, roles: set[PinRole], pins: BoardPins) -> str:
    """Return the pin that a number or a name says; ``""`` if it is none."""
    number = _NUMBER.fullmatch(text)
    if not number:
        return pins.by_name.get(text, "")
    digits: str = number[1]
    is_octal = digits.isdigit() and digits.startswith("0")
    value = int(digits, 8 if is_octal else 0)
    if roles == {PinRole.MEASURE}:
        return pins.of_channel(value)
    if roles == {PinRole.INTERRUPT}:
        return pins.of_interrupt(value)
    return pins.at(value)


def _constant(
    pin: str, uses: list[_Found], files: Mapping[str, bytes], pins: BoardPins
) -> PinConstant:
    tokens = tuple(dict.fromkeys(use.token for use in uses))
    first = min(tokens, key=lambda it: (it.file, it.start))
    owner = next((use.owner for use in uses if use.owner), "")
    return PinConstant(
        name=owner or f"{uses[0].call}()",
        pin=pin,
        roles=frozenset(use.role for use in uses),
        calls=frozenset(use.call for use in uses),
        tokens=tokens,
        file=first.file,
        line=files[first.file][: first.start].count(b"\n") + 1,
        span=_span(pin, first, pins),
    )


def _span(pin: str, token: PinToken, pins: BoardPins) -> tuple[str, ...]:
    if token.bound is None or token.bound == NO_BOUND:
        return ()
    first, last = pins.number(pin), token.bound[2] - (not token.is_inclusive)
    if last < first:
        first, last = last, first
    return tuple(filter(None, map(pins.at, range(first, last + 1))))


def _side(roles: set[PinRole]) -> str:
    """Keep apart numbers in calls that drive and in calls that read."""
    for role in (PinRole.MEASURE, PinRole.READ, PinRole.INTERRUPT):
        if roles == {role}:
            return str(role.value)
    return str(PinRole.DRIVE.value)


def _roots(
    program: Program, piece: Piece, sink: Sink, seen: frozenset[Key]
) -> Iterator[tuple[PinToken, str]]:
    """Yield where a value comes from: numbers, names of the core, and their owners."""
    node = piece.node
    if node.type == "number_literal":
        yield _token(piece), piece.owner
    elif node.type in _NAMES:
        yield from _of_variable(program, piece, sink, seen)
    elif node.type == "subscript_expression":
        yield from _of_element(program, piece, sink, seen)
    elif node.type == "binary_expression":
        yield from _of_sum(program, piece, sink, seen)
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
    program: Program, piece: Piece, sink: Sink, seen: frozenset[Key]
) -> Iterator[tuple[PinToken, str]]:
    array = field(piece.node, "argument")
    if array is not None:
        yield from _of_key(program, program.variable(piece.at(array)), sink, seen)


def _of_variable(
    program: Program, piece: Piece, sink: Sink, seen: frozenset[Key]
) -> Iterator[tuple[PinToken, str]]:
    start = _start_of_its_loop(piece)
    if start is not None:
        yield from _roots(program, start, sink, seen)
        return
    last = _last_of(piece)
    if last is not None:
        yield from _of_key(program, program.variable(last), sink, seen)
    key = program.variable(piece)
    if key in program.values or key in program.elements:
        yield from _of_key(program, key, sink, seen)
    elif piece.node.type != "field_expression":
        yield _token(piece), piece.owner


def _start_of_its_loop(piece: Piece) -> Piece | None:
    """Return what a loop's variable starts at, of the innermost loop that has it."""
    node, name = piece.node.parent, piece.text
    while node is not None and piece.node.type == "identifier":
        start = field(node, "initializer") if node.type == "for_statement" else None
        if start is not None and not _contains(start, piece.node):
            for one in every(start, "init_declarator"):
                value = field(one, "value")
                if declared(one)[0] == name and value is not None:
                    return piece.at(value, name)
        node = node.parent
    return None


def _contains(outer: Node, inner: Node) -> bool:
    return outer.start_byte <= inner.start_byte < outer.end_byte


def _of_key(
    program: Program, key: Key, sink: Sink, seen: frozenset[Key]
) -> Iterator[tuple[PinToken, str]]:
    if key in seen:
        return
    for value in (*program.values.get(key, ()), *program.elements.get(key, ())):
        yield from _roots(program, value, sink, seen | {key})


def _of_sum(
    program: Program, piece: Piece, sink: Sink, seen: frozenset[Key]
) -> Iterator[tuple[PinToken, str]]:
    """Take of ``FIRST + i`` the constant that the pins begin at."""
    left, right = field(piece.node, "left"), field(piece.node, "right")
    sign = field(piece.node, "operator")
    if left is None or right is None or sign is None or sign.text not in (b"+", b"-"):
        return
    for one in (left, right):
        found = list(_roots(program, piece.at(one), sink, seen))
        counts = [token.bound for token, _ in found]
        if found and not any(counts):
            yield from found
            return


def _of_call(
    program: Program, piece: Piece, sink: Sink, seen: frozenset[Key]
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


def _token(piece: Piece) -> PinToken:
    condition = _loop_of(piece)
    sign = field(condition, "operator") if condition is not None else None
    is_inclusive = sign is not None and sign.text in (b"<=", b">=")
    bound = _bound(piece)
    said = piece.file, piece.start, piece.end, piece.text
    return PinToken(*said, bound, is_inclusive)


def _loop_of(piece: Piece) -> Node | None:
    """Return the condition of the loop that a value starts, if it does."""
    node = piece.node.parent
    while node is not None and node.type in ("init_declarator", "declaration"):
        node = node.parent
    if node is None or node.type != "for_statement":
        return None
    return field(node, "condition")


def _bound(piece: Piece) -> tuple[int, int, int] | None:
    condition = _loop_of(piece)
    if condition is None:
        return None
    bound = field(condition, "right")
    number = _NUMBER.fullmatch((bound.text or b"").decode()) if bound else None
    if bound is None or number is None:
        return NO_BOUND
    first, last = bound.start_byte + piece.offset, bound.end_byte + piece.offset
    return first, last, int(number[1], 0)


def _last_of(piece: Piece) -> Piece | None:
    """Return what a loop over pins ends with, if that has a name: ``i <= LAST``."""
    condition = _loop_of(piece)
    if condition is None:
        return None
    sign, bound = field(condition, "operator"), field(condition, "right")
    if sign is None or bound is None or sign.text not in (b"<=", b">="):
        return None
    return piece.at(bound) if bound.type == "identifier" else None
