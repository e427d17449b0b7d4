"""The pages build without a warning, show all that is public, and lead somewhere."""

from __future__ import annotations

import importlib
import inspect
import re
import subprocess
import sys
import zlib
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from pytest_embedbench import hookspecs
from pytest_embedbench.plugin.options import OPTIONS
from tests.support.unmeasured import unmeasured

ROOT = Path(__file__).parents[2]
DOORS = (
    "pytest_embedbench",
    "pytest_embedbench.grading.checks",
    "pytest_embedbench.testing",
    "pytest_embedbench.wiring",
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
        env=unmeasured(),
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return built


@pytest.mark.timeout(600)
def test_the_reference_has_every_public_name(pages: Path) -> None:
    described = names_in((pages / "objects.inv").read_bytes())
    first = importlib.import_module(DOORS[0])
    public = {
        it.__name__ if inspect.ismodule(it) else f"{door}.{name}"
        for door in DOORS
        for name, it in inspect.getmembers(importlib.import_module(door))
        if name in importlib.import_module(door).__all__
        and (door == DOORS[0] or it is not getattr(first, name, None))
    }
    assert len(public) > 150
    hooks = {f"{hookspecs.__name__}.{name}" for name in vars(hookspecs)}
    public |= {name for name in hooks if ".pytest_embedbench_" in name}
    assert public - described == {"pytest_embedbench.testing"}, "which is a page"


@pytest.mark.timeout(600)
def test_the_reference_has_every_command_and_option(pages: Path) -> None:
    commands = (pages / "reference" / "commands.html").read_text("utf-8")
    named = {entry.name for entry in entry_points(group="embedbench.commands")}
    assert [
        name for name in named if f"usage: embedbench {name} " not in commands
    ] == []
    options = (pages / "reference" / "options.html").read_text("utf-8")
    for option in OPTIONS:
        assert {option.flag, option.dest, option.env} - words_in(options) == set()


def words_in(page: str) -> set[str]:
    return set(re.findall(r"[\w-]+", page))


def names_in(inventory: bytes) -> set[str]:
    """Return the Python names of a Sphinx inventory: four lines, then zlib."""
    lines = zlib.decompress(inventory.split(b"\n", 4)[4]).decode().splitlines()
    return {line.split(" ")[0] for line in lines if " py:" in line}


# Sphinx looks after those of docs/.
@pytest.mark.parametrize(
    "page",
    [
        *ROOT.glob("*.md"),
        *(ROOT / "tests").glob("*.md"),
        *(ROOT / "pytest_embedbench").rglob("*.md"),
    ],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_a_link_to_a_file_leads_to_one(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)[^)]*\)", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []
