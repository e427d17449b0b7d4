"""Names are the field's terms, and each stands for one thing.

``PRIVATE`` are words that a reader of this field had to be told the meaning of; each
has a term now (``docs/glossary.md``), and does not come back.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "pytest_embedbench"
ROOMS = (PACKAGE, PACKAGE.parent / "plants", PACKAGE.parent / "boards")
# Files that are copied or run elsewhere: a task of somebody's own, build scripts.
ELSEWHERE = ("grading/task_template", "platforms", "firmware")
MODULES = [
    path
    for room in ROOMS
    for path in sorted(room.rglob("*.py"))
    if not any(PACKAGE / place in path.parents for place in ELSEWHERE)
]
PRIVATE = {
    *("Allowance", "Beat", "Carry", "Chain", "Clamp", "Conversation", "Copying"),
    *("Dice", "Ending", "Entrance", "Found", "Garbled", "Hands", "HungUp", "Lent"),
    *("Life", "Loop", "Loss", "Merge", "Moment", "Note", "Passing", "Patience"),
    *("Place", "Pump", "Scene", "Silent", "Slumber", "Sought", "Split", "Standby"),
    *("Standing", "Stuck", "Thin", "Touch", "Visit", "Wish"),
    *("announce", "autopsy", "borrowed", "leap", "leaps", "making", "nouns"),
    *("odd_lines", "onlylink", "roaming", "rise", "sit", "stands", "survey", "suspect"),
    *("told", "turns", "two_readings", "whereabouts"),
}
KEPT = {
    "stands": "the old name of check_tolerates, deprecated for one release",
}


def test_no_class_name_stands_for_two_things() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{path.relative_to(PACKAGE.parent)}")
    assert {name: at for name, at in places.items() if len(at) > 1} == {}


def test_no_private_word_comes_back() -> None:
    used: dict[str, list[str]] = defaultdict(list)
    for path in MODULES:
        for name in _names(path):
            if name.strip("_") in PRIVATE - set(KEPT):
                used[name].append(f"{path.relative_to(PACKAGE.parent)}")
    assert used == {}


def _names(path: Path) -> set[str]:
    """Return what a module is called, and what it calls its classes and functions."""
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    tree = ast.walk(ast.parse(path.read_text()))
    return {path.stem, *(node.name for node in tree if isinstance(node, kinds))}
