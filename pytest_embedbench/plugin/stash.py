"""Where the plugin keeps things on pytest's own objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_embedbench.grading.plugin.profile import Check
    from pytest_embedbench.plugin.session import Session
    from pytest_embedbench.plugin.testlog import TestLog

_SESSION: pytest.StashKey[Session] = pytest.StashKey()
SEED = "embedbench_seed"
"""A user property of this name is a seed of its test."""
NOTE = "embedbench_note"
ANNOUNCEMENTS = "embedbench_announcements"
TRIAL = "embedbench_trial"
SHIPPED = "embedbench_shipped"
"""Attributes of a test report, which xdist carries along."""
CHECK: pytest.StashKey[Check] = pytest.StashKey()
TESTLOG: pytest.StashKey[TestLog] = pytest.StashKey()
ROBUST = "robust"
"""Both a profile and the marker of the tests that it runs."""
_MARKS = frozenset({"brief", "profile", ROBUST})


def in_use(config: pytest.Config) -> bool:
    """Say whether anything of ours has been asked for in this process."""
    return _SESSION in config.stash


def session_of(config: pytest.Config) -> Session:
    """Return what this process knows for a whole session; made on first use.

    Raises:
        pytest.UsageError: an unknown board, a broken datasheet, a bad option.
    """
    if _SESSION not in config.stash:
        from pytest_embedbench.plugin.session import start  # noqa: PLC0415  # late

        config.stash[_SESSION] = start(config)
    return config.stash[_SESSION]


def concerns_us(item: pytest.Item) -> bool:
    """Say whether a test uses a board or is part of an evaluation."""
    if "board_spec" in getattr(item, "fixturenames", ()):
        return True
    return any(mark.name in _MARKS for mark in item.iter_markers())
