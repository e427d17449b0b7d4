"""Kinds of faults that programmers make, put into C wherever they fit.

Each operator looks at one node and yields what could stand in its place.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_embedbench.grading.mutation.syntax import text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tree_sitter import Node

    from pytest_embedbench.grading.mutation.syntax import DeclaredNames, Site

    Variant = tuple[str, Node, str]
    """The operator's name, the node, and what takes its place."""
    Operator = Callable[[Site, DeclaredNames], Iterator[Variant]]

_NUMBER = re.compile(r"([0-9]+)([uUlL]*)")
_TIMES = ("_MS", "_ms")
_RELATIONS: Mapping[str, tuple[str, ...]] = {
    "<": ("<=", ">", ">=", "==", "!="),
    "<=": ("<", ">=", ">", "==", "!="),
    ">": (">=", "<", "<=", "==", "!="),
    ">=": (">", "<=", "<", "==", "!="),
    "==": ("!=",),
    "!=": ("==",),
}
_SWAPS: Mapping[str, str] = {"&&": "||", "||": "&&", "+": "-", "-": "+"}
_UPDATES: Mapping[str, str] = {"++": "--", "--": "++"}
_CONDITIONAL = ("if_statement", "while_statement", "conditional_expression")


def constants(name: str, value: str) -> Iterator[str]:
    """Yield wrong values for a macro.

    They are off by 1 and 5; times by 1 ms, 1 % and 10 %, and by a digit.
    """
    found = _NUMBER.fullmatch(value)
    if found is None:
        return
    number, suffix = int(found[1]), found[2]
    deltas: tuple[int, ...] = (1, 5)
    if name.endswith(_TIMES):
        deltas = (1, *(max(1, number * percent // 100) for percent in (1, 10)))
        yield from (f"{number // 10}{suffix}", f"{number * 10}{suffix}")
    for delta in dict.fromkeys(deltas):
        for wrong in (number - delta, number + delta):
            yield f"{wrong}{suffix}" if wrong >= 0 else f"({wrong})"


def _literal(site: Site, names: DeclaredNames) -> Iterator[Variant]:
    """Numbers in the code are off by one."""
    del names
    node = site.node
    found = _NUMBER.fullmatch(text(node))
    if any(outer.type == "initializer_list" for outer in site.around):
        return
    if node.type == "number_literal" and found is not None:
        for wrong in (int(found[1]) - 1, int(found[1]) + 1):
            if wrong >= 0:
                yield "literal", node, f"{wrong}{found[2]}"


def _threshold(site: Site, names: DeclaredNames) -> Iterator[Variant]:
    """One limit is taken for another, or off by one in one place."""
    node, name = site.node, text(site.node)
    if node.type != "identifier" or not _is_number(name, names):
        return
    for wrong in (f"({name} - 1)", f"({name} + 1)"):
        yield "threshold", node, wrong
    alike = [c for c in names.constants if _is_number(c, names) and _are_alike(name, c)]
    yield from (("threshold", node, other) for other in _next(name, alike))


def _relation(site: Site, names: DeclaredNames) -> Iterator[Variant]:
    """Comparisons in the wrong direction, or wrong about the limit itself."""
    del names
    if site.node.type == "binary_expression":
        sign = _sign(site.node)
        for wrong in _RELATIONS.get(text(sign), ()):
            yield "relation", sign, wrong


def _logic(site: Site, names: DeclaredNames) -> Iterator[Variant]:
    """``&&`` for ``||``, ``+`` for ``-``, or one half of it forgotten."""
    del names
    node = site.node
    if node.type == "update_expression":
        sign = _sign(node)
        yield "arithmetic", sign, _UPDATES[text(sign)]
    if node.type != "binary_expression":
        return
    sign = _sign(node)
    if (swapped := _SWAPS.get(text(sign))) is None:
        return
    kind = "logic" if text(sign) in ("&&", "||") else "arithmetic"
    yield kind, sign, swapped
    for half in (node.child_by_field_name("left"), node.child_by_field_name("right")):
        if half is not None:
            yield kind, node, f"({text(half)})"


def _condition(site: Site, names: DeclaredNames) -> Iterator[Variant]:
    """Conditions that are always true, or never, or negated.

    What negates a comparison is its opposite, which is there already.
    """
    del names
    node = site.node
    condition = node.child_by_field_name("condition")
    if node.type not in _CONDITIONAL or condition is None:
        return
    yield "condition", condition, "(1)"
    yield "condition", condition, "(0)"
    inner = condition.named_children[0] if condition.named_children else condition
    if inner.type != "binary_expression" or text(_sign(inner)) not in _RELATIONS:
        yield "condition", condition, f"(!{text(condition)})"


def _negation(site: Site, names: DeclaredNames) -> Iterator[Variant]:
    """A ``!`` forgotten."""
    del names
    node = site.node
    argument = node.child_by_field_name("argument")
    if node.type == "unary_expression" and text(node).startswith("!") and argument:
        yield "negation", node, f"({text(argument)})"


def _statement(site: Site, names: DeclaredNames) -> Iterator[Variant]:
    """A statement forgotten."""
    del names
    node, outer = site.node, site.around[-1]
    if node.type == "break_statement":
        forgotten = not _ends_switch(site)
    elif node.type == "return_statement":
        forgotten = not node.named_children
    else:
        forgotten = node.type == "expression_statement"
    if forgotten and not _is_whole_if(node, outer):
        yield "statement", node, ";"


def _case(site: Site, names: DeclaredNames) -> Iterator[Variant]:
    """An input that is ignored.

    Where that leaves out a single statement, ``_statement`` has done so.
    """
    del names
    node = site.node
    if node.type != "case_statement":
        return
    statements = [child for child in node.named_children if _is_statement(child)]
    if len(statements) in (1, 2) and statements[-1].type == "break_statement":
        return
    label, _, body = text(node).partition(":")
    yield "case", node, f"{label}: break;{body}"


def _result(site: Site, names: DeclaredNames) -> Iterator[Variant]:
    """A function that always gives the same answer; yes for no."""
    del names
    node = site.node
    if node.type in ("true", "false"):
        yield "boolean", node, "false" if node.type == "true" else "true"
    elif node.type == "return_statement" and site.function.returns == "bool":
        for wrong in ("return true;", "return false;"):
            yield "result", node, wrong


def _word(site: Site, names: DeclaredNames) -> Iterator[Variant]:
    """Words of a line in the wrong case, or with a space too many."""
    del names
    words = text(site.node)[1:-1]
    if site.node.type == "string_literal" and words:
        for wrong in (words.lower(), f" {words}"):
            yield "word", site.node, f'"{wrong}"'


def _enumerator(site: Site, names: DeclaredNames) -> Iterator[Variant]:
    """One state taken for another."""
    node, name = site.node, text(site.node)
    is_label = bool(site.around) and site.around[-1].type == "case_statement"
    if node.type == "identifier" and not is_label:
        for other in _next(name, names.enumerators.get(name, ())):
            yield "enumerator", node, other


def _value(site: Site, names: DeclaredNames) -> Iterator[Variant]:
    """Nothing kept of what should have been; a branch forgotten."""
    del names
    node = site.node
    if node.type == "else_clause":
        yield "branch", node, ";"
    kept = node.child_by_field_name("right")
    if (
        node.type == "assignment_expression"
        and kept is not None
        and kept.type in ("identifier", "field_expression")
        and text(kept).islower()
    ):
        yield "value", kept, "0"


def _member(site: Site, names: DeclaredNames) -> Iterator[Variant]:
    """One actuator, sensor or time stamp taken for another."""
    node = site.node
    owner, member = (node.child_by_field_name(key) for key in ("argument", "field"))
    if node.type != "field_expression" or owner is None or member is None:
        return
    structure = names.members.get(site.function.types.get(text(owner), ""), {})
    for other in structure.get(text(member), ()):
        if other != text(member):
            yield "member", member, other


OPERATORS: tuple[Operator, ...] = (
    _literal,
    _threshold,
    _relation,
    _logic,
    _condition,
    _negation,
    _statement,
    _case,
    _result,
    _word,
    _enumerator,
    _member,
    _value,
)


def _sign(expression: Node) -> Node:
    sign = expression.child_by_field_name("operator")
    assert sign is not None, "such an expression has an operator"
    return sign


def _is_number(name: str, names: DeclaredNames) -> bool:
    return _NUMBER.fullmatch(names.constants.get(name, "")) is not None


def _next(name: str, group: Sequence[str]) -> Iterator[str]:
    """Yield what comes after a name in its group, the first after the last."""
    if name in group and len(group) > 1:
        yield group[(group.index(name) + 1) % len(group)]


def _are_alike(one: str, other: str) -> bool:
    """Say whether two constants begin alike, and both are times or both are not."""
    ours, theirs = (name[: name.find("_") + 1] for name in (one, other))
    return ours == theirs and one.endswith(_TIMES) == other.endswith(_TIMES)


def _is_statement(node: Node) -> bool:
    return node.type.endswith("_statement")


def _ends_switch(site: Site) -> bool:
    """Say whether a statement is the last of a switch: nothing comes after it."""
    case = site.around[-1]
    parent = case.parent
    return (
        case.type == "case_statement"
        and parent is not None
        and parent.named_children[-1] == case
        and case.named_children[-1] == site.node
    )


def _is_whole_if(node: Node, outer: Node) -> bool:
    """Say whether a statement is all that an ``if`` does.

    To forget it is what a condition that is never true does.
    """
    block = node if outer.type == "if_statement" else outer
    condition = block.parent
    return (
        condition is not None
        and condition.type == "if_statement"
        and condition.child_by_field_name("alternative") is None
        and (block == node or len(block.named_children) == 1)
    )
