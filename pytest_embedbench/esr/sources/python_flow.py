"""What flows where in a Python program: which constants an expression may come to."""

from __future__ import annotations

import ast
from collections import defaultdict
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_MEMBERS = "."
_CONTENTS = {"values", "items", "copy"}
_SAME = {"int", "str", "list", "tuple", "set", "sorted", "reversed", "iter"}
_PASSED_ON = ("value",)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Key = tuple[str, str]
"""A variable: the function that it is in (``""``: none, ``.``: members), its name."""
Rooted = tuple[ast.Constant, str]


class _Each(NamedTuple):
    """What a loop takes of something: its elements, or the nth of each."""

    value: ast.expr
    nth: int | None = None


class PythonFlow:
    """The files of a program: their calls, and where values come from."""

    def __init__(self, trees: Mapping[str, ast.Module]) -> None:
        self.calls: list[ast.Call] = []
        self.file_of: dict[ast.AST, str] = {}
        self._scope_of: dict[ast.AST, str] = {}
        self._values: defaultdict[Key, list[ast.expr | _Each]] = defaultdict(list)
        self._returned: defaultdict[str, list[ast.expr]] = defaultdict(list)
        self._parameters: dict[str, list[str]] = {}
        for name, tree in trees.items():
            self._walk(tree, name, "", "")
        for call in self.calls:
            self._bind(call)

    def roots(
        self, node: ast.expr, owner: str = "", seen: frozenset[Key] = frozenset()
    ) -> Iterator[Rooted]:
        """Yield the constants that an expression may come to, and their variables."""
        match node:
            case ast.Constant(value=int() | str()) if not isinstance(node.value, bool):
                yield node, owner
            case ast.Name(id=name):
                yield from self._of_key(self._key(node, name), seen)
            case ast.Attribute(value=inner, attr=name):
                if name in _PASSED_ON and (_MEMBERS, name) not in self._values:
                    yield from self.roots(inner, owner, seen)
                yield from self._of_key((_MEMBERS, name), seen)
            case ast.Subscript(value=inner, slice=which):
                yield from self._elements(inner, which, owner, seen)
            case ast.Call():
                yield from self._of_call(node, owner, seen)
            case _:
                for index, inner in _inside(node):
                    own = f"{owner}[{index}]" if owner and index is not None else owner
                    yield from self.roots(inner, own, seen)

    # ------------------------------------------------------------ where values are
    def _of_key(self, key: Key, seen: frozenset[Key]) -> Iterator[Rooted]:
        if key in seen:
            return
        for value in self._values.get(key, ()):
            if not isinstance(value, _Each):
                yield from self.roots(value, key[1], seen | {key})
            elif value.nth is None:
                yield from self.roots(value.value, "", seen | {key})
            else:
                for each in self._containers(value.value, seen | {key}):
                    for _, inner in _inside(each):
                        parts = [part for _, part in _inside(inner)]
                        if value.nth < len(parts):
                            yield from self.roots(parts[value.nth], key[1], seen)

    def _containers(self, node: ast.expr, seen: frozenset[Key]) -> Iterator[ast.expr]:
        """Yield displays (lists, dicts, ...) that an expression may be."""
        key = None
        if isinstance(node, ast.Name):
            key = self._key(node, node.id)
        elif isinstance(node, ast.Attribute):
            key = (_MEMBERS, node.attr)
        if key is None:
            yield node
        elif key not in seen:
            for value in self._values.get(key, ()):
                if not isinstance(value, _Each):
                    yield from self._containers(value, seen | {key})

    def _elements(
        self, inner: ast.expr, which: ast.expr, owner: str, seen: frozenset[Key]
    ) -> Iterator[Rooted]:
        """Yield what is at an index or a key; all there is if that is not known."""
        name = ast.unparse(inner).rpartition(".")[2]
        displays = list(self._containers(inner, seen))
        wanted = which.value if isinstance(which, ast.Constant) else None
        for display in displays:
            parts = list(_inside(display))
            named = [it for it in parts if it[0] == wanted]
            for index, part in named if wanted is not None and named else parts:
                own = f"{name}[{index}]" if index is not None else owner
                yield from self.roots(part, own, seen)

    def _of_call(
        self, node: ast.Call, owner: str, seen: frozenset[Key]
    ) -> Iterator[Rooted]:
        name = _last(node.func)
        if name in _SAME:
            for value in node.args:
                yield from self.roots(value, owner, seen)
        elif name in _CONTENTS and isinstance(node.func, ast.Attribute):
            yield from self.roots(node.func.value, owner, seen)
        elif name in ("get", "getenv") and len(node.args) > 1:
            yield from self.roots(node.args[1], owner, seen)
        key = "", f"{name}()"
        if key not in seen:
            for value in self._returned.get(name, ()):
                yield from self.roots(value, "", seen | {key})

    def _key(self, node: ast.AST, name: str) -> Key:
        own = self._scope_of.get(node, ""), name
        return own if own in self._values else ("", name)

    # ------------------------------------------------------------- what is bound
    def _walk(self, node: ast.AST, file: str, scope: str, kind: str) -> None:
        """Take down what a tree binds; ``kind`` is the class that it is in."""
        self.file_of[node], self._scope_of[node] = file, scope
        self._take(node, scope, kind)
        name = getattr(node, "name", "")
        if isinstance(node, _FUNCTIONS):
            self._define(node, kind)
            scope = kind if kind and name == "__init__" else name
        inner = name if isinstance(node, ast.ClassDef) else ""
        for child in ast.iter_child_nodes(node):
            self._walk(child, file, scope, inner)

    def _take(self, node: ast.AST, scope: str, kind: str) -> None:
        match node:
            case ast.Call():
                self.calls.append(node)
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._assign(target, value, scope, kind)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._assign(target, value, scope, kind)
            case ast.NamedExpr(target=target, value=value):
                self._assign(target, value, scope, "")
            case (
                ast.For(target=target, iter=each)
                | ast.comprehension(target=target, iter=each)
            ):
                self._loop(target, each, scope)
            case ast.Return(value=ast.expr() as value):
                self._returned[scope].append(value)
            case _:
                pass

    def _define(self, node: ast.FunctionDef | ast.AsyncFunctionDef, kind: str) -> None:
        names = [it.arg for it in (*node.args.posonlyargs, *node.args.args)]
        scope = kind if kind and node.name == "__init__" else node.name
        is_bound = bool(kind) and names[:1] in (["self"], ["cls"])
        self._parameters[scope] = names[1:] if is_bound else names
        defaults = node.args.defaults
        for name, value in zip(reversed(names), reversed(defaults), strict=False):
            self._values[scope, name].append(value)

    def _bind(self, call: ast.Call) -> None:
        """Let parameters, and fields of classes, have what calls give."""
        name = _last(call.func)
        given = self._parameters.get(name, [])
        for parameter, value in zip(given, call.args, strict=False):
            if not isinstance(value, ast.Starred):
                self._values[name, parameter].append(value)
        for word in call.keywords:
            if word.arg:
                scope = name if word.arg in given else _MEMBERS
                self._values[scope, word.arg].append(word.value)

    def _assign(self, target: ast.expr, value: ast.expr, scope: str, kind: str) -> None:
        match target:
            case ast.Name(id=name):
                self._values[_MEMBERS if kind else scope, name].append(value)
                if kind:
                    self._values[scope, name].append(value)
            case ast.Attribute(attr=name):
                self._values[_MEMBERS, name].append(value)
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                parts = [part for _, part in _inside(value)]
                if isinstance(value, ast.Tuple | ast.List) and len(parts) == len(
                    targets
                ):
                    for one, part in zip(targets, parts, strict=True):
                        self._assign(one, part, scope, kind)
                else:
                    for one in targets:
                        self._assign(one, value, scope, kind)
            case _:
                pass

    def _loop(self, target: ast.expr, each: ast.expr, scope: str) -> None:
        """Let a loop's variable be each of what it goes over."""
        name = _last(each.func) if isinstance(each, ast.Call) else ""
        targets: Sequence[ast.expr] = [target]
        sources: list[ast.expr | None] = [each]
        if isinstance(target, ast.Tuple) and isinstance(each, ast.Call):
            targets = target.elts
            if name == "enumerate":
                sources = [None, *each.args[:1]]
            elif name == "zip":
                sources = [*each.args]
            elif name == "items" and isinstance(each.func, ast.Attribute):
                sources = [None, each.func.value]
        elif isinstance(target, ast.Tuple):
            for nth, one in enumerate(target.elts):
                if isinstance(one, ast.Name):
                    self._values[scope, one.id].append(_Each(each, nth))
            return
        for one, source in zip_longest(targets, sources):
            if source is not None and isinstance(one, ast.Name):
                self._values[scope, one.id].append(_Each(source))
            elif source is not None and isinstance(one, ast.Tuple):
                self._loop(one, source, scope)


def _inside(node: ast.expr) -> Iterator[tuple[object, ast.expr]]:
    """Yield what an expression is made of, with index or key where it has one."""
    match node:
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
            yield from enumerate(parts)
        case ast.Dict(keys=keys, values=parts):
            for key, part in zip(keys, parts, strict=True):
                yield key.value if isinstance(key, ast.Constant) else None, part
        case ast.Call(func=ast.Name(id="dict"), keywords=words):
            yield from ((word.arg, word.value) for word in words)
        case ast.IfExp(body=one, orelse=other):
            yield from ((None, one), (None, other))
        case ast.BoolOp(values=parts):
            yield from ((None, part) for part in parts)
        case ast.Starred(value=part) | ast.NamedExpr(value=part):
            yield None, part
        case _:
            return


def _last(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
