"""Nothing works inside an ``assert``: ``python -O`` leaves all of them out.

What pytest rewrites itself (test modules, conftest) keeps its asserts, so it is all
the rest that these rules are about.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = (
    *("pytest_embedbench", "plants", "boards", "tests"),
    *("example_suites", "scripts", "benchmarks"),
)
MODULES = [
    path
    for room in ROOMS
    for path in sorted((ROOT / room).rglob("*.py"))
    if not path.name.startswith("test_") and path.name != "conftest.py"
]
TELLING = (Path("pytest_embedbench/testing"), Path("pytest_embedbench/grading/checks"))
"""Rooms whose work is to tell right from wrong: they raise."""


def test_an_assert_only_tells_the_type_checker() -> None:
    assert MODULES
    others = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node)}"
        for path in MODULES
        for node in _asserts(path)
        if not _narrows(node.test)
    ]
    assert others == []


@pytest.mark.parametrize("room", TELLING, ids=str)
def test_what_checks_others_raises_and_does_not_assert(room: Path) -> None:
    modules = list((ROOT / room).rglob("*.py"))
    assert modules
    assert [path.name for path in modules if _asserts(path)] == []


HIDDEN = sorted(
    path
    for room in ("example_suites", "pytest_embedbench/grading/task_template")
    for path in (ROOT / room).rglob("hidden/*.py")
)


@pytest.mark.parametrize(
    "path", HIDDEN, ids=lambda path: path.parts[-3][:6] + path.name
)
def test_what_judges_a_submission_says_quantity_value_bound_and_time(
    path: Path,
) -> None:
    assert [node.lineno for node in _asserts(path)] == []


@pytest.mark.parametrize(
    "code",
    [
        "port is not None",
        "self.popen.stdin is not None",
        "isinstance(board, QemuBoard)",
    ],
)
def test_what_narrows_a_type_may_be_left_out(code: str) -> None:
    assert _narrows(ast.parse(code, mode="eval").body)


@pytest.mark.parametrize(
    "code",
    [
        "lock.take()",
        "lock.take() is not None",
        "isinstance(board.reset(), str)",
        "level == 3",
        "(line := port.read()) is not None",
        "a is not None and b.take()",
    ],
)
def test_what_works_or_tells_may_not(code: str) -> None:
    assert not _narrows(ast.parse(code, mode="eval").body)


def _asserts(path: Path) -> list[ast.Assert]:
    tree = ast.walk(ast.parse(path.read_text()))
    return [node for node in tree if isinstance(node, ast.Assert)]


def _narrows(test: ast.expr) -> bool:
    """Say whether this is ``x is not None`` or ``isinstance(x, Kind)``."""
    match test:
        case ast.Compare(
            left=what, ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]
        ):
            return _is_name(what)
        case ast.Call(func=ast.Name(id="isinstance"), args=[what, kind]):
            return _is_name(what) and _is_name(kind)
        case _:
            return False


def _is_name(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)
