"""Scenario files as tests: one item for each file and board."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.circuits.places import diagram_beside
from pytest_embedbench.circuits.plugin import SCENARIO_LIMIT
from pytest_embedbench.circuits.scenario import (
    ScenarioFile,
    is_scenario,
    read_scenario,
)
from pytest_embedbench.errors import ConfigError, EmbedbenchError, ToolMissing
from pytest_embedbench.plugin.failures import skipped_if_not_here, told_plainly
from pytest_embedbench.plugin.options import setting

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_embedbench.circuits.circuit import Circuit
    from pytest_embedbench.model import BoardSpec

_NAME = "test_scenario"
_NONE = "{}: not run: no scenario, which has version and steps"
_INSTALL = "install it: pip install 'pytest-embedbench[wokwi]'"


class ScenarioModule(pytest.Module):
    """A file of one scenario, which is one test function."""

    scenario: ScenarioFile | EmbedbenchError

    def _getobj(self) -> ModuleType:
        """Return what pytest looks for tests in: a module that no file has."""
        module = ModuleType(self.path.name)
        setattr(module, _NAME, _test_of(self.scenario))
        return module


def scenario_module(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Return a collector of a file that is a scenario with a diagram beside it."""
    try:
        diagram_beside(path, "")
    except ConfigError:
        return None
    scenario = _read(path)
    if scenario is None:
        parent.warn(pytest.PytestCollectionWarning(_NONE.format(path.name)))
        return None
    kind: type[Any] = ScenarioModule  # pytest leaves from_parent without types
    module: ScenarioModule = kind.from_parent(parent, path=path)
    module.scenario = scenario
    return module


def _read(path: Path) -> ScenarioFile | EmbedbenchError | None:
    """Return a scenario, or why it cannot be run; ``None`` if the file is of others."""
    try:
        from pytest_embedbench.circuits.scenario_text import (  # noqa: PLC0415  # an extra, and only for these
            read_yaml,
        )
    except ImportError:
        return ToolMissing("a scenario", "PyYAML", _INSTALL)
    try:
        document = read_yaml(path.read_bytes(), path.name)
        if not is_scenario(document):
            return None
        return read_scenario(document, path.name, path.parent)
    except OSError as error:
        return ConfigError(f"{path.name}: cannot be read: {error.strerror}")
    except ConfigError as error:
        return error


def _test_of(scenario: ScenarioFile | EmbedbenchError) -> Callable[..., None]:
    # What cannot be run has nothing built for it.
    if isinstance(scenario, EmbedbenchError):
        return _raising(scenario)

    def test_scenario(circuit: Circuit, request: pytest.FixtureRequest) -> None:
        limit_s = int(setting(request.config, SCENARIO_LIMIT))
        with told_plainly(AssertionError):
            scenario.run(circuit, limit_s)

    return test_scenario


def _raising(error: EmbedbenchError) -> Callable[..., None]:
    def test_nothing(request: pytest.FixtureRequest, board_spec: BoardSpec) -> None:
        with told_plainly(), skipped_if_not_here(request.config, board_spec.name):
            raise error

    return test_nothing
