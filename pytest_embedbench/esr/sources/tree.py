"""C++ as a tree, and pieces of it that know their file and their place there."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.errors import ToolMissing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node, Parser

_INSTALL = "pip install 'pytest-embedbench[esr]'"
_WRAP = b"auto x="


class SourcePiece(NamedTuple):
    """A node of a file; ``scope`` is the function that it is in.

    ``offset`` is what its bytes are away from those of the file: a macro's value is
    parsed apart. ``owner`` is what it is the value of.
    """

    node: Node
    file: str
    scope: str = ""
    offset: int = 0
    owner: str = ""

    @property
    def text(self) -> str:
        """What it says."""
        return (self.node.text or b"").decode("utf-8", "replace")

    @property
    def start(self) -> int:
        """Its first byte in its file."""
        return self.node.start_byte + self.offset

    @property
    def end(self) -> int:
        """The byte behind it."""
        return self.node.end_byte + self.offset

    def at(self, node: Node, owner: str = "") -> SourcePiece:
        """Return another node of the same file and scope."""
        return self._replace(node=node, owner=owner or self.owner)


@cache
def _parser() -> Parser:
    try:
        import tree_sitter_cpp  # noqa: PLC0415  # an optional dependency
        from tree_sitter import Language, Parser  # noqa: PLC0415
    except ImportError as error:
        raise ToolMissing("ESR", "tree-sitter-cpp", _INSTALL) from error
    return Parser(Language(tree_sitter_cpp.language()))


def parse(source: bytes) -> Node:
    """Return the root of a file's tree.

    Raises:
        ToolMissing: tree-sitter is not installed.
    """
    return _parser().parse(source).root_node


def parse_value(text: bytes) -> tuple[Node, int] | None:
    """Return an expression that stands alone, and the bytes that were put before it."""
    root = parse(_WRAP + text + b";")
    for node in every(root, "init_declarator"):
        value = node.child_by_field_name("value")
        if value is not None:
            return value, len(_WRAP)
    return None


def every(node: Node, *kinds: str) -> Iterator[Node]:
    """Yield the nodes of some kinds, in the order of the file."""
    if node.type in kinds:
        yield node
    for child in node.children:
        yield from every(child, *kinds)


def text_of(node: Node | None) -> str:
    """Return what a node says; nothing if there is none."""
    return (node.text or b"").decode("utf-8", "replace") if node is not None else ""


def field(node: Node, name: str) -> Node | None:
    """Return a child by its name."""
    return node.child_by_field_name(name)


def declared(node: Node | None) -> tuple[str, bool]:
    """Return the name that a declarator declares, and whether it is an array."""
    is_array = False
    while node is not None:
        if node.type in ("identifier", "field_identifier"):
            return text_of(node), is_array
        is_array = is_array or node.type == "array_declarator"
        inner = field(node, "declarator")
        if inner is None and node.type == "reference_declarator":
            inner = node.named_children[0] if node.named_children else None
        if inner is None and node.type == "qualified_identifier":
            inner = field(node, "name")
        node = inner
    return "", is_array


def signature(definition: Node) -> tuple[str, tuple[str, ...]]:
    """Return the name of a function, and those of its parameters."""
    declarator = next(every(definition, "function_declarator"), None)
    if declarator is None:
        return "", ()
    listed = field(declarator, "parameters")
    names = [
        declared(field(it, "declarator"))[0]
        for it in (listed.named_children if listed is not None else [])
        if "parameter_declaration" in it.type
    ]
    return declared(field(declarator, "declarator"))[0], tuple(names)


def called(function: Node) -> str:
    """Return the last name of what is called."""
    if function.type == "field_expression":
        inner = field(function, "field")
        return called(inner) if inner is not None else ""
    if function.type in (
        "qualified_identifier",
        "template_function",
        "template_method",
    ):
        inner = field(function, "name")
        return called(inner) if inner is not None else ""
    return text_of(function)


def argument_of(piece: SourcePiece) -> tuple[str, int]:
    """Return of which call a piece is an argument as it stands, and the which."""
    listed = piece.node.parent
    call = listed.parent if listed is not None else None
    if listed is None or call is None or listed.type != "argument_list":
        return "", 0
    function = field(call, "function")
    given = [it.start_byte for it in listed.named_children]
    name = called(function) if function is not None else ""
    return name, given.index(piece.node.start_byte)
