"""The rules that no linter knows."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_embedbench import errors

ROOT = Path(__file__).parents[2]
ROOMS = ("pytest_embedbench", "plants", "boards")
MODULES = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))
MOST_LINES = 300
TIMELIKE = re.compile(
    r"(^|_)(time|timeout|delay|duration|period|deadline|within|tick|now)(_|$)|^at(_|$)"
)
UNIT = re.compile(r"_(us|ms|ns|s|hz|bps|count|ticks|cycles|per_tick)$")
# It speaks pexpect's names, whose times are in seconds.
FOREIGN = {ROOT / "pytest_embedbench" / "bench" / "dut.py"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_fits_on_a_few_screens(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= MOST_LINES


@pytest.mark.parametrize(
    "path",
    [path for path in MODULES if path not in FOREIGN],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_a_number_of_time_carries_its_unit(path: Path) -> None:
    nameless = [
        name
        for node in ast.walk(ast.parse(path.read_text()))
        for name, kind in _numbers(node)
        if kind in {"int", "float"} and TIMELIKE.search(name) and not UNIT.search(name)
    ]
    assert nameless == []


def test_every_error_is_in_the_tree_at_the_top_of_errors() -> None:
    raised = [
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, errors.EmbedbenchError)
    ]
    assert errors.__doc__ is not None
    assert [name for name in raised if f"``{name}``" not in errors.__doc__] == []


def test_starting_pytest_loads_no_engine_no_builder_and_no_catalogue() -> None:
    loaded = _loaded_by("pytest_embedbench.plugin, pytest_embedbench.grading.plugin")
    late = ("engines", "builders", "bench.", "plotting", "errors", "processes")
    ours = tuple(f"pytest_embedbench.{room}" for room in late)
    theirs = ("embedbench_", "serial", "pexpect", "elftools", "filelock", "platformio")
    assert [name for name in loaded if name.startswith((*ours, *theirs))] == []


def test_a_builder_loads_nothing_of_real_boards_and_no_web_client() -> None:
    loaded = _loaded_by("pytest_embedbench.builders.platformio.builder")
    rarely = ("pytest_embedbench.flashing", "pytest_embedbench.lab", "urllib.request")
    assert [name for name in loaded if name.startswith(rarely)] == []


def _loaded_by(modules: str) -> list[str]:
    code = f"import sys, {modules}; print(*sys.modules, sep='\\n')"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def _numbers(node: ast.AST) -> list[tuple[str, str]]:
    match node:
        case ast.AnnAssign(target=ast.Name(id=name), annotation=ast.Name(id=kind)):
            return [(name, kind)]
        case ast.arg(arg=name, annotation=ast.Name(id=kind)):
            return [(name, kind)]
        case ast.FunctionDef(name=name, returns=ast.Name(id=kind)):
            return [(name, kind)]
        case _:
            return []
