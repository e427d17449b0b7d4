"""Loops over pins: where they begin and end, and which variable is theirs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_embedbench.esr.sources.tree import declared, every, field

if TYPE_CHECKING:
    from tree_sitter import Node

    from pytest_embedbench.esr.sources.tree import SourcePiece

NUMBER = re.compile(r"(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)[uUlL]*")
_OVER = {b"<=": 0, b">=": 0, b"<": 1, b">": -1}
NO_BOUND = (-1, -1, 0)
"""Of a loop that ends with something else than a number."""


def start_of_its_loop(piece: SourcePiece) -> SourcePiece | None:
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


def loop_of(piece: SourcePiece) -> Node | None:
    """Return the condition of the loop that a value starts, if it does."""
    node = piece.node.parent
    while node is not None and node.type in ("init_declarator", "declaration"):
        node = node.parent
    if node is None or node.type != "for_statement":
        return None
    return field(node, "condition")


def bound_of(piece: SourcePiece) -> tuple[int, int, int] | None:
    """Return first byte, end and value of the number that its loop ends with."""
    condition = loop_of(piece)
    if condition is None:
        return None
    bound = field(condition, "right")
    number = NUMBER.fullmatch((bound.text or b"").decode()) if bound else None
    if bound is None or number is None:
        return NO_BOUND
    first, last = bound.start_byte + piece.offset, bound.end_byte + piece.offset
    return first, last, int(number[1], 0)


def last_of(piece: SourcePiece) -> tuple[SourcePiece, int] | None:
    """Return what a loop ends with: ``i <= LAST``.

    With it comes by how much it is beyond the last pin: 1 for ``i < END``.
    """
    condition = loop_of(piece)
    if condition is None:
        return None
    sign, bound = field(condition, "operator"), field(condition, "right")
    over = _OVER.get(sign.text or b"") if sign is not None else None
    if over is None or bound is None:
        return None
    return piece.at(bound), over


def _contains(outer: Node, inner: Node) -> bool:
    return outer.start_byte <= inner.start_byte < outer.end_byte
