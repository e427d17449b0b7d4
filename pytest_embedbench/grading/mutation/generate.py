"""All mutants of a task's reference: made by operators, and declared by the task."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.grading.mutation.habits import HABITS, narrower
from pytest_embedbench.grading.mutation.mutant import Mutation, named
from pytest_embedbench.grading.mutation.operators import OPERATORS, constants
from pytest_embedbench.grading.mutation.syntax import (
    every,
    function_of,
    names_in,
    parse,
    sites,
    text,
)
from pytest_embedbench.grading.submitted import submitted
from pytest_embedbench.support.toml_schema import (
    check_items,
    check_keys,
    read_table,
    rows,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Set as AbstractSet

    from tree_sitter import Node

    from pytest_embedbench.grading.mutation.mutant import Mutant
    from pytest_embedbench.grading.mutation.operators import Variant
    from pytest_embedbench.grading.mutation.syntax import DeclaredNames, Site
    from pytest_embedbench.grading.task import Suite

DECLARED = "hidden/mutants.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """A fault that a task declares: each text of ``edits`` becomes the one beside it.

    It stands in ``file`` exactly once.
    """

    name: str
    what: str
    file: str
    edits: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What a task says of its mutants.

    ``free_functions`` and ``free_members`` are what the brief leaves to the
    submission, so nothing about them is a fault; see ``docs/mutation.md``.
    """

    free_functions: frozenset[str] = frozenset()
    free_members: frozenset[str] = frozenset()
    patches: tuple[Patch, ...] = field(default_factory=tuple)


def reference_of(suite: Suite) -> Mapping[str, bytes]:
    """Return the edit surface with the reference solution laid over it, by name.

    Raises:
        ConfigError: the task has no solution.
    """
    folder = suite.root / suite.task.solution
    surface = suite.task.edit_surface
    solved = {name: found for name in surface if (found := submitted(folder, name))}
    if not solved:
        raise ConfigError(f"{folder}: no reference solution there")
    files = {name: solved.get(name, suite.root / name) for name in surface}
    return {name: file.read_bytes() for name, file in files.items() if file.is_file()}


def declared_by(suite: Suite) -> Declared:
    """Return what ``hidden/mutants.toml`` says; nothing if there is none.

    Raises:
        ConfigError: it is broken; the message names the file and the key.
    """
    file = suite.root / DECLARED
    if not file.is_file():
        return Declared()
    table, where = read_table(file), str(file)
    check_keys(where, "", table, required={}, optional={"free": dict, "patch": list})
    free: dict[str, Any] = table.get("free", {})
    optional = {"functions": list, "members": list}
    check_keys(where, "free.", free, required={}, optional=optional)
    for key, items in free.items():
        check_items(where, f"free.{key}", items, str)
    return Declared(
        free_functions=frozenset(free.get("functions", ())),
        free_members=frozenset(free.get("members", ())),
        patches=tuple(_patches(where, table.get("patch", []))),
    )


def mutants_of(reference: Mapping[str, bytes], declared: Declared) -> list[Mutant]:
    """Return the mutants, declared ones first, then in the order of the files.

    Raises:
        ConfigError: a declared patch does not fit it.
    """
    trees = {name: parse(data) for name, data in reference.items()}
    names = names_in(*trees.values())
    faults = [_declared(patch, reference) for patch in declared.patches]
    used = {text(site.node) for root in trees.values() for site in sites(root)}
    for file, root in trees.items():
        faults += _in_definitions(file, root, used)
        faults += _in_types(file, root, declared)
        faults += _in_code(file, root, names, declared)
    return list(named(faults, reference))


def _in_definitions(
    file: str, root: Node, used: AbstractSet[str]
) -> Iterator[Mutation]:
    """Yield wrong values of macros that code uses."""
    for definition in every(root, "preproc_def"):
        name = definition.child_by_field_name("name")
        value = definition.child_by_field_name("value")
        if name is not None and value is not None and text(name) in used:
            for wrong in constants(text(name), text(value)):
                yield _fault(file, root, ("constant", value, wrong), of=text(name))


