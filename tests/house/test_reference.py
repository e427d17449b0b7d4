"""The pages of docs/ build without a warning, and show every public name."""

from __future__ import annotations

import importlib
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOORS = (
    "pytest_embedbench",
    "pytest_embedbench.grading.checks",
    "pytest_embedbench.testing",
)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the built pages."""
    pytest.importorskip("furo", reason="pip install 'pytest-embedbench[docs]'")
    built = tmp_path_factory.mktemp("docs")
    words = ["--quiet", "--fail-on-warning", "--keep-going", "--builder", "html"]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *words, ROOT / "docs", built],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return built


@pytest.mark.timeout(600)
def test_the_reference_has_every_public_name(pages: Path) -> None:
    described = names_in((pages / "objects.inv").read_bytes())
    public = {
        f"{door}.{name}"
        for door in DOORS
        for name in importlib.import_module(door).__all__
    }
    assert public - described == {"pytest_embedbench.testing"}, "which is a page"


def names_in(inventory: bytes) -> set[str]:
    """Return the Python names of a Sphinx inventory: four lines, then zlib."""
    lines = zlib.decompress(inventory.split(b"\n", 4)[4]).decode().splitlines()
    return {line.split(" ")[0] for line in lines if " py:" in line}
