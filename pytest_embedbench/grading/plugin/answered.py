"""Which checks go by nothing but a submission's answers, and what they are called."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from pytest_embedbench.grading.plugin.stash import CHECK, DONE, HOST_FIXTURES
from pytest_embedbench.grading.plugin.submissions import PARAMETER, label_of, own_id
from pytest_embedbench.grading.verdict import Stage

_OURS = HOST_FIXTURES | {"oracle", "task", "request", PARAMETER}
_PACKAGE = Path(__file__).parents[2]
_NAME: pytest.StashKey[str] = pytest.StashKey()


def on_the_host(item: pytest.Item) -> bool:
    """Say whether a check goes by nothing but what a submission on the host answers.

    That is not known of one that takes other people's fixtures, or is driven by chance.
    """
    return _goes_by_answers(item, Stage.HOST_TEST)


def on_a_board(item: pytest.Item) -> bool:
    """Say the same of a check of the target stage."""
    return _goes_by_answers(item, Stage.TARGET_TEST)


def name_of(item: pytest.Item) -> str:
    """Return by what such a check is known, wherever its suite lies."""
    return item.stash[_NAME]


def _goes_by_answers(item: pytest.Item, stage: Stage) -> bool:
    if CHECK not in item.stash or DONE in item.stash:
        return False
    if item.stash[CHECK].goal is not stage or not isinstance(item, pytest.Function):
        return False
    if _NAME not in item.stash:
        item.stash[_NAME] = _named(item) if _takes_ours_only(item, stage) else ""
    return bool(item.stash[_NAME])


def _takes_ours_only(item: pytest.Function, stage: Stage) -> bool:
    names = set(item.fixturenames)
    if stage is Stage.HOST_TEST and HOST_FIXTURES.isdisjoint(names):
        return False
    if hasattr(inspect.unwrap(item.obj, stop=_is_by_chance), "hypothesis"):
        return False
    root = item.stash[CHECK].suite.root
    callspec = getattr(item, "callspec", None)
    given = set(callspec.params) if callspec is not None else set[str]()
    info = item._fixtureinfo  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    for name in names - given:
        place = _PACKAGE if name in _OURS else root
        for each in info.name2fixturedefs.get(name, ()):
            if not Path(each.func.__code__.co_filename).is_relative_to(place):
                return False
    return True


def _is_by_chance(function: object) -> bool:
    return hasattr(function, "hypothesis")


def _named(item: pytest.Function) -> str:
    _, _, test = own_id(item.nodeid, label_of(item)).partition("::")
    file = item.path.relative_to(item.stash[CHECK].suite.root).as_posix()
    return f"{file}::{test}"
