"""Each block of the pages is run, or held against what it speaks of, or says why not.

``tests/e2e/test_tutorials.py`` runs the tutorials; here all pages are read.
"""

from __future__ import annotations

import ast
import configparser
import importlib.util
import json
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.cli import make_parser
from pytest_embedbench.lab.inventory.labfile import load_lab
from tests.support.doc_pages import blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.support.doc_pages import Block, Command

ROOT = Path(__file__).parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
BLOCKS = [
    block
    for page in PAGES
    if "_build" not in page.parts
    for block in blocks(page)
    if not block.language.startswith("{")  # Sphinx runs its directives
]
# Of this checkout, when a command names it.
OURS = ("example_suites/", "benchmarks/", "tests/")
UNITY = ROOT / "pytest_embedbench/platforms/libraries/Unity/src"
# What a shell has, and a batch system.
PLAIN = {".", "cat", "cp", "export", "mkdir", "python3", "sbatch", "sed"}
# Output, prose and drawings: nothing in them can be run.
SHOWN = {"text", "markdown"}
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
    "optional-dependencies"
]


def of(*languages: str) -> list[Any]:
    return [
        pytest.param(block, id=str(block))
        for block in BLOCKS
        if block.language in languages and not block.not_run
    ]


def test_no_block_is_left_unchecked() -> None:
    unknown = [
        f"{block}: {block.language or 'no language'}"
        for block in BLOCKS
        if block.language not in {*CHECKED, *SHOWN} and not block.not_run
    ]
    assert unknown == [], "name a language, or say above it: <!-- not run: REASON -->"


def test_what_is_not_run_says_why() -> None:
    told = [block.not_run for block in BLOCKS if block.not_run]
    assert [reason for reason in told if len(reason.split()) < 3] == []


def test_what_is_part_of_a_file_stands_there() -> None:
    parts = [block for block in BLOCKS if block.part_of]
    assert parts
    for block in parts:
        assert block.text in (ROOT / block.part_of).read_text("utf-8"), str(block)


