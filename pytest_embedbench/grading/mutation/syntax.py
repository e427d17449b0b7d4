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

_TIME = "uint32_t"
"""What the tasks' controllers count milliseconds in."""
_INSTALL = "pip install 'pytest-embedbench[mutate]'"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredNames:
    """The names that can be taken for one another by mistake.

    ``constants`` are macros with their values; ``enumerators`` maps each to its whole
    enumeration; ``members`` maps a structure's name to its members, and each of them
    to all of the same type, and ``kinds`` to the types of its members.
    """

    constants: Mapping[str, str] = field(default_factory=dict[str, str])
    enumerators: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict[str, tuple[str, ...]]
    )
    members: Mapping[str, Mapping[str, tuple[str, ...]]] = field(
        default_factory=dict[str, "Mapping[str, tuple[str, ...]]"]
    )
    kinds: Mapping[str, Mapping[str, str]] = field(
        default_factory=dict[str, "Mapping[str, str]"]
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
            yield from _inside(body, function_of(definition), (body,))


def names_in(*roots: Node) -> DeclaredNames:
    """Return the names that files of a program have in common."""
    constants: dict[str, str] = {}
    enumerators: dict[str, tuple[str, ...]] = {}
    members: dict[str, Mapping[str, tuple[str, ...]]] = {}
    kinds: dict[str, Mapping[str, str]] = {}
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
                kinds[text(declared)] = types = _types(structure)
                members[text(declared)] = _alike(types)
    return DeclaredNames(
        constants=constants, enumerators=enumerators, members=members, kinds=kinds
    )


def is_time(node: Node, site: Site, names: DeclaredNames) -> bool:
    """Say whether a name, or a member of something, is of the type of all times."""
    owner, member = (node.child_by_field_name(key) for key in ("argument", "field"))
    if owner is not None and member is not None:
        types = names.kinds.get(site.function.types.get(text(owner), ""), {})
        return types.get(text(member)) == _TIME
    return site.function.types.get(text(node)) == _TIME


def _inside(node: Node, function: Function, around: tuple[Node, ...]) -> Iterator[Site]:
    for child in node.children:
        yield Site(child, function, around)
        yield from _inside(child, function, (*around, child))


def function_of(definition: Node) -> Function:
    """Return what a definition says of its function."""
    declarator = next(every(definition, "function_declarator"))
    types = {
        _first(declaration, "identifier"): _kind(declaration)
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


def _kind(declaration: Node) -> str:
    kind = declaration.child_by_field_name("type")
    return text(kind) if kind is not None else ""


def _first(node: Node, kind: str) -> str:
    return next((text(found) for found in every(node, kind)), "")


def _types(structure: Node) -> dict[str, str]:
    """Return the members of a structure with their types."""
    types: dict[str, str] = {}
    for declaration in structure.named_children:
        kind = declaration.child_by_field_name("type")
        if kind is not None:
            names = (text(node) for node in every(declaration, "field_identifier"))
            types |= dict.fromkeys(names, text(kind))
    return types


def _alike(types: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Return each member of a structure with those of its type, itself included."""
    by_type: defaultdict[str, list[str]] = defaultdict(list)
    for name, kind in types.items():
        by_type[kind].append(name)
    return {name: tuple(group) for group in by_type.values() for name in group}
