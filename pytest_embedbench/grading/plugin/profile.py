"""Which checks a profile runs, and the sentences of the brief that they enforce."""

from __future__ import annotations

import warnings
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.errors import ConfigError, UnknownName
from pytest_embedbench.grading.plugin.check import Check
from pytest_embedbench.grading.plugin.options import PROFILE
from pytest_embedbench.grading.plugin.stash import (
    CHECK,
    ROBUST,
    grading_of,
    is_graded,
)
from pytest_embedbench.plugin.markers import check_text
from pytest_embedbench.plugin.options import setting

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


NOT_TRIED: pytest.StashKey[bool] = pytest.StashKey()
"""A check that is skipped for what the submission did in others."""
WRONG_PROFILE: pytest.StashKey[str] = pytest.StashKey()
"""Why none of a suite's tests can run: the first of them says so."""
_SPINS: pytest.StashKey[Counter[tuple[Path, str]]] = pytest.StashKey()
_SPINS_ENDURED = 2
"""Each spin costs seconds; after so many it is known what a submission does."""
DESELECTED: pytest.StashKey[int] = pytest.StashKey()
"""How many checks of the chosen profile the user left out."""
_BY_MARK = (
    "-m robust will not run robust tests any more: use --embedbench-profile=robust, "
    "with -m robust to leave out all others"
)
_HOST_FIXTURES = frozenset({"controller", "protocol"})
_BOARD_FIXTURES = frozenset({"board", "board_spec", "boot", "real_boards"})
"""All others that boot a board ask for one of these."""


def sentences_of(node: pytest.Item | pytest.Function) -> Mapping[str, str]:
    """Return the sentences that a test's ``brief`` markers name, by id.

    Raises:
        ConfigError: there is no such sentence, no brief or no task.
    """
    named = [name for marker in node.iter_markers("brief") for name in marker.args]
    grading = grading_of(node.config)
    known = grading.brief(grading.suite(node.path))
    for name in named:
        if name not in known:
            listed = ", ".join(known)
            message = f"{node.name}: brief({name!r}): no such sentence; known: {listed}"
            raise ConfigError(message)
    return {name: known[name] for name in known if name in named}


def check_markers(metafunc: pytest.Metafunc) -> None:
    """Refuse to collect a test that names sentences or profiles which are not there."""
    node = metafunc.definition
    try:
        for marker in node.iter_markers("brief"):
            grading = grading_of(node.config)
            check_text(node, marker, grading.brief(grading.suite(node.path)))
        if node.get_closest_marker("brief") is not None:
            sentences_of(node)
        for marker in node.iter_markers("profile"):
            check_text(node, marker, PROFILE.choices)
            for name in marker.args:
                if name not in PROFILE.choices:
                    raise UnknownName("profile", name, PROFILE.choices)
    except ConfigError as error:
        raise pytest.Collector.CollectError(str(error)) from None


def select(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests of other profiles, and mark what is a check."""
    if any(map(_only_by_mark, items)):
        warnings.warn(_BY_MARK, DeprecationWarning, stacklevel=1)
    wrong = _without_profile(config, items)
    others = [item for item in items if wrong.get(item, not _in_profile(item))]
    if others:
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if item not in set(others)]
    for item in items:
        if item.get_closest_marker("brief") is not None:
            item.stash[CHECK] = _check(item)


def _without_profile(
    config: pytest.Config, items: Iterable[pytest.Item]
) -> dict[pytest.Item, bool]:
    """Return the tests of suites that have none of the chosen profile.

    The first of each stays, to fail: workers cannot end a run, and a run without a test
    would look like a slip elsewhere. All others (true) are left out.
    """
    chosen = setting(config, PROFILE)
    if chosen == PROFILE.default or config.option.keyword or config.option.markexpr:
        return {}
    grading = grading_of(config)
    by_suite: dict[Path, list[pytest.Item]] = {}
    for item in filter(is_graded, items):
        if (suite := grading.suite_or_none(item.path)) is not None:
            by_suite.setdefault(suite.root, []).append(item)
    wrong: dict[pytest.Item, bool] = {}
    for root, own in by_suite.items():
        there = {name for item in own for name in _profiles_of(item)}
        if chosen not in there:
            own[0].stash[WRONG_PROFILE] = (
                f"--embedbench-profile={chosen}: none of the tests in {root} is for "
                f"it; they are for: {', '.join(sorted(there)) or PROFILE.default}"
            )
            wrong |= {item: item is not own[0] for item in own}
    return wrong


def _profiles_of(item: pytest.Item) -> set[str]:
    """Return the profiles that a test names."""
    named = {name for mark in item.iter_markers("profile") for name in mark.args}
    return named | ({ROBUST} if item.get_closest_marker(ROBUST) is not None else set())


def count_deselected(items: Iterable[pytest.Item]) -> None:
    """Remember how many checks of the chosen profile are left out."""
    for item in items:
        if item.get_closest_marker("brief") is not None and _in_profile(item):
            stash = item.config.stash
            stash[DESELECTED] = stash.get(DESELECTED, 0) + 1


def note_spin(item: pytest.Item) -> None:
    """Remember that the submission did not come back in this check."""
    check = item.stash[CHECK]
    _spins(item.config)[check.suite.root, check.board] += 1


def skip_if_it_spins(item: pytest.Item) -> None:
    """Skip a check of a submission that did not come back too often."""
    check = item.stash[CHECK]
    if _spins(item.config)[check.suite.root, check.board] >= _SPINS_ENDURED:
        item.stash[NOT_TRIED] = True
        pytest.skip(f"it did not come back in {_SPINS_ENDURED} checks before")


def _spins(config: pytest.Config) -> Counter[tuple[Path, str]]:
    return config.stash.setdefault(_SPINS, Counter[tuple["Path", str]]())


def _in_profile(item: pytest.Item) -> bool:
    chosen = setting(item.config, PROFILE)
    if item.get_closest_marker(ROBUST) is not None:
        return chosen == ROBUST or _only_by_mark(item)
    marker = item.get_closest_marker("profile")
    return marker is None or chosen in marker.args


def _only_by_mark(item: pytest.Item) -> bool:
    """Say whether a test is robust, and nothing but ``-m`` has asked for it."""
    return (
        item.get_closest_marker(ROBUST) is not None
        and ROBUST in item.config.option.markexpr
        and setting(item.config, PROFILE) != ROBUST
    )


def _check(item: pytest.Item) -> Check:
    fixtures = set(getattr(item, "fixturenames", ()))
    callspec = getattr(item, "callspec", None)
    board = callspec.params.get("board_spec", "") if callspec else ""
    on_host = bool(fixtures & _HOST_FIXTURES or not fixtures & _BOARD_FIXTURES)
    return Check(
        suite=grading_of(item.config).suite(item.path),
        board="" if on_host else board,
        on_host=on_host,
        brief=sentences_of(item),
    )
