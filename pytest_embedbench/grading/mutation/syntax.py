"""C as a tree: what a file says, node by node, and which names belong together.

The parser is tree-sitter's, which takes files as they are written: macros stay macros,
and every node knows its bytes.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ToolMissing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tree_sitter import Node

_INSTALL = "pip install 'pytest-embedbench[mutate]'"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredNames:
    """The names that can be taken for one another by mistake.

    ``constants`` are macros with their values; ``enumerators`` maps each to its whole
    enumeration; ``members`` maps a structure's name to its members, and each of them
    to all of the same type.
    """

    constants: Mapping[str, str] = field(default_factory=dict[str, str])
    enumerators: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict[str, tuple[str, ...]]
    )
    members: Mapping[str, Mapping[str, tuple[str, ...]]] = field(
        default_factory=dict[str, "Mapping[str, tuple[str, ...]]"]
    )


@dataclass(frozen=True, slots=True)
class Site:
    """A node in a function, and what is around it, from the body inwards."""

    node: Node
    function: Function
    around: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """A function's name, the type it returns, and those of its variables by name."""

    name: str
    returns: str
    types: Mapping[str, str]


def parse(source: bytes) -> Node:
    """Return the root of a file's tree; what is no C is in it as an error node.

    Raises:
        ToolMissing: tree-sitter is not installed.
    """
    try:
        import tree_sitter_c  # noqa: PLC0415  # an optional dependency
        from tree_sitter import Language, Parser  # noqa: PLC0415
    except ImportError as error:
        raise ToolMissing("embedbench mutate", "tree-sitter", _INSTALL) from error
    return Parser(Language(tree_sitter_c.language())).parse(source).root_node


def text(node: Node) -> str:
    """Return what a node says."""
    return (node.text or b"").decode()


def every(node: Node, kind: str) -> Iterator[Node]:
    """Yield the nodes of a kind, in the order of the file."""
    if node.type == kind:
        yield node
    for child in node.children:
        yield from every(child, kind)


def sites(root: Node) -> Iterator[Site]:
    """Yield every node of every function's body, in the order of the file."""
    for definition in every(root, "function_definition"):
        body = definition.child_by_field_name("body")
        if body is not None:
            yield from _inside(body, _function(definition), (body,))


def names_in(*roots: Node) -> DeclaredNames:
    """Return the names that files of a program have in common."""
    constants: dict[str, str] = {}
    enumerators: dict[str, tuple[str, ...]] = {}
    members: dict[str, Mapping[str, tuple[str, ...]]] = {}
    for root in roots:
        for node in every(root, "preproc_def"):
            name, value = (node.child_by_field_name(key) for key in ("name", "value"))
            if name is not None and value is not None:
                constants[text(name)] = text(value)
        for node in every(root, "enumerator_list"):
            group = tuple(
                _first(one, "identifier") for one in every(node, "enumerator")
            )
            enumerators |= dict.fromkeys(group, group)
        for node in every(root, "type_definition"):
            for structure in every(node, "field_declaration_list"):
                declared = node.child_by_field_name("declarator")
                assert declared is not None, "a type definition has a name"
                members[text(declared)] = _alike(structure)
    return DeclaredNames(constants=constants, enumerators=enumerators, members=members)


def _inside(node: Node, function: Function, around: tuple[Node, ...]) -> Iterator[Site]:
    for child in node.children:
        yield Site(child, function, around)
        yield from _inside(child, function, (*around, child))


def _function(definition: Node) -> Function:
    declarator = next(every(definition, "function_declarator"))
    types = {
        _first(declaration, "identifier"): _first(declaration, "type_identifier")
        for kind in ("parameter_declaration", "declaration")
        for declaration in every(definition, kind)
    }
    # What is returned through a pointer is never a plain answer.
    returned = definition.child_by_field_name("type")
    plain = definition.child_by_field_name("declarator") == declarator
    return Function(
        name=_first(declarator, "identifier"),
        returns=text(returned) if returned is not None and plain else "",
        types=types,
    )


def _first(node: Node, kind: str) -> str:
    return next((text(found) for found in every(node, kind)), "")


def _alike(structure: Node) -> dict[str, tuple[str, ...]]:
    """Return each member of a structure with those of its type, itself included."""
    by_type: defaultdict[str, list[str]] = defaultdict(list)
    for declaration in structure.named_children:
        kind = declaration.child_by_field_name("type")
        if kind is not None:
            names = [text(node) for node in every(declaration, "field_identifier")]
            by_type[text(kind)].extend(names)
    return {name: tuple(group) for group in by_type.values() for name in group}
