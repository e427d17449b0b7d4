"""Hooks around each test, in runs that are graded: nobody else's is slowed down.

A plugin of its own, which ``watch`` registers.
"""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.grading.host.history import FILE
from pytest_embedbench.grading.plugin import (
    check_recorder,
    profile,
    remembered,
    robust,
)
from pytest_embedbench.grading.plugin.stash import (
    CHECK,
    CONTROLLER,
    DONE,
    ROBUST,
    SUBMITTED,
    grading_of,
)
from pytest_embedbench.plugin import running
from pytest_embedbench.plugin.report import hide_our_frames
from pytest_embedbench.plugin.stash import TESTLOG

if TYPE_CHECKING:
    from collections.abc import Generator

    from pytest_embedbench.grading.host.controller import Controller
    from pytest_embedbench.plugin.testlog import TestLog


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
    if CHECK in item.stash and DONE not in item.stash:
        profile.skip_if_it_spins(item)
    if SUBMITTED in item.config.stash:
        from pytest_embedbench.grading.plugin import resume  # noqa: PLC0415  # late

        resume.make_room(item)
    if CHECK in item.stash:
        remembered.recall(item)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Leave out a check that has ended in the run that goes on, or is known to pass."""
    if remembered.PASSED in pyfuncitem.stash:
        return True
    if DONE not in pyfuncitem.stash:
        return None
    from pytest_embedbench.grading.plugin import resume  # noqa: PLC0415  # late

    resume.tell_again(pyfuncitem.stash[DONE])
    return True


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
    if CHECK in item.stash and made.when == "teardown" and made.passed:
        remembered.keep(item, made)
    controller = log.stash.get(CONTROLLER, None)
    if made.failed and controller is not None:
        made.sections.append(("controller steps", controller.history()))
        _keep_history(item, log, controller)
    return made


def _keep_history(item: pytest.Item, log: TestLog, controller: Controller) -> None:
    task = grading_of(item.config).suite(item.path).task.name
    text = "\n".join(controller.history_file(task))
    # A full disk is no reason to lose the verdict as well.
    with contextlib.suppress(OSError):
        (log.folder() / FILE).write_text(f"{text}\n", encoding="utf-8")
