"""Faults of thought that tired engineers make, put into C wherever they fit.

Beside the slips of ``operators``: each of these compiles, reads well, and is right for
the first seconds of a test.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_embedbench.grading.mutation.syntax import is_time, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tree_sitter import Node

    from pytest_embedbench.grading.mutation.operators import Operator, Variant
    from pytest_embedbench.grading.mutation.syntax import DeclaredNames, Site

_NARROWER: Mapping[str, tuple[str, ...]] = {
    "uint32_t": ("uint16_t", "uint8_t", "int16_t", "float"),
    "int32_t": ("int16_t", "int8_t"),
    "uint16_t": ("uint8_t",),
    "int16_t": ("int8_t", "uint8_t"),
    "unsigned": ("uint8_t",),
    "size_t": ("uint8_t",),
    "int": ("int8_t", "uint8_t"),
    "long": ("int", "int16_t"),
}
"""Types that hold less than a declaration's; ``int`` is one on a chip of 8 bits."""
_NARROW_CASTS = ("int", "int16_t", "uint16_t", "uint8_t")
_WHILE_MS = (60_000, 65_536)
_TIMES = 200
"""More often than a test of some seconds lets a rule hold."""
_CONSTANTS = ("number_literal", "true", "false")
_RELATIONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
_TICK_MS = 10
_PARSERS: Mapping[str, str] = {
    "isdigit": "isxdigit",
    "isspace": "isblank",
    "isblank": "isspace",
    "strcmp": "strcasecmp",
    "strtol": "strtoul",
    "strtoul": "strtol",
    "atoi": "(int)strtof",
}
"""What takes text for almost the same; the base of a number is ``_parsing``'s."""
_BASE = re.compile(r"10[uU]?")


def narrower(kind: str) -> tuple[str, ...]:
    """Return types too narrow for what a declaration's type can hold."""
    return _NARROWER.get(kind, ())


def _cast(site: Site, names: DeclaredNames) -> Iterator[Variant]:
    """A difference of times cut to fewer bits on its way."""
    node = site.node
    if _is_difference(site, names):
        for kind in _NARROW_CASTS:
            yield "cast", node, f"({kind})({text(node)})"


def _float(site: Site, names: DeclaredNames) -> Iterator[Variant]:
    """Times in ``float``, which after hours knows no single milliseconds."""
    node = site.node
    if _is_difference(site, names):
        left, right = _sides(node)
        yield "float", node, f"((float)({left}) - (float)({right}))"
        yield "float", node, f"(({left}) / 1000.0f - ({right}) / 1000.0f) * 1000.0f"


def _rounding(site: Site, names: DeclaredNames) -> Iterator[Variant]:
    """Times compared in coarser units, to make them fit."""
    node = site.node
    sign = node.child_by_field_name("operator")
    if node.type != "binary_expression" or sign is None or text(sign) not in _RELATIONS:
        return
    left, right = _sides(node)
    if any(_is_span(side, site, names) for side in _side_nodes(node)):
        for unit in (_TICK_MS, 1000):
            wrong = f"({left}) / {unit} {text(sign)} ({right}) / {unit}"
            yield "rounding", node, wrong


def _deadline(site: Site, names: DeclaredNames) -> Iterator[Variant]:
    """A signed difference, or a deadline that runs over, for a time that has passed."""
    node = site.node
    if not _is_difference(site, names):
        return
    outer = site.around[-1]
    sign = outer.child_by_field_name("operator")
    limit = outer.child_by_field_name("right")
    if outer.type == "binary_expression" and sign is not None and limit is not None:
        now, since = _sides(node)
        if outer.child_by_field_name("left") == node and text(sign) in _RELATIONS:
            wrong = f"(int16_t)({now}) {text(sign)} (int16_t)({since} + {text(limit)})"
            yield "deadline", outer, wrong
            wrong = f"({now}) {text(sign)} (uint16_t)({since} + {text(limit)})"
            yield "deadline", outer, wrong


