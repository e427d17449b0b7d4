"""The fixture of the published evaluator's scenarios."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.grading.plugin.stash import grading_of
from pytest_embedbench.plugin.failures import told_plainly
from pytest_embedbench.plugin.stash import session_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.bench.bench import Bench
    from pytest_embedbench.bench.run import Run


@pytest.fixture
def paper_run(request: pytest.FixtureRequest, bench: Bench) -> Callable[..., Run[Any]]:
    """Run a scenario of ``paper.toml`` as the published evaluator does.

    ``paper_run(name, goal)``: it ends early when ``goal`` is true of what was seen.
    """
    from pytest_embedbench.bench.scenario import load_scenarios, pick  # noqa: PLC0415
    from pytest_embedbench.grading.checks.paper import run_as_published  # noqa: PLC0415

    registry = session_of(request.config).registry

    def run(name: str, goal: Callable[[Any], bool] | None = None) -> Run[Any]:
        with told_plainly():
            task = grading_of(request.config).suite(request.path).task
            scenarios = load_scenarios(request.path.with_name("paper.toml"))
            scenario = pick(scenarios, name)
            make = partial(registry.plant, task.plant)
        return run_as_published(bench, scenario, make, task=task, goal=goal)

    return run
