"""Many submissions in one run: each is a parameter of every test of a task package.

The process that sees all reports reads the list, once; workers are told.
"""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.grading.plugin.options import SUBMISSIONS
from pytest_embedbench.grading.plugin.stash import SUBMISSION, SUBMITTED, grading_of
from pytest_embedbench.plugin.options import path_setting, setting
from pytest_embedbench.plugin.stash import PLACE, session_of
from pytest_embedbench.plugin.workers import input_of
from pytest_embedbench.submissions import Submission, read_submissions

if TYPE_CHECKING:
    from pytest_embedbench.plugin.workers import WorkerNode

PARAMETER = "embedbench_submission"
FOLDER = "submissions"
"""In a run's folder: what belongs to one submission is in a folder of its own here."""
_TOLD = "embedbench_submissions"
_SOURCE = "source"


def read(config: pytest.Config) -> None:
    """Read the list of submissions, and write down what came as text.

    Raises:
        pytest.UsageError: there is none, or it is broken.
    """
    if told := input_of(config).get(_TOLD):
        config.stash[SUBMITTED] = [Submission(**each) for each in json.loads(told)]
        return
    place = path_setting(config, SUBMISSIONS)
    assert place is not None, "somebody has set it"
    if setting(config, "firmware"):
        raise pytest.UsageError(
            f"{SUBMISSIONS.flag} and --embedbench-firmware both say what is judged: "
            "leave one of them out"
        )
    try:
        found = read_submissions(place)
        run_dir = session_of(config).run_dir
        config.stash[SUBMITTED] = [
            _written(submission, str(run_dir / FOLDER / submission.label / _SOURCE))
            for submission in found
        ]
    except ConfigError as error:
        raise pytest.UsageError(f"{SUBMISSIONS.flag}: {error}") from error
    # Neighbouring tests go to one worker: who has built a submission goes on with it.
    if getattr(config.option, "dist", "no") == "load":
        config.option.dist = "worksteal"


def _written(submission: Submission, folder: str) -> Submission:
    if submission.folder:
        return submission
    from dataclasses import replace  # noqa: PLC0415  # late

    placed = replace(submission, folder=folder)
    # Of a run that goes on: it holds nothing but what is submitted now.
    shutil.rmtree(folder, ignore_errors=True)
    placed.write()
    return placed


def tell_worker(node: WorkerNode) -> None:
    """Hand a worker the list, so that all have the same."""
    if SUBMITTED in node.config.stash:
        records = [each.record() for each in node.config.stash[SUBMITTED]]
        # As JSON, which has a way to write names that are no UTF-8.
        node.workerinput[_TOLD] = json.dumps(records)


def parametrize(metafunc: pytest.Metafunc) -> None:
    """Run a test of a task package once for each submission."""
    try:
        suite = grading_of(metafunc.config).suite_or_none(metafunc.definition.path)
    except ConfigError as error:
        raise pytest.Collector.CollectError(str(error)) from None
    if suite is None:
        return
    submissions = metafunc.config.stash[SUBMITTED]
    metafunc.fixturenames.append(PARAMETER)
    metafunc.parametrize(PARAMETER, submissions, ids=[s.label for s in submissions])


def arrange(items: list[pytest.Item]) -> None:
    """Put the tests of one submission beside each other, and their files apart."""
    for item in items:
        if (submission := submission_of(item)) is not None:
            below = f"{FOLDER}/{submission.label}"
            item.stash[PLACE] = (below, own_id(item.nodeid, submission.label))
    items.sort(key=_number)


def _number(item: pytest.Item) -> int:
    submission = submission_of(item)
    return -1 if submission is None else submission.number


def submission_of(item: pytest.Item) -> Submission | None:
    """Return which of many submissions a test is about."""
    if SUBMISSION in item.stash:
        return item.stash[SUBMISSION]
    callspec = getattr(item, "callspec", None)
    return callspec.params.get(PARAMETER) if callspec is not None else None


def label_of(item: pytest.Item) -> str:
    """Return the label of the submission that a test is about, ``""`` if of no many."""
    submission = submission_of(item)
    return "" if submission is None else submission.label


def own_id(nodeid: str, label: str) -> str:
    """Return the node id that a test would have if its submission were the only one."""
    file, colons, test = nodeid.partition("::")
    name, _, ids = test.partition("[")
    if label and ids == f"{label}]":
        test = name
    elif label and ids.startswith(f"{label}-"):
        test = f"{name}[{ids.removeprefix(f'{label}-')}"
    return f"{file}{colons}{test}"