def _in_types(file: str, root: Node, declared: Declared) -> Iterator[Mutation]:
    """Yield wrong types of what is declared."""
    free = [
        definition.byte_range
        for definition in every(root, "function_definition")
        if function_of(definition).name in declared.free_functions
    ]
    for kind in every(root, "primitive_type"):
        if any(start <= kind.start_byte < end for start, end in free):
            continue
        around = text(kind.parent) if kind.parent else ""
        for narrow in narrower(text(kind)):
            yield _fault(file, root, ("width", kind, narrow), of=f"`{around}`")


def _in_code(
    file: str, root: Node, names: DeclaredNames, declared: Declared
) -> Iterator[Mutation]:
    for site in sites(root):
        if _is_free(site, declared):
            continue
        for operator in (*OPERATORS, *HABITS):
            for variant in operator(site, names):
                yield _fault(file, root, variant, of=site.function.name)


def _is_free(site: Site, declared: Declared) -> bool:
    """Say whether a node has a say in nothing but what the brief leaves free."""
    if site.function.name in declared.free_functions:
        return True
    return any(_says_nothing(node, declared) for node in (*site.around, site.node))


def _says_nothing(node: Node, declared: Declared) -> bool:
    if node.type in ("else_clause", "compound_statement"):
        inside = node.named_children
        return bool(inside) and all(_says_nothing(one, declared) for one in inside)
    if node.type == "expression_statement":
        [expression] = node.named_children or [node]
        left = expression.child_by_field_name("left")
        return expression.type == "assignment_expression" and _all_free(left, declared)
    return False


def _all_free(node: Node | None, declared: Declared) -> bool:
    members = [text(m) for m in every(node, "field_identifier")] if node else []
    return bool(members) and declared.free_members.issuperset(members)


def _fault(file: str, root: Node, variant: Variant, *, of: str) -> Mutation:
    kind, node, wrong = variant
    original = root.text or b""
    was, now = (_shown(words) for words in (text(node), wrong))
    what = f"{of}: {was} is left out" if now == ";" else f"{of}: {was} becomes {now}"
    start, end = node.start_byte, node.end_byte
    return Mutation(
        operator=kind,
        file=file,
        start=start,
        source=original[:start] + wrong.encode() + original[end:],
        what=what,
    )


def _shown(words: str) -> str:
    line = " ".join(words.split())
    return line if line == ";" else f"`{line}`"


def _declared(patch: Patch, reference: Mapping[str, bytes]) -> Mutation:
    source = original = reference.get(patch.file, b"")
    for find, replace in patch.edits:
        if source.count(find.encode()) != 1:
            raise ConfigError(
                f"{DECLARED}: patch {patch.name!r}: this has to stand exactly once in "
                f"{patch.file} of the reference:\n{find}"
            )
        source = source.replace(find.encode(), replace.encode())
    return Mutation(
        operator=patch.name,
        file=patch.file,
        start=_first_difference(original, source),
        source=source,
        what=patch.what,
        declared=True,
    )


def _first_difference(one: bytes, other: bytes) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (ours, theirs) in pairs if ours != theirs), 0)


def _patches(where: str, entries: object) -> Iterator[Patch]:
    keys = {"name": str, "what": str, "file": str, "find": str, "replace": str}
    for here, table in rows(where, "patch", entries):
        check_keys(where, f"{here}.", table, required=keys, optional={"more": list})
        edits = [(table["find"], table["replace"])]
        for place, more in rows(where, f"{here}.more", table.get("more", [])):
            required = {"find": str, "replace": str}
            check_keys(where, f"{place}.", more, required=required)
            edits.append((more["find"], more["replace"]))
        yield Patch(
            name=table["name"],
            what=table["what"],
            file=table["file"],
            edits=tuple(edits),
        )
