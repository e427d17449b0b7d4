"""What stays each author's own: the brief, the oracle, the plant and the scenarios.

They are four tellings of one task, and none is made from another: or a mistake in one
would be in all, and nobody would see it.
"""

from __future__ import annotations

import ast
import re
import sys
from itertools import combinations
from pathlib import Path

import pytest

from pytest_embedbench.grading.brief import read_brief
from pytest_embedbench.grading.sources import sources
from pytest_embedbench.grading.task import Task, load_task

ROOT = Path(__file__).parents[2]
TASKS = sorted(file.parent for file in (ROOT / "example_suites").glob("*/task.toml"))
TEMPLATE = ROOT / "pytest_embedbench" / "grading" / "task_template"
TOOLKIT = [
    path
    for room in ("checks", "sources", "host", "properties")
    for path in sorted((ROOT / "pytest_embedbench" / "grading" / room).rglob("*.py"))
]
OWN = ("BRIEF.md", "hidden/oracle.py", "hidden/scenarios.toml")

of_each_task = pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)


@of_each_task
def test_a_task_has_what_is_its_authors_own(task: Path) -> None:
    assert [name for name in OWN if not (task / name).is_file()] == []


@pytest.mark.parametrize("name", OWN)
def test_no_task_has_anothers(name: str) -> None:
    for one, other in combinations(TASKS, 2):
        assert (one / name).read_text() != (other / name).read_text()


@pytest.mark.parametrize("task", [*TASKS, TEMPLATE], ids=lambda task: task.name)
def test_an_oracle_is_told_by_nobody(task: Path) -> None:
    """But of which readings may have to come again, for what is left free there."""
    taken: set[str] = set()
    for node in ast.walk(ast.parse((task / "hidden" / "oracle.py").read_text())):
        if isinstance(node, ast.Import):
            taken |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            taken |= {f"{node.module}.{alias.name}" for alias in node.names}
    taken.discard("pytest_embedbench.grading.checks.ReadingsInDoubt")
    assert {name.partition(".")[0] for name in taken} <= sys.stdlib_module_names


@of_each_task
def test_only_code_is_made_from_task_toml(task: Path) -> None:
    made = {Path(path).parts[0] for path in sources(load_task(task / "task.toml"))}
    assert made == {"src"}


@of_each_task
def test_the_brief_says_the_ranges_that_parsers_and_checks_are_made_from(
    task: Path,
) -> None:
    told = load_task(task / "task.toml")
    brief = read_brief(task / told.brief).values()
    for sensor in told.sensors:
        of_it = [text for text in brief if f"`{sensor.line} " in text]
        assert of_it, sensor.line
        due = [str(sensor.lowest), str(sensor.highest)]
        due = list(sensor.words) or due
        assert any({*due} <= {*re.findall(r"-?\w+", text)} for text in of_it), due


def test_the_toolkit_knows_no_task() -> None:
    own = set[str]()
    for task in (load_task(task / "task.toml") for task in TASKS):
        own |= _own_words(task)
    assert {"pump", "ACT PUMP OFF", "pressure_kpa", "SENSE TURB", "DRAINING"} <= own
    used = [
        f"{path.relative_to(ROOT)}: {word}"
        for path in TOOLKIT
        for word in sorted(_words(path) & own)
    ]
    assert used == []


def _own_words(task: Task) -> set[str]:
    assert task.controller is not None
    api = task.controller
    words = {*api.values, *api.actuators, *api.serialisers, *api.states}
    words |= {*task.safe_lines, *(sensor.line for sensor in task.sensors)}
    return words | {name.upper() for name in api.serialisers}


def _words(path: Path) -> set[str]:
    """Return the names and the texts of a module, what is said of it left out."""
    tree = ast.parse(path.read_text())
    said = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    found = set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) not in said:
                found.add(node.value)
        elif isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
    return found
