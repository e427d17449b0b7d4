"""Pins that are counted from others: ``(KEY + 1)``, and what follows in an ``enum``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.esr.sources.loops import NUMBER, last_of, start_of_its_loop
from pytest_embedbench.esr.sources.tree import field

if TYPE_CHECKING:
    from pytest_embedbench.esr.sources.program import Program
    from pytest_embedbench.esr.sources.tree import SourcePiece

Place = tuple[str, int]
"""A file, and a byte of it."""
_NAMES = ("identifier", "type_identifier", "qualified_identifier")
_ANALOG = re.compile(r"A(\d+)")


class CountedPin(NamedTuple):
    """What an expression of constants comes to.

    ``row`` is ``A`` for analog pins by name. ``place`` is where it is written;
    ``bases`` is where that is written which it is counted from, the nearest first.
    """

    row: str
    number: int
    place: Place
    bases: tuple[Place, ...] = ()

    @property
    def text(self) -> str:
        """What would say the same."""
        return f"{self.row}{self.number}"


def counted(program: Program, piece: SourcePiece, depth: int = 20) -> CountedPin | None:
    """Return what an expression comes to; ``None`` if it is not one of constants.

    ``depth`` bounds names that are said by names.
    """
    kind = "name" if piece.node.type in _NAMES else piece.node.type
    reader = _READERS.get(kind)
    return reader(program, piece, depth) if reader is not None and depth else None


def counts_of(program: Program, piece: SourcePiece) -> tuple[int, int] | None:
    """Return the first and the last of what a loop's variable counts, if known."""
    start = start_of_its_loop(piece)
    last = last_of(start) if start is not None else None
    if start is None or last is None:
        return None
    first, (end, over) = counted(program, start), last
    bound = counted(program, end)
    if first is None or bound is None or first.row or bound.row:
        return None
    return first.number, bound.number - over


def _of_number(_: Program, piece: SourcePiece, __: int) -> CountedPin | None:
    number = NUMBER.fullmatch(piece.text)
    if number is None:
        return None
    digits: str = number[1]
    is_octal = digits.isdigit() and digits.startswith("0")
    return CountedPin("", int(digits, 8 if is_octal else 0), _place(piece))


def _of_inside(program: Program, piece: SourcePiece, depth: int) -> CountedPin | None:
    inner = field(piece.node, "value") or next(iter(piece.node.named_children), None)
    return counted(program, piece.at(inner), depth - 1) if inner is not None else None


def _place(piece: SourcePiece) -> Place:
    return piece.file, piece.start


def _of_name(program: Program, piece: SourcePiece, depth: int) -> CountedPin | None:
    key = program.variable(piece)
    values = program.values.get(key, [])
    if not values and (analog := _ANALOG.fullmatch(piece.text)):
        return CountedPin("A", int(analog[1]), _place(piece))
    if key[0] or len(values) != 1 or key in program.elements:
        return None
    return counted(program, values[0], depth - 1)


def _of_sum(program: Program, piece: SourcePiece, depth: int) -> CountedPin | None:
    left, right = field(piece.node, "left"), field(piece.node, "right")
    sign = field(piece.node, "operator")
    if left is None or right is None or sign is None or sign.text not in (b"+", b"-"):
        return None
    one = counted(program, piece.at(left), depth - 1)
    other = counted(program, piece.at(right), depth - 1)
    if one is None or other is None or other.row:
        return None
    by = other.number if sign.text == b"+" else -other.number
    bases = (*_named(one, piece), *(_named(other, piece) if by >= 0 else ()))
    return CountedPin(one.row, one.number + by, _place(piece), bases)


def _named(operand: CountedPin, piece: SourcePiece) -> tuple[Place, ...]:
    """Return what an operand is counted from; itself, if that is written elsewhere."""
    file, start = operand.place
    is_inside = file == piece.file and piece.start <= start < piece.end
    return operand.bases if is_inside else (operand.place, *operand.bases)


def _of_enumerator(
    program: Program, piece: SourcePiece, depth: int
) -> CountedPin | None:
    """Count one without a value from the one before it."""
    place = (piece.file, piece.end)
    before = piece.node.prev_named_sibling
    while before is not None and before.type != "enumerator":
        before = before.prev_named_sibling
    if before is None:
        return CountedPin("", 0, place)
    value = field(before, "value") or before
    last = counted(program, piece.at(value), depth - 1)
    if last is None:
        return None
    return CountedPin(last.row, last.number + 1, place, (last.place, *last.bases))


_READERS = {
    "number_literal": _of_number,
    "parenthesized_expression": _of_inside,
    "cast_expression": _of_inside,
    "name": _of_name,
    "binary_expression": _of_sum,
    "enumerator": _of_enumerator,
}
