"""Templates whose arguments are pins: ``Lamp<9> red;``."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.esr.sources.tree import (
    declared,
    every,
    field,
    signature,
    text_of,
)

if TYPE_CHECKING:
    from tree_sitter import Node

    from pytest_embedbench.esr.sources.tree import SourcePiece


class PinTemplate(NamedTuple):
    """A template: its name, its parameters, and the functions that know these."""

    name: str
    parameters: tuple[str, ...]
    functions: tuple[str, ...]


def template_of(node: Node) -> PinTemplate:
    """Return what a ``template_declaration`` declares."""
    listed = field(node, "parameters")
    names = [
        declared(field(it, "declarator"))[0]
        for it in (listed.named_children if listed is not None else [])
    ]
    inside = tuple(signature(it)[0] for it in every(node, "function_definition"))
    kinds = next(every(node, "struct_specifier", "class_specifier"), None)
    name = text_of(field(kinds, "name")) if kinds is not None else "".join(inside[:1])
    return PinTemplate(f"{name}<>", tuple(names), inside)


def given_to(at: SourcePiece) -> tuple[SourcePiece, ...]:
    """Return the arguments of a template's use; they are its variable's."""
    owner = ""
    around = at.node.parent
    if around is not None and around.type in ("declaration", "field_declaration"):
        owner = declared(field(around, "declarator"))[0]
    elif around is not None and around.type == "alias_declaration":
        owner = text_of(field(around, "name"))
    listed = field(at.node, "arguments")
    found = listed.named_children if listed is not None else []
    inner = [field(it, "type") or it for it in found]
    if len(inner) == 1 or not owner:
        return tuple(at.at(it, owner) for it in inner)
    return tuple(at.at(it, f"{owner}<{i}>") for i, it in enumerate(inner, start=1))
