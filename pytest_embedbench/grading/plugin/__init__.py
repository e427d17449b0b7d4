"""The pytest plugin of grading: hooks and fixtures by name, nothing else.

It stands on the hooks of the bench. A run without a marked test meets nothing of it
but its fixtures.
"""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.grading.plugin.host import (
    controller,
    judge,
    oracle,
    protocol,
    task,
)
from pytest_embedbench.grading.plugin.options import (
    MARKERS,
    PROFILE,
    SANDBOX,
    SETTINGS,
    SUBMISSIONS,
)
from pytest_embedbench.grading.plugin.paper import paper_run
from pytest_embedbench.grading.plugin.reports import Reports
from pytest_embedbench.grading.plugin.stash import (
    CHECK,
    HOST_IMAGE,
    SUBMITTED,
    TARGET_PROGRAM,
    grading_of,
    is_graded,
    steps_a_controller,
)
from pytest_embedbench.grading.plugin.tolerance import check_tolerates, stands
from pytest_embedbench.plugin.options import add_settings, setting
from pytest_embedbench.plugin.stash import TESTLOG

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from pathlib import Path

    from pytest_embedbench.model import Blame, BoardSpec, FirmwareImage, FirmwareSource

    Made = pytest.Collector | list[pytest.Item | pytest.Collector] | pytest.Item | None
    from pytest_embedbench.plugin.workers import WorkerNode

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
    """Add the options of grading, their ini keys and environment."""
    add_settings(parser, SETTINGS)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Declare the markers; see all reports, in the one process that can.

    Raises:
        pytest.UsageError: there is no such profile, whether or not a test has one, or
            no sandbox where one is required, or there are no such submissions.
    """
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)
    if not hasattr(config, "workerinput"):
        setting(config, PROFILE)
        if setting(config, SANDBOX) == "require":
            from pytest_embedbench.grading.plugin import apart  # noqa: PLC0415  # late

            apart.require_sandbox()
        config.pluginmanager.register(Reports(config), "embedbench-reports")
    if setting(config, SUBMISSIONS):
        from pytest_embedbench.grading.journal import FILE  # noqa: PLC0415  # late
        from pytest_embedbench.grading.plugin import resume, submissions  # noqa: PLC0415
        from pytest_embedbench.plugin.resuming import choose_run  # noqa: PLC0415  # late

        choose_run(config, FILE, "run on many submissions")
        submissions.read(config)
        resume.begin(config)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: WorkerNode) -> None:
    """Share the list of submissions with an xdist worker (a hook of xdist)."""
    if SUBMITTED in node.config.stash:
        from pytest_embedbench.grading.plugin import resume, submissions  # noqa: PLC0415

        submissions.tell_worker(node)
        resume.tell_worker(node)


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Refuse to collect a test that names sentences or profiles which are not there.

    Of many submissions, each is the first parameter of every test.
    """
    if SUBMITTED in metafunc.config.stash:
        from pytest_embedbench.grading.plugin import submissions  # noqa: PLC0415  # late

        submissions.parametrize(metafunc)
    if is_graded(metafunc.definition):
        from pytest_embedbench.grading.plugin import profile  # noqa: PLC0415  # late

        profile.check_markers(metafunc)


@pytest.hookimpl(wrapper=True)
def pytest_pycollect_makeitem() -> Generator[None, Made, Made]:
    """Collect what steps a controller by hand for the CPU of each board, too."""
    made = yield
    if not isinstance(made, list) or not made or not steps_a_controller(made[0]):
        return made
    from pytest_embedbench.grading.plugin import target_checks  # noqa: PLC0415  # late

    return [*made, *target_checks.on_boards(made)]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Keep to the profile, watch the checks, and take one submission at a time."""
    if SUBMITTED in config.stash:
        from pytest_embedbench.grading.plugin import submissions  # noqa: PLC0415  # late

        submissions.arrange(items)
    if not any(map(is_graded, items)):
        return
    from pytest_embedbench.grading.plugin import profile, remembered, running  # noqa: PLC0415

    profile.select(config, items)
    remembered.begin(config)
    running.watch(config)
    if SUBMITTED in config.stash and not config.option.collectonly:
        from pytest_embedbench.grading.plugin import resume  # noqa: PLC0415  # late

        resume.mark(config, items)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Begin to build, where one process judges one submission and nothing else runs.

    A process that copies itself for each of several has no thread at that moment: what
    its build holds open, locks too, a copy would hold and never let go.

    What there is by now lasts for the whole run: looking through it for cycles again
    and again would find none.
    """
    config = session.config
    if config.option.collectonly or not any(map(is_graded, session.items)):
        return
    gc.freeze()
    config.add_cleanup(gc.unfreeze)
    if hasattr(config, "workerinput") or SUBMITTED in config.stash:
        return
    if getattr(config.option, "embedbench_mutants", None) is not None:
        return
    from pytest_embedbench.grading.plugin import ahead  # noqa: PLC0415  # late

    ahead.begin(session)


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
    return grading.source(suite, item, spec) if suite is not None else None


@pytest.hookimpl(optionalhook=True)
def pytest_embedbench_booted(item: pytest.Item, image: FirmwareImage) -> None:
    """Refuse a program that was built of what is not the submission's to use."""
    grading = grading_of(item.config)
    suite = grading.suite_or_none(item.path)
    folder = grading.submission(suite, item) if suite is not None else None
    if suite is None or folder is None or not image.key:
        return
    from pytest_embedbench.grading.edit_surface.built import check_built  # noqa: PLC0415
    from pytest_embedbench.plugin.failures import told_plainly  # noqa: PLC0415  # late

    with told_plainly():
        check_built(suite, folder, image)


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
def pytest_embedbench_diagram(item: pytest.Item, spec: BoardSpec) -> Path | None:
    """Have the boards of a task stand in its circuit, but for a test that names one."""
    if item.get_closest_marker("diagram") is not None:
        return None
    suite = grading_of(item.config).suite_or_none(item.path)
    return suite.diagram_for(spec.name) if suite is not None else None


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
    program = item.stash[TESTLOG].stash.get(TARGET_PROGRAM, None)
    target = program.image if program is not None else None
    record["target_driver"] = target and {"sha256": target.sha256, "key": target.key}
