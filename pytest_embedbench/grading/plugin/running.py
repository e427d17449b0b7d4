"""Hooks around each test, in runs that are graded: nobody else's is slowed down.

A plugin of its own, which ``watch`` registers.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.grading.plugin import check_recorder, profile, robust
from pytest_embedbench.grading.plugin.stash import CHECK, CONTROLLER, ROBUST
from pytest_embedbench.plugin import running
from pytest_embedbench.plugin.report import hide_our_frames
from pytest_embedbench.plugin.stash import TESTLOG

if TYPE_CHECKING:
    from collections.abc import Generator


_NAME = "embedbench-grading-tests"


def watch(config: pytest.Config) -> None:
    """See from now on how tests go, closer to them than the bench."""
    running.watch(config)
    if not config.pluginmanager.has_plugin(_NAME):
        config.pluginmanager.register(sys.modules[__name__], _NAME)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Leave a submission alone that has been seen to spin, or that none can judge."""
    if profile.WRONG_PROFILE in item.stash:
        pytest.fail(item.stash[profile.WRONG_PROFILE], pytrace=False)
    if CHECK in item.stash:
        profile.skip_if_it_spins(item)


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Put on a report what it says of a submission, before the bench closes its log."""
    if CHECK in item.stash:
        hide_our_frames(item, call)
    made = yield
    if CHECK in item.stash:
        check_recorder.attach(item, call, made)
    log = item.stash.get(TESTLOG, None)
    if log is None:
        return made
    if item.get_closest_marker(ROBUST) is not None:
        robust.attach(item, call, made)
    controller = log.stash.get(CONTROLLER, None)
    if made.failed and controller is not None:
        made.sections.append(("controller steps", controller.history()))
    return made
