"""Sphinx: these pages and the API reference as HTML; ``scripts/docs`` builds them."""

from __future__ import annotations

import inspect
import os
import sys
from importlib import import_module
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import TYPE_CHECKING

from sphinx.errors import PycodeError
from sphinx.pycode import ModuleAnalyzer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).parent))
import command_pages  # beside this file, where Sphinx does not look

project = "pytest-embedbench"
copyright = "the pytest-embedbench authors"  # noqa: A001  # Sphinx's name
version = release = installed_version(project)

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.intersphinx",
    "sphinx.ext.napoleon",
]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"{project} {version}"
html_copy_source = False

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3

autodoc_default_options = {"show-inheritance": True, "undoc-members": True}
autodoc_member_order = "groupwise"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True

# Links to other projects' pages need the network, so a build has them only when asked.
intersphinx_mapping = (
    {
        "python": ("https://docs.python.org/3", None),
        "pytest": ("https://docs.pytest.org/en/stable", None),
        "pluggy": ("https://pluggy.readthedocs.io/en/stable", None),
    }
    if os.environ.get("EMBEDBENCH_DOCS_LINKS")
    else {}
)

# Each page of the reference shows one front door: all that its ``__all__`` names.
DOORS = {
    "reference/core": "pytest_embedbench",
    "reference/checks": "pytest_embedbench.grading.checks",
    "reference/testing": "pytest_embedbench.testing",
    "reference/wiring": "pytest_embedbench.wiring",
}
# And these say what programs say of themselves.
HELP = {
    "reference/commands": command_pages.commands,
    "reference/options": command_pages.options,
}
FIRST_DOOR = import_module("pytest_embedbench")


def setup(app: Sphinx) -> None:
    """Fill the pages of the reference, and find the words about constants."""
    app.connect("source-read", _add_reference)
    app.connect("autodoc-process-docstring", _describe_constant)


def _add_reference(_app: Sphinx, page: str, source: list[str]) -> None:
    if page in DOORS:
        source[0] += "\n".join(_reference(DOORS[page]))
    if page in HELP:
        source[0] += HELP[page]()


def _reference(door: str) -> Iterator[str]:
    module = import_module(door)
    named = {name: getattr(module, name) for name in module.__all__}
    if module is not FIRST_DOOR:  # what is the same there is on its page
        first = {name: getattr(FIRST_DOOR, name, None) for name in named}
        named = {name: it for name, it in named.items() if it is not first[name]}
    kinds = {
        "Functions": ("autofunction", inspect.isroutine),
        "Classes": ("autoclass", lambda it: inspect.isclass(it) and not _is_error(it)),
        "Errors": ("autoexception", _is_error),
        "Constants and aliases": ("autodata", _is_constant),
        "Modules": ("automodule", inspect.ismodule),
    }
    for title, (directive, belongs) in kinds.items():
        names = [name for name, it in named.items() if belongs(it)]
        # A door behind this one has a page of its own.
        names = [name for name in names if f"{door}.{name}" not in DOORS.values()]
        if names:
            yield f"\n## {title}\n\n```{{eval-rst}}"
        for name in names:
            it = named[name]
            path = it.__name__ if inspect.ismodule(it) else f"{door}.{name}"
            yield f".. {directive}:: {path}"
            if directive not in {"autofunction", "autodata"}:
                yield "   :members:"
            yield ""
        if names:
            yield "```\n"


def _is_error(it: object) -> bool:
    return inspect.isclass(it) and issubclass(it, Exception)


def _is_constant(it: object) -> bool:
    return not (inspect.isroutine(it) or inspect.isclass(it) or inspect.ismodule(it))


def _describe_constant(
    _app: Sphinx, what: str, name: str, _it: object, _options: object, lines: list[str]
) -> None:
    """Take the docstring below an assignment from the module that has it.

    Autodoc looks for it in the module that is documented: the front door, which only
    hands the name on.
    """
    if what not in {"data", "type"}:
        return
    lines.clear()  # they would be about the constant's type
    door, _, word = name.rpartition(".")
    homes: dict[str, str] = getattr(import_module(door), "_HOMES", {})
    for home in (home for home, names in homes.items() if word in names.split()):
        try:
            comments = ModuleAnalyzer.for_module(home).find_attr_docs()
        except PycodeError:
            continue
        lines.extend(comments.get(("", word), ()))
