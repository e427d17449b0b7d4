"""The target stage of one check: its sets of parameters, on a board of each its own."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from pytest_embedbench.errors import (
    BenchFault,
    ConfigError,
    DoesNotFit,
    EmbedbenchError,
    FirmwareFault,
)
from pytest_embedbench.grading.checks.oracle import load_oracle
from pytest_embedbench.grading.host.controller import Controller
from pytest_embedbench.grading.host.line_protocol import LineProtocol
from pytest_embedbench.grading.plugin import running
from pytest_embedbench.grading.plugin.stash import (
    CONTROLLER,
    SET,
    TARGET_BOARD,
    TARGET_PROGRAM,
    grading_of,
)
from pytest_embedbench.grading.target.program import TargetProgram
from pytest_embedbench.grading.target.source import driven
from pytest_embedbench.plugin.failures import skipped_if_not_here, told_plainly
from pytest_embedbench.plugin.options import path_setting
from pytest_embedbench.plugin.stash import item_of, log_of, session_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pytest

    from pytest_embedbench.grading.plugin.target_checks import ParameterSet
    from pytest_embedbench.grading.task import ControllerApi, Suite
    from pytest_embedbench.model import BoardSpec, FirmwareSource
    from pytest_embedbench.plugin.testlog import TestLog

SAMPLED = 20
"""One in so many of the longest histories is gone through on a board."""


def run_sets(
    request: pytest.FixtureRequest,
    sets: Sequence[ParameterSet],
    shared: Mapping[str, object],
) -> None:
    """Call a check with each set of parameters, on a board as at power-on.

    A set that fails is tried once more, on a board that was just booted: equal runs
    say the same of it, whatever has been on the board before.
    """
    __tracebackhide__ = True
    item = item_of(request)
    log = log_of(item)
    suite = grading_of(item.config).suite(item.path)
    program = _program(item, suite, log)
    program.said.clear()
    for each in sets:
        log.stash[SET] = each.name
        try:
            program.begin()
            _call(each, program, item, shared)
        except AssertionError:
            pass
        else:
            continue
        program.begin_again()
        _call(each, program, item, shared)
        # What is wrong after a reset alone is wrong, if it is so again.
        program.begin_reset()
        _call(each, program, item, shared)
        raise BenchFault(
            "this failed once and has passed twice since, on a fresh board"
        )


def start(
    config: pytest.Config, suite: Suite, source: FirmwareSource, spec: BoardSpec
) -> TargetProgram:
    """Return the program around a submission's C on a board, which is not booted yet.

    Raises:
        BuildError: the submission does not build for the board.
        ConfigError: the suite has no C interface, or no room for our driver.
    """
    rig = session_of(config).rig
    driver = _driver(config, suite, source, spec)
    with skipped_if_not_here(config, spec.name, spec.engine), ExitStack() as kept:
        image = rig.image(driver)
        boot = kept.enter_context(rig.boot_often(spec, image))
        return TargetProgram(
            api=_api(suite),
            image=image,
            boot=boot,
            booted=kept.pop_all(),
        )


def is_built(
    config: pytest.Config, suite: Suite, source: FirmwareSource, spec: BoardSpec
) -> bool:
    """Say whether ``start`` has nothing to build; raises what it raises."""
    rig = session_of(config).rig
    driver = _driver(config, suite, source, spec)
    return rig.images.has(rig.builder(driver.environment), driver)


def _driver(
    config: pytest.Config, suite: Suite, source: FirmwareSource, spec: BoardSpec
) -> FirmwareSource:
    driver = driven(source, _api(suite), path_setting(config, "cache"))
    return session_of(config).rig.for_board(driver, spec)


def _api(suite: Suite) -> ControllerApi:
    if suite.task.controller is None:
        raise ConfigError(f"{suite.root}/task.toml: [controller]: missing")
    return suite.task.controller


def _program(item: pytest.Item, suite: Suite, log: TestLog) -> TargetProgram:
    running.watch(item.config)
    with told_plainly():
        spec = session_of(item.config).registry.board(item.stash[TARGET_BOARD])
        log.board = spec.name
        program = grading_of(item.config).target_program(suite, item, spec)
    log.stash[TARGET_PROGRAM] = program
    log.ran = True
    return program


def _power_on(
    controller: Controller, program: TargetProgram, item: pytest.Item
) -> None:
    """Start a controller; if the driver has never come up, say whose fault that is."""
    __tracebackhide__ = True
    registry = session_of(item.config).registry
    spec = registry.board(item.stash[TARGET_BOARD])
    try:
        with skipped_if_not_here(item.config, spec.name, spec.engine):
            controller.restart()
    except DoesNotFit:
        raise
    except FirmwareFault:
        if not program.was_up:
            suite = grading_of(item.config).suite(item.path)
            _check_with_starter(item.config, suite, spec)
        raise


def _check_with_starter(config: pytest.Config, suite: Suite, spec: BoardSpec) -> None:
    """Insist that the task's own starter comes up where a submission does not."""
    try:
        starter = start(config, suite, suite.source("", suite.root), spec)
        try:
            starter.open()
        finally:
            starter.stop()
    except EmbedbenchError as error:
        raise BenchFault(
            f"{spec.name}: the firmware that steps the controller does not come up, "
            f"with the task's own starter neither: {error}"
        ) from error


def _call(
    each: ParameterSet,
    program: TargetProgram,
    item: pytest.Item,
    shared: Mapping[str, object],
) -> None:
    """Call the check itself, with what it takes by name."""
    __tracebackhide__ = True
    suite = grading_of(item.config).suite(item.path)
    api = program.api
    controller = Controller(program, api, as_firmware=True, sampled=SAMPLED)
    log_of(item).stash[CONTROLLER] = controller
    _power_on(controller, program, item)
    provided: dict[str, Any] = {"controller": controller, "task": suite.task}
    provided["protocol"] = LineProtocol(program, api)
    wanted = each.argument_names
    if "oracle" in wanted:
        provided["oracle"] = load_oracle(suite)()
    told = {**shared, **provided, **each.parameters}
    each.call(**{name: told[name] for name in wanted})
