"""Fixtures of the host stage: the submission's controller, stepped by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from pytest_embedbench.grading.plugin.options import PAPER, PROFILE
from pytest_embedbench.grading.plugin.stash import (
    CONTROLLER,
    HOST_IMAGE,
    HOST_PROGRAM,
    grading_of,
)
from pytest_embedbench.plugin.failures import told_plainly
from pytest_embedbench.plugin.options import setting
from pytest_embedbench.plugin.stash import item_of, log_of, session_of

if TYPE_CHECKING:
    from pytest_embedbench.grading.checks.oracle import Oracle
    from pytest_embedbench.grading.host.controller import Controller
    from pytest_embedbench.grading.host.line_protocol import LineProtocol
    from pytest_embedbench.grading.host.stepped import SteppedProgram
    from pytest_embedbench.grading.properties.judging import Judge
    from pytest_embedbench.grading.task import ControllerApi, Task


@pytest.fixture
def controller(request: pytest.FixtureRequest) -> Controller:
    """The submission's controller as it is at power-on, after ``controller_init``.

    It is called as a firmware calls it, but for what the published evaluator left out.
    """
    from pytest_embedbench.grading.host.controller import Controller  # noqa: PLC0415

    controller = Controller(
        _program(request),
        _api(request),
        as_firmware=setting(request.config, PROFILE) != PAPER,
    )
    log_of(item_of(request)).stash[CONTROLLER] = controller
    with told_plainly():
        controller.restart()
    return controller


@pytest.fixture
def protocol(request: pytest.FixtureRequest) -> LineProtocol:
    """The line parser and serialisers of the submission, or of its task."""
    from pytest_embedbench.grading.host.line_protocol import LineProtocol  # noqa: PLC0415

    return LineProtocol(_program(request), _api(request))


@pytest.fixture
def task(request: pytest.FixtureRequest) -> Task:
    """The task package that this test is of, as its ``task.toml`` has it."""
    with told_plainly():
        return grading_of(request.config).suite(request.path).task


@pytest.fixture
def oracle(request: pytest.FixtureRequest) -> Oracle:
    """The task's brief as a program, ``hidden/oracle.py``, at power-on.

    In ``paper-strict`` it is ``Published``, for which sentences of ours do not count.
    """
    from pytest_embedbench.grading.checks.oracle import load_oracle  # noqa: PLC0415  # late

    with told_plainly():
        grading = grading_of(request.config)
        suite = grading.suite(request.path)
        return load_oracle(suite, published=grading.is_published)()


@pytest.fixture
def judge(request: pytest.FixtureRequest) -> Judge:
    """The suite's task, plant and oracle: see ``properties.check_against``."""
    from pytest_embedbench.grading.checks.oracle import load_oracle  # noqa: PLC0415  # late
    from pytest_embedbench.grading.properties.judging import Judge  # noqa: PLC0415

    with told_plainly():
        suite = grading_of(request.config).suite(request.path)
        registry = session_of(request.config).registry
        return Judge(
            task=suite.task,
            plant=registry.plant(suite.task.plant),
            make_oracle=load_oracle(suite),
        )


def _program(request: pytest.FixtureRequest) -> SteppedProgram:
    """Return the submission's code as a program that serves this test alone."""
    log = log_of(item_of(request))
    if HOST_PROGRAM not in log.stash:
        from pytest_embedbench.grading.plugin import remembered, running  # noqa: PLC0415

        running.watch(request.config)
        with told_plainly():
            grading = grading_of(request.config)
            suite = grading.suite(request.path)
            program = grading.host_program(suite, item_of(request))
            log.stash[HOST_IMAGE] = program.image
            log.ran = True
            log.stash[HOST_PROGRAM] = remembered.recorded(item_of(request), program)
        request.addfinalizer(told_plainly()(program.close))
    return log.stash[HOST_PROGRAM]


def _api(request: pytest.FixtureRequest) -> ControllerApi:
    task = grading_of(request.config).suite(request.path).task
    return cast("ControllerApi", task.controller)
