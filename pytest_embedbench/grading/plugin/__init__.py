"""The pytest plugin of grading: hooks and fixtures by name, nothing else.

It stands on the hooks of the bench. A run without a marked test meets nothing of it
but its fixtures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.grading.plugin.host import (
    controller,
    judge,
    oracle,
    protocol,
    task,
)
from pytest_embedbench.grading.plugin.options import MARKERS, PROFILE
from pytest_embedbench.grading.plugin.paper import paper_run
from pytest_embedbench.grading.plugin.reports import Reports
from pytest_embedbench.grading.plugin.stash import (
    CHECK,
    HOST_IMAGE,
    grading_of,
    is_graded,
)
from pytest_embedbench.grading.plugin.tolerance import check_tolerates, stands
from pytest_embedbench.plugin.options import add_settings, setting
from pytest_embedbench.plugin.stash import TESTLOG

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.model import Blame, BoardSpec, FirmwareSource

__all__ = [
    "check_tolerates",
    "controller",
    "judge",
    "oracle",
    "paper_run",
    "protocol",
    "stands",
    "task",
]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--embedbench-profile``, its ini key and environment."""
    add_settings(parser, (PROFILE,))


def pytest_configure(config: pytest.Config) -> None:
    """Declare the markers; see all reports, in the one process that can.

    Raises:
        pytest.UsageError: there is no such profile, whether or not a test has one.
    """
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)
    if not hasattr(config, "workerinput"):
        setting(config, PROFILE)
        config.pluginmanager.register(Reports(config), "embedbench-reports")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Refuse to collect a test that names sentences or profiles which are not there."""
    if is_graded(metafunc.definition):
        from pytest_embedbench.grading.plugin import profile  # noqa: PLC0415  # late

        profile.check_markers(metafunc)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Keep to the profile, and watch the checks."""
    if not any(map(is_graded, items)):
        return
    from pytest_embedbench.grading.plugin import profile, running  # noqa: PLC0415

    profile.select(config, items)
    running.watch(config)


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    """Remember that checks were left out: what is left may not pass for all."""
    if not any(map(is_graded, items)):
        return
    from pytest_embedbench.grading.plugin import profile  # noqa: PLC0415  # late

    profile.count_deselected(items)


@pytest.hookimpl(optionalhook=True)
def pytest_embedbench_firmware_source(
    item: pytest.Item, spec: BoardSpec
) -> FirmwareSource | None:
    """Build the submission to a task, laid over its package."""
    grading = grading_of(item.config)
    suite = grading.suite_or_none(item.path)
    return grading.source(suite, spec) if suite is not None else None


@pytest.hookimpl(optionalhook=True)
def pytest_embedbench_boot_line(item: pytest.Item) -> str | None:
    """Take the boot line of the task."""
    suite = grading_of(item.config).suite_or_none(item.path)
    return suite.task.boot_line if suite is not None else None


@pytest.hookimpl(optionalhook=True)
def pytest_embedbench_plant(item: pytest.Item) -> str | None:
    """Take the plant of the task."""
    suite = grading_of(item.config).suite_or_none(item.path)
    return suite.task.plant if suite is not None else None


@pytest.hookimpl(optionalhook=True)
def pytest_embedbench_blame(error: BaseException) -> Blame | None:
    """Blame a submission for what is not taken of it."""
    from pytest_embedbench.errors import SubmissionRefused  # noqa: PLC0415  # late
    from pytest_embedbench.model import Blame  # noqa: PLC0415  # late

    if isinstance(error, SubmissionRefused):
        return Blame("submission", "the submission is not taken")
    return None


@pytest.hookimpl(optionalhook=True)
def pytest_embedbench_test_record(item: pytest.Item, record: dict[str, Any]) -> None:
    """Add the sentences that a check enforces, and what ran in the host stage."""
    check = item.stash.get(CHECK, None)
    record["brief"] = dict(check.brief) if check is not None else {}
    host = item.stash[TESTLOG].stash.get(HOST_IMAGE, None)
    record["host_driver"] = host and {"sha256": host.sha256, "key": host.key}
