"""A digest of all that the outcome of a case depends on, for runs that go on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.errors import EmbedbenchError
from pytest_embedbench.esr.plugin.options import ANSWERS
from pytest_embedbench.esr.plugin.searching import BESIDE_SOURCES
from pytest_embedbench.esr.plugin.stash import ABOUT
from pytest_embedbench.plugin.digests import digest_of, everywhere, of_path, tree
from pytest_embedbench.plugin.options import OPTIONS, path_setting, settings
from pytest_embedbench.plugin.stash import session_of
from pytest_embedbench.support.projects import project_above

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

_BESIDE = {"artifacts", "board", "cache", "plots", "require", "resume"}
"""Options that no outcome depends on."""


def digest_for(item: pytest.Item) -> str:
    """Return one digest of answer, case, options and tools."""
    return digest_of(_parts(item))


def _parts(item: pytest.Item) -> Iterator[str]:
    about, config = item.stash[ABOUT], item.config
    yield from everywhere()
    try:
        yield session_of(config).engine_version(about.board)
    except EmbedbenchError as error:
        yield str(error)
    for option in OPTIONS:
        if option.name not in _BESIDE:
            yield f"{option.name}={settings(config, option)!r}"
    if (lab := path_setting(config, "lab")) is not None:
        yield of_path(lab)
    for folder in item.path.parents:
        if (file := folder / "conftest.py").is_file():
            yield of_path(file)
    yield from _project(item)
    answer = about.answer
    if answer is not None:
        told = (answer.case, answer.check, answer.diagram, answer.tags, answer.taken)
        yield repr((answer.model, *told, sorted(answer.pins.items())))
        if answer.submission.folder:
            yield from tree(Path(answer.submission.folder))


def _project(item: pytest.Item) -> Iterator[str]:
    """Yield the test's folder, and what is built of a project above it.

    What pytest itself is given or makes there is not the case's.
    """
    places = (
        path_setting(item.config, name) for name in ("artifacts", "cache", ANSWERS)
    )
    yield from tree(item.path.parent, [place.resolve() for place in places if place])
    try:
        project = project_above(item.path)
    except EmbedbenchError:
        return
    if project != item.path.parent:
        for name in (*BESIDE_SOURCES, "src"):
            yield from (f"{name}\n{of_path(project / name)}", *tree(project / name))
