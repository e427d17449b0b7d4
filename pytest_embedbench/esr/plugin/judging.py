"""How an item of ESR runs: its check is tried as often as it takes, then it is told.

A plugin of its own, which ``watch`` registers: nobody else's run meets it.
"""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.runner import runtestprotocol

from pytest_embedbench.bench.artifacts import forget_folders
from pytest_embedbench.errors import PinCheckFailed, PinCheckUndecided
from pytest_embedbench.esr.model import Outcome
from pytest_embedbench.esr.plugin.depends import digest_for
from pytest_embedbench.esr.plugin.options import PINS
from pytest_embedbench.esr.plugin.searching import judge
from pytest_embedbench.esr.plugin.stash import ABOUT, ATTEMPT, KEPT, RECORD, TOLD
from pytest_embedbench.esr.records import failure_text, outcome_of, passes
from pytest_embedbench.esr.usual import STRICT
from pytest_embedbench.plugin import running
from pytest_embedbench.plugin.blame import blame_for, causes, reason_for
from pytest_embedbench.plugin.failures import told_plainly
from pytest_embedbench.plugin.options import setting
from pytest_embedbench.plugin.stash import TESTLOG, log_of

if TYPE_CHECKING:
    from collections.abc import Generator

    from pytest_embedbench.esr.plugin.kept import Told

_NAME = "embedbench-esr-items"


def watch(config: pytest.Config) -> None:
    """Run items of ESR from now on."""
    running.watch(config)
    if not config.pluginmanager.has_plugin(_NAME):
        config.pluginmanager.register(sys.modules[__name__], _NAME)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(
    item: pytest.Item, nextitem: pytest.Item | None
) -> bool | None:
    """Judge a case, unless that is done, and let the item end accordingly."""
    if ABOUT not in item.stash or item.config.option.setuponly:
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    item.stash[TOLD] = _judged(item)
    with _without_fixtures(item):
        runtestprotocol(item, nextitem=nextitem)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def _judged(item: pytest.Item) -> Told:
    """Return what has come of an item's case, by a search if nobody has made one."""
    about, kept = item.stash[ABOUT], item.config.stash[KEPT]
    digest = digest_for(item)
    with kept.alone(about.own_id):
        found = kept.find(about.own_id, digest)
        if found is None:
            if kept.has_earlier(about.own_id):
                forget_folders(kept.folder, about.own_id)
            record, skipped, failure = judge(item)
            judged: Told = {
                "record": record,
                "skipped": skipped,
                "failure": failure,
                "session": kept.session,
                "digest": digest,
            }
            found = judged
            kept.put(about.own_id, found)
    return found


@contextmanager
def _without_fixtures(item: pytest.Item) -> Generator[None]:
    """Have an item that only tells what is known: nothing is made for it."""
    names: list[str] = getattr(item, "fixturenames", [])
    setattr(item, "fixturenames", [])  # noqa: B010  # not every kind of item has them
    try:
        yield
    finally:
        setattr(item, "fixturenames", names)  # noqa: B010


class _FirstFailure:
    """In the place of ``subtests``: the first that fails ends the run of a check."""

    @contextmanager
    def test(self, msg: str | None = None, **kwargs: object) -> Generator[None]:
        """Let what fails in it be the check's failure."""
        del msg, kwargs
        yield


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Tell what a case came to; while it is tried, end at its first failure."""
    if TOLD in pyfuncitem.stash:
        _tell(pyfuncitem, pyfuncitem.stash[TOLD])
        return True
    if ATTEMPT in pyfuncitem.stash and "subtests" in pyfuncitem.funcargs:
        pyfuncitem.funcargs["subtests"] = _FirstFailure()
    return None


def _tell(item: pytest.Item, known: Told) -> None:
    record = known["record"]
    if record is None:
        pytest.skip(known["skipped"])
    log, about = log_of(item), item.stash[ABOUT]
    log.board = record["board"]
    if passes(record, about.pins):
        return
    # Of a run on strict pins alone nobody wants to know more than that it failed.
    only_strict = setting(item.config, PINS) == STRICT
    outcome = outcome_of(record)
    undecided = outcome.is_undecided and not (only_strict and outcome is Outcome.BUDGET)
    with told_plainly():
        raise (PinCheckUndecided if undecided else PinCheckFailed)(failure_text(record))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Take down how a run of a check went, or put on a report what it came to."""
    if ATTEMPT in item.stash:
        return (yield from _tried(item, call))
    made = yield
    if TOLD in item.stash and made.when == "call":
        known = item.stash[TOLD]
        if known["record"] is not None:
            setattr(made, RECORD, json.dumps(known["record"]))
        if made.failed and known["failure"]:
            made.sections.append(("strict check", known["failure"]))
    return made


def _tried(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    attempt = item.stash[ATTEMPT]
    log = item.stash.get(TESTLOG, None)
    ran = log is not None and log.ran
    if call.when != "teardown":
        attempt.look()
    made = yield
    if log is not None:
        attempt.folder = log.made_folder
    if call.excinfo is None or made.passed:
        return made
    error = call.excinfo.value
    if made.skipped:
        attempt.skipped = attempt.skipped or str(error)
    elif made.failed:
        blame = blame_for(item, error, ran=ran)
        shown = made.longreprtext
        attempt.fail(blame.who, reason_for(error), shown, causes(error))
    return made


def pytest_embedbench_test_record(item: pytest.Item, record: dict[str, Any]) -> None:
    """Add what the case came to, or that this is but a trial of it."""
    if TOLD in item.stash:
        record["esr"] = item.stash[TOLD]["record"]
    elif ATTEMPT in item.stash:
        record["trial_of"] = item.stash[ABOUT].own_id
