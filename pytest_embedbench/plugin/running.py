"""The hook around each phase of a test, in runs that have to do with a bench.

A plugin of its own, which ``watch`` registers: nobody else's run is slowed down.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.plugin import report
from pytest_embedbench.plugin.stash import RECORDED, TESTLOG, log_of, on_a_board
from pytest_embedbench.plugin.testlog import note_given

if TYPE_CHECKING:
    from collections.abc import Generator

_NAME = "embedbench-tests"


def watch(config: pytest.Config) -> None:
    """See from now on how tests go."""
    if not config.pluginmanager.has_plugin(_NAME):
        config.pluginmanager.register(sys.modules[__name__], _NAME)


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Say whose fault a failure is, and put the conversation under it."""
    if on_a_board(item):
        note_given(item, call.excinfo)
    if RECORDED in item.stash and _has_failed(call):
        log_of(item)
    if TESTLOG not in item.stash:
        return (yield)
    report.hide_our_frames(item, call)
    made = yield
    report.complete(item, call, made)
    return made


def _has_failed(call: pytest.CallInfo[None]) -> bool:
    return call.excinfo is not None and not call.excinfo.errisinstance(
        (pytest.skip.Exception, pytest.xfail.Exception)
    )