# ------------------------------------------------------------------------- Python
@pytest.fixture(scope="module")
def fixtures(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The names of all fixtures that a user's test can take."""
    listed = subprocess.run(
        [sys.executable, "-m", "pytest", "--fixtures", "-q"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path_factory.mktemp("nothing"),
    ).stdout
    named = re.findall(r"^(\w+)(?: \[.*\])? -- ", listed, re.MULTILINE)
    return {"request", *named}


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    yield from (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def is_fixture(function: ast.FunctionDef) -> bool:
    return any("fixture" in ast.unparse(it) for it in function.decorator_list)


def not_from_anywhere(tree: ast.Module, here: str) -> Iterator[str]:
    """Yield what is imported and is not there; modules of the page's own are."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            if (node.module or "").partition(".")[0] in here:
                continue
            module = importlib.import_module(node.module or "")
            for name in node.names:
                if not hasattr(module, name.name):
                    yield f"from {node.module} import {name.name}"
        elif isinstance(node, ast.Import):
            for name in node.names:
                if not importlib.util.find_spec(name.name.partition(".")[0]):
                    yield f"import {name.name}"


@pytest.mark.parametrize("block", of("python"))
def test_python_compiles_and_takes_what_is_there(
    block: Block, fixtures: set[str]
) -> None:
    tree = ast.parse(block.text)
    assert [*not_from_anywhere(tree, block.page.read_text("utf-8"))] == []
    of_page = [
        ast.parse(it.text) for it in blocks(block.page) if it.language == "python"
    ]
    known = fixtures | {it.name for each in of_page for it in functions(each)}
    for function in functions(tree):
        if function.name.startswith("test_") or is_fixture(function):
            taken = {argument.arg for argument in function.args.args} - {"self"}
            assert taken - known - {*given(function)} == set(), function.name


def given(function: ast.FunctionDef) -> Iterator[str]:
    """Yield what decorators fill in: by keyword, or named in a text."""
    for decorator in function.decorator_list:
        for it in ast.walk(decorator):
            if isinstance(it, ast.keyword) and it.arg:
                yield it.arg
            elif isinstance(it, ast.Constant) and isinstance(it.value, str):
                yield from it.value.replace(",", " ").split()


def test_python_defines_all_that_it_uses(tmp_path: Path) -> None:
    """Of what is shown in part, the package that it is a part of is linted."""
    for number, block in enumerate(BLOCKS):
        if block.language == "python" and block.page.name != "extending.md":
            file = tmp_path / f"{number}_{block.page.stem}_{block.line}.py"
            file.write_text(block.text)
    linted = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--isolated", "--select=F821", "-q"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert linted.returncode == 0, linted.stdout


# --------------------------------------------------------------------------- data
def read_json(text: str) -> None:
    try:
        json.loads(text)
    except json.JSONDecodeError:  # of lines
        for line in text.splitlines():
            json.loads(line)


def read_ini(text: str) -> None:
    configparser.ConfigParser().read_string(text)


def read_yaml(text: str) -> None:
    pytest.importorskip("yaml").safe_load(text)


DATA: dict[str, Callable[[str], object]] = {
    "toml": tomllib.loads,
    "json": read_json,
    "ini": read_ini,
    "yaml": read_yaml,
}


@pytest.mark.parametrize("block", of(*DATA))
def test_data_can_be_read(block: Block) -> None:
    DATA[block.language](block.text)


def lab_files() -> list[Any]:
    return [
        it
        for it in of("toml")
        if {"boards", "pools", "labgrid"} & set(tomllib.loads(it.values[0].text))
    ]


@pytest.mark.parametrize("block", lab_files())
def test_a_lab_file_is_one(block: Block, tmp_path: Path) -> None:
    file = tmp_path / "embedbench.toml"
    file.write_text(block.text)
    assert load_lab(file).names()


# ------------------------------------------------------------------------- C and C++
@pytest.mark.parametrize("block", of("c"))
def test_c_compiles(block: Block, tmp_path: Path) -> None:
    """As a program of this machine, beside what it says that it tests."""
    (tmp_path / "calc.h").write_text("int add(int a, int b);\n")
    file = tmp_path / "block.c"
    file.write_text(block.text)
    warned = ("-fsyntax-only", "-Wall", "-Werror", f"-I{UNITY}")
    subprocess.run(["gcc", *warned, file], check=True)


@pytest.mark.parametrize("block", of("bash"))
def test_a_script_is_one_and_calls_commands_that_are(block: Block) -> None:
    subprocess.run(["bash", "-n"], input=block.text, text=True, check=True)
    for line in block.text.replace("\\\n", " ").splitlines():
        if line.startswith("embedbench "):
            words = [word for word in shlex.split(line)[1:] if "{" not in word]
            make_parser(words[0]).parse_args(words)


# ----------------------------------------------------------------------- commands
def commands() -> list[Any]:
    return [
        pytest.param(block, command, id=f"{block} {command.text[:40]}")
        for block in BLOCKS
        if block.language == "console"
        for command in block.commands
    ]


@pytest.mark.parametrize(("block", "command"), commands())
def test_a_command_is_one(
    block: Block,
    command: Command,
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program, *words = command.words
    monkeypatch.chdir(ROOT)
    if program == "embedbench":
        make_parser(words[0]).parse_args(words)
    elif program == "pytest":
        pytester.parseconfig(*words)
    elif program == "pip":
        extras = re.findall(r"pytest-embedbench\[(.*)\]", " ".join(words))
        assert extras
        assert set(extras[0].split(",")) <= set(EXTRAS)
    elif program.startswith("scripts/"):
        assert (ROOT / program).is_file()
    else:
        assert program in PLAIN, f"{block}: who checks {program}?"
    for word in words:
        if word.startswith(OURS):
            assert (ROOT / word.partition("::")[0]).exists(), word


CHECKED = {*DATA, "bash", "c", "console", "cpp", "python"}
