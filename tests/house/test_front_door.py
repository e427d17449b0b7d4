"""What users import: all of it from the front doors, and nothing before it is used."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import assert_type

import pytest

import pytest_embedbench
from pytest_embedbench import errors, exact, faults, model, testing, wiring
from pytest_embedbench.grading import checks, properties
from pytest_embedbench.wire.patterns import Exactly

ROOT = Path(__file__).parents[2]
LAZY = (pytest_embedbench, checks)
DOORS = {*LAZY, testing, wiring}
PLANTS_MAY_USE = {"contracts", "errors", "metrics", "model"}
PYTHON = [
    *sorted((ROOT / "example_suites").rglob("*.py")),
    *sorted((ROOT / "plants").rglob("*.py")),
    *sorted((ROOT / "pytest_embedbench" / "grading" / "task_template").rglob("*.py")),
]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
CODE = re.compile(r"^```(?:python|pycon)\n(.*?)^```", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"pytest_embedbench(?:\.\w+)+")


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


def homes_for_type_checkers(door: ModuleType) -> dict[str, str]:
    """Return what is imported for type checkers: names, each with its module."""
    assert door.__file__ is not None
    return {
        alias.asname or "": node.module or ""
        for node in ast.walk(ast.parse(Path(door.__file__).read_text()))
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
        if alias.asname is not None
    }


def imports(text: str) -> Iterator[tuple[str, str]]:
    """Yield what a module takes of ours: module and name, ``""`` for all of it."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            yield from ((module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)


def not_by_a_door(text: str) -> list[tuple[str, str]]:
    public = {door.__name__: {"", *door.__all__} for door in DOORS}
    return [
        (module, name)
        for module, name in imports(text)
        if module.partition(".")[0] == "pytest_embedbench"
        and name not in public.get(module, ())
    ]


def is_module(name: str) -> bool:
    place = ROOT / name.replace(".", "/")
    return place.is_dir() or place.with_suffix(".py").is_file()


@pytest.mark.parametrize("door", LAZY, ids=lambda door: door.__name__)
def test_a_door_lists_its_names_in_order_and_once(door: ModuleType) -> None:
    assert door.__all__ == sorted(set(door.__all__))
    assert dir(door) == door.__all__


@pytest.mark.parametrize("door", LAZY, ids=lambda door: door.__name__)
def test_a_door_hands_out_what_type_checkers_see(door: ModuleType) -> None:
    seen = homes_for_type_checkers(door)
    assert sorted(seen) == door.__all__
    for name, home in seen.items():
        assert getattr(door, name) is getattr(importlib.import_module(home), name)


def test_type_checkers_see_real_types() -> None:
    assert_type(exact("up"), Exactly)


@pytest.mark.parametrize("room", [errors, faults, model, properties])
def test_the_doors_hand_out_whole_rooms(room: ModuleType) -> None:
    own = [
        name
        for name, thing in vars(room).items()
        if (inspect.isclass(thing) or inspect.isfunction(thing))
        and thing.__module__.startswith(room.__name__)
        and not name.startswith("_")
    ]
    assert own
    handed_out = {name for door in LAZY for name in door.__all__}
    assert [name for name in own if name not in handed_out] == []


@pytest.mark.parametrize("door", LAZY, ids=lambda door: door.__name__)
def test_a_name_that_is_none_is_no_attribute(door: ModuleType) -> None:
    with pytest.raises(AttributeError, match=rf"'{door.__name__}' has .* 'Bensch'"):
        getattr(door, "Bensch")  # noqa: B009  # no type checker lets it pass


@pytest.mark.parametrize("door", LAZY, ids=lambda door: door.__name__)
def test_coming_to_a_door_loads_nothing_behind_it(door: ModuleType) -> None:
    code = (
        f"import sys, {door.__name__}; "
        "print(*(m for m in sys.modules if m.startswith('pytest')), sep='\\n')"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    parts = door.__name__.split(".")
    assert loaded == [".".join(parts[:count]) for count in range(1, len(parts) + 1)]


@pytest.mark.parametrize("path", PYTHON, ids=relative)
def test_examples_come_in_by_the_front_doors(path: Path) -> None:
    assert not_by_a_door(path.read_text()) == []


@pytest.mark.parametrize("path", PAGES, ids=relative)
def test_pages_show_the_front_doors_only(path: Path) -> None:
    text = path.read_text()
    for code in CODE.findall(text):
        assert not_by_a_door(code) == []
    public = {f"{door.__name__}.{name}" for door in DOORS for name in door.__all__}
    named = sorted({*NAMED.findall(text)} - public)
    assert [name for name in named if not is_module(name)] == []


@pytest.mark.parametrize("path", sorted((ROOT / "plants").rglob("*.py")), ids=relative)
def test_plants_take_nothing_but_arithmetic(path: Path) -> None:
    homes = homes_for_type_checkers(pytest_embedbench)
    for module, name in imports(path.read_text()):
        if module == "pytest_embedbench":
            home = f"{homes[name]}.{name}.".split(".")[1]
            assert home in PLANTS_MAY_USE, f"{name} is from {homes[name]}"


def test_the_package_does_not_go_out_by_its_own_front_door() -> None:
    """Each room says which rooms it stands on; the front door stands on all."""
    doors = {door.__name__: {*door.__all__} for door in LAZY}
    ways_round = [
        (relative(path), name)
        for path in sorted((ROOT / "pytest_embedbench").rglob("*.py"))
        if "task_template" not in path.parts and path.name != "__init__.py"
        for module, name in imports(path.read_text())
        if name in doors.get(module, ())
        and not inspect.ismodule(getattr(sys.modules[module], name))
    ]
    assert ways_round == []
