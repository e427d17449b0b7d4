"""Which checks a profile runs, and the sentences of the brief that they enforce."""

from __future__ import annotations

import warnings
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.errors import ConfigError, UnknownName
from pytest_embedbench.grading.ledger import GIVEN_UP, SPINS_ENDURED
from pytest_embedbench.grading.plugin.check import Check
from pytest_embedbench.grading.plugin.options import PAPER_STRICT, PROFILE
from pytest_embedbench.grading.plugin.stash import (
    CHECK,
    HOST_FIXTURES,
    ROBUST,
    SUBMITTED,
    TARGET_BOARD,
    grading_of,
    is_graded,
)
from pytest_embedbench.grading.plugin.submissions import label_of, submission_of
from pytest_embedbench.grading.verdict import Stage
from pytest_embedbench.plugin.markers import check_text
from pytest_embedbench.plugin.options import setting
from pytest_embedbench.plugin.stash import RECORDED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


NOT_TRIED: pytest.StashKey[bool] = pytest.StashKey()
"""A check that is skipped for what the submission did in others."""
WRONG_PROFILE: pytest.StashKey[str] = pytest.StashKey()
"""Why none of a suite's tests can run: the first of them says so."""
_SPINS: pytest.StashKey[dict[tuple[Path, str, str], list[int]]] = pytest.StashKey()
_POSITION: pytest.StashKey[int] = pytest.StashKey()
"""The place of a check among all tests."""
_DESELECTED: pytest.StashKey[Counter[str]] = pytest.StashKey()
"""How many checks of the chosen profile the user left out, of each submission."""
_BY_MARK = (
    "-m robust will not run robust tests any more: use --embedbench-profile=robust, "
    "with -m robust to leave out all others"
)
_NO_PARAMETER = (
    "a check that takes no parameters, as those of unittest.TestCase, cannot be run "
    "for each of many submissions: make it a function"
)
BOARD_FIXTURES = frozenset({"board", "board_spec", "boot", "real_boards"})
"""All others that boot a board ask for one of these."""


def sentences_of(node: pytest.Item | pytest.Function) -> Mapping[str, str]:
    """Return the sentences that a test's ``brief`` markers name, by id.

    In ``paper-strict`` they are those of the published brief.

    Raises:
        ConfigError: there is no such sentence, no brief or no task.
    """
    named = _named(node)
    grading = grading_of(node.config)
    suite = grading.suite(node.path)
    known = grading.brief(suite).sentences
    for name in named:
        if name not in known:
            listed = ", ".join(known)
            message = f"{node.name}: brief({name!r}): no such sentence; known: {listed}"
            raise ConfigError(message)
    return {name: each for name, each in grading.due(suite).items() if name in named}


def _named(node: pytest.Item | pytest.Function) -> list[str]:
    return [name for marker in node.iter_markers("brief") for name in marker.args]


def check_markers(metafunc: pytest.Metafunc) -> None:
    """Refuse to collect a test that names sentences or profiles which are not there."""
    node = metafunc.definition
    try:
        for marker in node.iter_markers("brief"):
            grading = grading_of(node.config)
            check_text(node, marker, grading.brief(grading.suite(node.path)).sentences)
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
        left_out = set(others)
        items[:] = [item for item in items if item not in left_out]
    for position, item in enumerate(items):
        if item.get_closest_marker("brief") is not None:
            item.stash[_POSITION] = position
            item.stash[CHECK] = _check(item)
            item.stash[RECORDED] = True
            if SUBMITTED in config.stash and submission_of(item) is None:
                item.stash[WRONG_PROFILE] = _NO_PARAMETER
    if any(CHECK in item.stash for item in items):
        from pytest_embedbench.plugin import running  # noqa: PLC0415  # late

        running.watch(config)


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
    if PROFILE.default in named and _is_published(item):
        named.add(PAPER_STRICT)
    return named | ({ROBUST} if item.get_closest_marker(ROBUST) is not None else set())


def count_deselected(items: Iterable[pytest.Item]) -> None:
    """Remember how many checks of the chosen profile are left out."""
    for item in items:
        if item.get_closest_marker("brief") is not None and _in_profile(item):
            _deselected(item.config)[label_of(item)] += 1


def deselected_count(item: pytest.Item) -> int:
    """Return how many checks of the submission of a test are left out."""
    return _deselected(item.config)[label_of(item)]


def _deselected(config: pytest.Config) -> Counter[str]:
    return config.stash.setdefault(_DESELECTED, Counter[str]())


def note_spin(item: pytest.Item) -> None:
    """Remember that the submission did not come back in this check."""
    _spins(item).append(item.stash[_POSITION])


def skip_if_it_spins(item: pytest.Item) -> None:
    """Skip a check of a submission that did not come back too often."""
    before = [at for at in _spins(item) if at < item.stash[_POSITION]]
    if len(before) >= SPINS_ENDURED:
        item.stash[NOT_TRIED] = True
        pytest.skip(GIVEN_UP)


def _spins(item: pytest.Item) -> list[int]:
    """Return in which checks of the same a submission has not come back.

    The same is a suite, on a board or on none. A worker that has taken over another's
    tests comes to earlier checks later: those are tried, whatever came of later ones.
    """
    check = item.stash[CHECK]
    spins = item.config.stash.setdefault(_SPINS, {})
    return spins.setdefault((check.suite.root, label_of(item), check.board), [])


def _in_profile(item: pytest.Item) -> bool:
    chosen = setting(item.config, PROFILE)
    if item.get_closest_marker(ROBUST) is not None:
        return chosen == ROBUST or _only_by_mark(item)
    marker = item.get_closest_marker("profile")
    profiles = marker.args if marker is not None else (PROFILE.default, chosen)
    if chosen == PAPER_STRICT and (marker is None or chosen not in profiles):
        return PROFILE.default in profiles and _is_published(item)
    return chosen in profiles


def _is_published(item: pytest.Item) -> bool:
    """Say whether all sentences that a check enforces are of the published brief."""
    if not (named := _named(item)):
        return True
    grading = grading_of(item.config)
    return grading.brief(grading.suite(item.path)).ours.isdisjoint(named)


def _only_by_mark(item: pytest.Item) -> bool:
    """Say whether a test is robust, and nothing but ``-m`` has asked for it."""
    return (
        item.get_closest_marker(ROBUST) is not None
        and ROBUST in item.config.option.markexpr
        and setting(item.config, PROFILE) != ROBUST
    )


def _check(item: pytest.Item) -> Check:
    board, goal = _place(item)
    return Check(
        suite=grading_of(item.config).suite(item.path),
        board=board,
        goal=goal,
        brief=sentences_of(item),
    )


def _place(item: pytest.Item) -> tuple[str, Stage]:
    """Return where a check runs, and the stage that it is about."""
    if TARGET_BOARD in item.stash:
        return item.stash[TARGET_BOARD], Stage.TARGET_TEST
    fixtures = set(getattr(item, "fixturenames", ()))
    if fixtures & HOST_FIXTURES or not fixtures & BOARD_FIXTURES:
        return "", Stage.HOST_TEST
    callspec = getattr(item, "callspec", None)
    board = callspec.params.get("board_spec", "") if callspec else ""
    return board, Stage.INTEGRATION
