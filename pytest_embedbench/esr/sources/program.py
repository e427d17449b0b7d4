"""What flows where in a program: which expressions a variable may have its value from.

By names, and by the function that they are in; no types, no order, no conditions. That
is more than can happen, which is well for finding constants: a wrong one that is
corrected makes the check fail.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from pytest_embedbench.esr.sources.templates import given_to, template_of
from pytest_embedbench.esr.sources.tree import (
    SourcePiece,
    called,
    declared,
    every,
    field,
    parse,
    parse_value,
    signature,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Node

Key = tuple[str, str]
"""A variable: the function that it is in (``""``: all, ``.``: members), its name."""
MEMBERS = "."
_FUNCTIONS = ("function_definition",)
_RETURNED = "return"


class Program:
    """The files of a program.

    ``values`` has what a variable may be; ``elements`` what those of an array may be;
    ``calls`` are name, callee and arguments of all calls, declarations of objects with
    arguments among them.
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.values: defaultdict[Key, list[SourcePiece]] = defaultdict(list)
        self.elements: defaultdict[Key, list[SourcePiece]] = defaultdict(list)
        self.calls: list[tuple[str, SourcePiece, tuple[SourcePiece, ...]]] = []
        self.types: dict[Key, str] = {}
        self._parameters: defaultdict[str, list[tuple[str, ...]]] = defaultdict(list)
        self._scopes: defaultdict[str, tuple[str, ...]] = defaultdict(tuple)
        self._fields: dict[str, tuple[str, ...]] = {}
        self._sources = files
        roots = [SourcePiece(parse(source), name) for name, source in files.items()]
        for root in roots:
            self._learn(root)
        for root in roots:
            self._walk(root)
        self._bind()

    @property
    def functions(self) -> frozenset[str]:
        """The functions and classes that are defined here."""
        return frozenset({*self._parameters, *self._fields})

    def source(self, file: str) -> bytes:
        """Return what a file says."""
        return self._sources[file]

    def key_of(self, name: str, scope: str) -> Key:
        """Return the variable that a name means in a function."""
        for where in (scope, "", MEMBERS):
            key = where, name
            if key in self.values or key in self.elements:
                return key
        return scope, name

    # ------------------------------------------------------------ what is declared
    def _learn(self, root: SourcePiece) -> None:
        for node in every(root.node, "struct_specifier", "class_specifier"):
            body = field(node, "body")
            if body is not None:
                names = [
                    declared(each)[0]
                    for it in body.named_children
                    if it.type == "field_declaration"
                    for each in it.children_by_field_name("declarator")
                ]
                self._fields[text_of(field(node, "name"))] = tuple(filter(None, names))
        for node in every(root.node, "template_declaration"):
            template = template_of(node)
            self._parameters[template.name].append(template.parameters)
            self._scopes[template.name] += (*template.functions, MEMBERS)
        for node in every(root.node, *_FUNCTIONS):
            name, parameters = signature(node)
            if name:
                self._parameters[name].append(parameters)

    def _walk(self, at: SourcePiece) -> None:
        node = at.node
        if node.type in _FUNCTIONS:
            at = at._replace(scope=signature(node)[0])
        visit = getattr(self, f"_on_{node.type}", None)
        if visit is not None:
            visit(at)
        for child in node.children:
            self._walk(at.at(child))

    def _on_preproc_def(self, at: SourcePiece) -> None:
        name, value = text_of(field(at.node, "name")), field(at.node, "value")
        parsed = parse_value(value.text or b"") if value is not None else None
        if parsed is not None and value is not None:
            node, before = parsed
            offset = value.start_byte - before
            self.values["", name].append(SourcePiece(node, at.file, "", offset, name))

    def _on_preproc_function_def(self, at: SourcePiece) -> None:
        """Take a macro for the function that it looks like."""
        name, value = text_of(field(at.node, "name")), field(at.node, "value")
        listed = field(at.node, "parameters")
        if value is None or listed is None:
            return
        names = tuple(text_of(it) for it in listed.named_children)
        self._parameters[name].append(names)
        before = b"void f(){"
        body = parse(before + (value.text or b"") + b";}")
        offset = value.start_byte - len(before)
        inner = next(every(body, "compound_statement"))
        self._walk(SourcePiece(inner, at.file, name, offset))

    def _on_return_statement(self, at: SourcePiece) -> None:
        self.values[_RETURNED, at.scope] += [at.at(it) for it in at.node.named_children]

    def _on_enumerator(self, at: SourcePiece) -> None:
        name, value = text_of(field(at.node, "name")), field(at.node, "value")
        node = at.node if value is None else value
        self.values["", name].append(at._replace(node=node, scope="", owner=name))

    def _on_template_type(self, at: SourcePiece) -> None:
        name = f"{text_of(field(at.node, 'name'))}<>"
        if name in self._parameters:
            self.calls.append((name, at, given_to(at)))

    def _on_declaration(self, at: SourcePiece) -> None:
        kind = text_of(field(at.node, "type"))
        for each in at.node.children_by_field_name("declarator"):
            name, is_array = declared(each)
            key = at.scope, name
            self.types[key] = kind
            if each.type == "function_declarator":
                self._take_misread(at, kind, name, each)
                continue
            value = field(each, "value") if each.type == "init_declarator" else None
            if value is None or not name:
                continue
            is_argument = value.type in ("argument_list", "initializer_list")
            if is_array:
                self._take_array(at, key, kind, value)
            elif is_argument:
                arguments = _arguments(at, name, value.named_children)
                self.calls.append((kind, at.at(each, name), arguments))
                self._take_struct(at, name, kind, value)
                if len(arguments) == 1:
                    self.values[key].append(arguments[0])
            else:
                self.values[key].append(at.at(value, name))

    def _on_field_declaration(self, at: SourcePiece) -> None:
        name, is_array = declared(field(at.node, "declarator"))
        value = field(at.node, "default_value")
        if value is not None and name:
            if is_array:
                kind = text_of(field(at.node, "type"))
                self._take_array(at, (MEMBERS, name), kind, value)
            else:
                self.values[MEMBERS, name].append(at.at(value, name))

    def _on_assignment_expression(self, at: SourcePiece) -> None:
        left, right = field(at.node, "left"), field(at.node, "right")
        if left is None or right is None:
            return
        if left.type == "subscript_expression":
            array = field(left, "argument")
            if array is not None:
                key = self.variable(at.at(array))
                self.elements[key].append(at.at(right, text_of(array)))
        else:
            self.values[self.variable(at.at(left))].append(at.at(right, text_of(left)))

    def _on_field_initializer(self, at: SourcePiece) -> None:
        name, *rest = at.node.named_children
        for value in rest:
            arguments = tuple(at.at(it, text_of(name)) for it in value.named_children)
            self.values[MEMBERS, text_of(name)] += arguments[:1]
            self.elements[MEMBERS, text_of(name)] += arguments[1:]

    def _on_for_range_loop(self, at: SourcePiece) -> None:
        name, right = declared(field(at.node, "declarator"))[0], field(at.node, "right")
        if right is None:
            return
        if right.type == "initializer_list":
            items = [at.at(it, name) for it in right.named_children]
            self.values[at.scope, name] += items
        else:
            self.values[at.scope, name].append(at.at(right))

    def _on_call_expression(self, at: SourcePiece) -> None:
        function, given = field(at.node, "function"), field(at.node, "arguments")
        if function is None or given is None:
            return
        arguments = tuple(at.at(it) for it in given.named_children)
        self.calls.append((called(function), at.at(function), arguments))
        for given in every(function, "template_argument_list"):
            inner = [field(it, "type") or it for it in given.named_children]
            arguments = tuple(at.at(it) for it in inner)
            self.calls.append((f"{called(function)}<>", at.at(function), arguments))

    def _on_new_expression(self, at: SourcePiece) -> None:
        given = field(at.node, "arguments")
        if given is not None:
            kind = text_of(field(at.node, "type"))
            arguments = tuple(at.at(it) for it in given.named_children)
            self.calls.append((kind, at, arguments))

    def returned(self, name: str) -> list[SourcePiece]:
        """Return what a function of the program may return."""
        return self.values.get((_RETURNED, name), [])

    def type_of(self, name: str, scope: str) -> str:
        """Return the type that a variable has been declared with; or ``""``."""
        return self.types.get((scope, name)) or self.types.get(("", name), "")

    # ---------------------------------------------------------------------- inside
    def variable(self, at: SourcePiece) -> Key:
        """Return the variable that an expression names."""
        if at.node.type == "field_expression":
            return MEMBERS, text_of(field(at.node, "field"))
        return self.key_of(at.text.rpartition("::")[2], at.scope)

    def _take_misread(
        self, at: SourcePiece, kind: str, name: str, declarator: Node
    ) -> None:
        """Take ``Button b(PIN);``, which reads like the declaration of a function."""
        listed = field(declarator, "parameters")
        parameters = listed.named_children if listed is not None else []
        types = [field(it, "type") for it in parameters]
        named = [it for it in types if it is not None and it.type == "type_identifier"]
        if parameters and len(named) == len(parameters):
            arguments = _arguments(at, name, named)
            self.calls.append((kind, at.at(declarator, name), arguments))

    def _take_array(self, at: SourcePiece, key: Key, kind: str, value: Node) -> None:
        name = key[1]
        if value.type != "initializer_list":
            self.values[key].append(at.at(value, name))
            return
        for index, item in enumerate(value.named_children):
            owner = f"{name}[{index}]"
            if item.type == "initializer_list" and kind in self._fields:
                self._take_struct(at, owner, kind, item)
            elif item.type == "initializer_list":
                items = [at.at(it, owner) for it in item.named_children]
                self.elements[key] += items
            elif item.type != "comment":
                self.elements[key].append(at.at(item, owner))

    def _take_struct(self, at: SourcePiece, owner: str, kind: str, value: Node) -> None:
        names = self._fields.get(kind, ())
        items = [it for it in value.named_children if it.type != "comment"]
        for index, item in enumerate(items):
            name, given = names[index] if index < len(names) else "", item
            if item.type == "initializer_pair":
                name = text_of(field(item, "designator")).lstrip(".")
                given = field(item, "value") or item
            if name:
                self.values[MEMBERS, name].append(at.at(given, f"{owner}.{name}"))

    def _bind(self) -> None:
        """Let parameters have what calls give."""
        for name, _, arguments in self.calls:
            for parameters in self._parameters.get(name, ()):
                for parameter, argument in zip(parameters, arguments, strict=False):
                    for scope in self._scopes.get(name, (name,)):
                        self.values[scope, parameter].append(argument)


def _arguments(
    at: SourcePiece, name: str, given: list[Node]
) -> tuple[SourcePiece, ...]:
    """Return what an object is made with: ``lcd(1)`` is the first of several."""
    if len(given) == 1:
        return (at.at(given[0], name),)
    return tuple(at.at(it, f"{name}({i})") for i, it in enumerate(given, start=1))
