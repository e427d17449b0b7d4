"""Linters and type checkers, as the ``lint`` extra has them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = sys.executable
CHECKS = {
    "ruff": [PYTHON, "-m", "ruff", "check", "--no-cache", "."],
    "format": [PYTHON, "-m", "ruff", "format", "--no-cache", "--check", "."],
    "mypy": [PYTHON, "-m", "mypy"],
    "pyright": [PYTHON, "-m", "pyright", "--pythonpath", PYTHON],
    "imports": [
        PYTHON,
        "-c",
        "from importlinter.cli import lint_imports_command as run; run()",
        "--no-cache",
    ],
}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", CHECKS)
def test_the_tree_is_clean(name: str) -> None:
    done = subprocess.run(
        CHECKS[name], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
