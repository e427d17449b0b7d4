"""Where the plugin keeps things on pytest's own objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

if TYPE_CHECKING:
    from pytest_embedbench.plugin.session import Session
    from pytest_embedbench.plugin.testlog import TestLog
    from pytest_embedbench.plugin.testrig import TestRig

_SESSION: pytest.StashKey[Session] = pytest.StashKey()
NO_BOARD = "no --board given"
"""The board of a test that was not given one."""
SEED = "embedbench_seed"
"""A user property of this name is a seed of its test."""
SHIPPED = "embedbench_shipped"
"""An attribute of a test report, which xdist carries along."""
_OF_BOARDS = frozenset({"board", "board_spec", "firmware_image", "firmware_source"})
"""Fixtures of a test on a board; a suite may have its own in the place of each."""
TESTLOG: pytest.StashKey[TestLog] = pytest.StashKey()
RUN_NAME: pytest.StashKey[str] = pytest.StashKey()
"""The run that a product goes on with, instead of beginning one."""
PLACE: pytest.StashKey[tuple[str, str]] = pytest.StashKey()
"""Where below the run's folder a product wants a test's evidence, and by what name."""

RECORDED: pytest.StashKey[bool] = pytest.StashKey()
"""On a test of which a product wants a record if it fails, on a board or on none."""


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


def item_of(request: pytest.FixtureRequest) -> pytest.Item:
    """Return the test that asks; only function-scoped fixtures may."""
    return cast("pytest.Item", request.node)


def log_of(item: pytest.Item) -> TestLog:
    """Return the record of this attempt at a test; a rerun starts a new one."""
    if TESTLOG not in item.stash:
        from pytest_embedbench.plugin import running  # noqa: PLC0415  # late
        from pytest_embedbench.plugin.testlog import TestLog  # noqa: PLC0415  # late

        running.watch(item.config)
        below, name = item.stash.get(PLACE, ("", item.nodeid))
        item.stash[TESTLOG] = TestLog(
            nodeid=item.nodeid,
            run_dir=session_of(item.config).run_dir,
            below=below,
            name=name,
            attempt=getattr(item, "execution_count", 1),
        )
    return item.stash[TESTLOG]


def rig_for(request: pytest.FixtureRequest) -> TestRig:
    """Return the rig of the test that asks."""
    from pytest_embedbench.plugin.testrig import TestRig  # noqa: PLC0415  # late

    item = item_of(request)
    return TestRig(session_of(request.config), item, log_of(item))


def on_a_board(item: pytest.Item) -> bool:
    """Say whether a test has to do with the boards of ``--board``, or a suite's own."""
    return not _OF_BOARDS.isdisjoint(getattr(item, "fixturenames", ()))
