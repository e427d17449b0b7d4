"""A Python program becomes one file, or a build error."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.builders.python_program import PythonProgram
from pytest_embedbench.errors import BuildError, ConfigError
from pytest_embedbench.model import FirmwareSource
from pytest_embedbench.support.projects import project_above
from pytest_embedbench.testing import check_builder

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path) -> Path:
    files = {
        "main.py": "from rules import limit\nfrom parts.pump import NAME\n"
        "print(NAME, limit(), __name__)\n",
        "rules.py": "def limit():\n    return 80\n",
        "parts/__init__.py": "",
        "parts/pump.py": "NAME = 'pump'\n",
        "test_rules.py": "this is no Python, and no part of it\n",
        "tests/conftest.py": "neither is this\n",
    }
    for name, text in files.items():
        file = tmp_path / "project" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path / "project"


def source(project: Path) -> FirmwareSource:
    return FirmwareSource(project_dir=project, environment="python")


def test_it_keeps_the_contract_of_builders(project: Path, tmp_path: Path) -> None:
    check_builder(PythonProgram(), source(project), tmp_path)


def test_the_image_is_the_program_with_all_its_modules(
    project: Path, tmp_path: Path
) -> None:
    image = PythonProgram().build(source(project), tmp_path)
    done = subprocess.run(
        [sys.executable, image.elf_path], capture_output=True, text=True, check=True
    )
    assert done.stdout == "pump 80 __main__\n"


def test_equal_programs_are_equal_images(project: Path, tmp_path: Path) -> None:
    builder = PythonProgram()
    first = builder.build(source(project), tmp_path)
    before = builder.fingerprint(source(project))
    (project / "rules.py").touch()
    assert builder.build(source(project), tmp_path).sha256 == first.sha256
    (project / "rules.py").write_text("def limit():\n    return 81\n")
    assert builder.fingerprint(source(project)) != before


def test_what_is_no_python_is_told_with_its_line(project: Path, tmp_path: Path) -> None:
    (project / "rules.py").write_text("def limit():\n    return (80\n")
    with pytest.raises(BuildError, match=r"rules\.py:2: SyntaxError: "):
        PythonProgram().build(source(project), tmp_path)


def test_a_folder_without_a_program_is_none(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no main\.py"):
        PythonProgram().environments(tmp_path)


def test_tests_beside_a_program_are_its_suite(project: Path) -> None:
    assert project_above(project / "tests" / "test_it.py") == project