def _sentinel(site: Site, names: DeclaredNames) -> Iterator[Variant]:
    """A value that stands for "none yet" in place of a flag: 0, and -1."""
    node = site.node
    owner, member = (node.child_by_field_name(key) for key in ("argument", "field"))
    if node.type != "field_expression" or owner is None or member is None:
        return
    kind = site.function.types.get(text(owner), "")
    members = names.members.get(kind, {})
    if names.kinds.get(kind, {}).get(text(member)) != "bool" or _is_written(site):
        return
    arrow = text(node)[len(text(owner)) : -len(text(member))]
    for other in members:
        if names.kinds[kind][other] not in ("bool", kind) and other.startswith("last"):
            yield "sentinel", node, f"({text(owner)}{arrow}{other} != 0)"


def _kept(site: Site, names: DeclaredNames) -> Iterator[Variant]:
    """A variable that remembers what it was at the last call."""
    del names
    node = site.node
    if node.type != "declaration" or text(node).startswith(("static", "const")):
        return
    value = next(
        (
            c.child_by_field_name("value")
            for c in node.named_children
            if c.type == "init_declarator"
        ),
        None,
    )
    if value is not None and value.type in ("number_literal", "true", "false"):
        yield "kept", node, f"static {text(node)}"


def _expires(site: Site, names: DeclaredNames) -> Iterator[Variant]:
    """A rule that ends after a while, or after some times that it has held."""
    node = site.node
    condition = node.child_by_field_name("condition")
    if node.type != "if_statement" or condition is None or "NULL" in text(condition):
        return
    inner = text(condition)
    counted = f"({{ static uint8_t times; times < {_TIMES}U && ++times; }})"
    yield "expiry", condition, f"({inner} && {counted})"
    now = next(iter(_nows(site, names)), None)
    for limit_ms in _WHILE_MS if now is not None else ():
        yield "expiry", condition, f"({inner} && {now} < {limit_ms}U)"


def _early(site: Site, names: DeclaredNames) -> Iterator[Variant]:
    """What is checked is used before it is checked."""
    del names
    node = site.node
    after = node.next_named_sibling
    if node.type != "if_statement" or after is None:
        return
    if after.type == "expression_statement":
        block = site.around[-1]
        start, end = (at - block.start_byte for at in (node.start_byte, after.end_byte))
        whole = text(block).encode()
        swapped = f"{text(after)}\n{text(node)}".encode()
        yield "order", block, (whole[:start] + swapped + whole[end:]).decode()


def _parsing(site: Site, names: DeclaredNames) -> Iterator[Variant]:
    """Text read by other rules: of a locale, of another base, of either case."""
    del names
    node = site.node
    called = node.child_by_field_name("function")
    given = node.child_by_field_name("arguments")
    if node.type != "call_expression" or called is None or given is None:
        return
    if (other := _PARSERS.get(text(called))) is not None:
        yield "parsing", called, other
    for argument in given.named_children:
        if text(called).startswith("strto") and _BASE.fullmatch(text(argument)):
            yield "parsing", argument, "0"


HABITS: tuple[Operator, ...] = (
    _cast,
    _float,
    _rounding,
    _deadline,
    _sentinel,
    _kept,
    _expires,
    _early,
    _parsing,
)


def _is_difference(site: Site, names: DeclaredNames) -> bool:
    """Say whether a site is one time less another."""
    return _is_span(site.node, site, names)


def _is_span(node: Node, site: Site, names: DeclaredNames) -> bool:
    """Say whether a node is one time less another."""
    sign = node.child_by_field_name("operator")
    return (
        node.type == "binary_expression"
        and sign is not None
        and text(sign) == "-"
        and all(is_time(side, site, names) for side in _side_nodes(node))
    )


def _side_nodes(node: Node) -> list[Node]:
    found = (node.child_by_field_name(key) for key in ("left", "right"))
    return [side for side in found if side is not None]


def _sides(node: Node) -> tuple[str, str]:
    left, right = map(text, _side_nodes(node))
    return left, right


def _is_written(site: Site) -> bool:
    """Say whether a node is what an assignment changes."""
    outer = site.around[-1]
    return (
        outer.type == "assignment_expression"
        and outer.child_by_field_name("left") == site.node
    )


def _nows(site: Site, names: DeclaredNames) -> Iterator[str]:
    """Yield how a function calls the time that it is: a parameter, or part of one."""
    for variable, kind in site.function.types.items():
        if variable == "now_ms":
            yield variable
        elif "now_ms" in names.members.get(kind, {}):
            yield f"{variable}.now_ms"
