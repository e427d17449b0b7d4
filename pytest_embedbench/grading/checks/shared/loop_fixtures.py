"""How a suite runs scenarios and connects its plant, limits kept at every sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.bench.coupling import Coupling, Grouping

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.bench.bench import Bench
    from pytest_embedbench.bench.closed_loop import ClosedLoop, Invariants
    from pytest_embedbench.bench.run import Run, Seen
    from pytest_embedbench.bench.scenario import Scenario
    from pytest_embedbench.contracts import Plant
    from pytest_embedbench.grading.checks.paper import IsSafe


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopFixtures:
    """A closed loop that can be made safe, and what is to hold in it.

    Args:
        is_safe: Whether the plant's actuators are safe.
        limits: What has to hold at every sample.
        in_bursts: Whether replies take effect together, as of several actuators.
    """

    is_safe: IsSafe
    limits: Invariants[Any]
    in_bursts: bool = False

    def runs_scenarios(
        self, also: Callable[[Seen[Any]], None] | None = None
    ) -> Callable[..., Any]:
        """Return a fixture: a function that runs a scenario, the limits kept.

        Args:
            also: What else every run is insisted on.
        """

        @pytest.fixture
        def run(
            bench: Bench,
            scenario: Callable[[str], Scenario],
            plant: Callable[..., Plant[Any]],
        ) -> Callable[..., Run[Any]]:
            def run_scenario(
                name: str, limits: Invariants[Any] | None = None
            ) -> Run[Any]:
                bench.wait_for_boot()
                seen = bench.run(
                    scenario(name),
                    plant,
                    coupling=self._coupling(),
                    invariants=self.limits if limits is None else limits,
                )
                if also is not None:
                    also(seen)
                return seen

            return run_scenario

        return run

    def connects_plants(self) -> Callable[..., Any]:
        """Return a fixture: a function that connects a plant, the limits kept."""

        @pytest.fixture
        def connect(
            bench: Bench, plant: Callable[..., Plant[Any]]
        ) -> Callable[..., ClosedLoop[Any]]:
            def connect_plant(
                limits: Invariants[Any] | None = None, **state: object
            ) -> ClosedLoop[Any]:
                bench.wait_for_boot()
                return bench.connect(
                    plant(**state),
                    coupling=self._coupling(),
                    invariants=self.limits if limits is None else limits,
                )

            return connect_plant

        return connect

    def _coupling(self) -> Coupling:
        return Coupling(grouping=Grouping.BURST if self.in_bursts else Grouping.LINE)
