"""The fixture of robust tests: which faults a submission tolerates."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.grading.plugin.stash import grading_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.bench.bench import Bench
    from pytest_embedbench.bench.closed_loop import Invariants
    from pytest_embedbench.bench.scenario import Scenario
    from pytest_embedbench.contracts import Plant
    from pytest_embedbench.faults import Fault


@pytest.fixture
def check_tolerates(
    request: pytest.FixtureRequest,
    bench: Bench,
    scenario: Callable[[str], Scenario],
    plant: Callable[..., Plant[Any]],
    fault_seed: int,
) -> Callable[..., None]:
    """A function that runs the scenario ``disturbed`` with faults.

    ``check_tolerates(*faults, invariants=SAFE, recovered=WELL, within_ms=3000)``: the
    invariants hold at every sample, and ``recovered`` from ``within_ms`` after the last
    effect of a fault. Several actuators obey together.
    """
    from pytest_embedbench.bench.coupling import Coupling, Grouping  # noqa: PLC0415

    def run(
        *faults: Fault,
        invariants: Invariants[Any],
        recovered: Invariants[Any],
        within_ms: int,
    ) -> None:
        controller = grading_of(request.config).suite(request.path).task.controller
        several = controller is not None and len(controller.actuators) > 1
        coupling = Coupling(grouping=Grouping.BURST if several else Grouping.LINE)
        disturbed = scenario("disturbed").with_faults(*faults, seed=fault_seed)
        bench.wait_for_boot()
        seen = bench.run(disturbed, plant, coupling=coupling, invariants=invariants)
        seen.check_recovered(recovered, within_ms=within_ms)

    return run


@pytest.fixture
def stands(check_tolerates: Callable[..., None]) -> Callable[..., None]:
    """The old name of ``check_tolerates``, for one release."""
    warnings.warn(
        "the fixture 'stands' is called 'check_tolerates' now, its arguments 'safe' "
        "and 'well' are 'invariants' and 'recovered'",
        DeprecationWarning,
        stacklevel=1,
    )

    def run(
        *faults: Fault,
        safe: Invariants[Any],
        well: Invariants[Any],
        within_ms: int,
    ) -> None:
        check_tolerates(*faults, invariants=safe, recovered=well, within_ms=within_ms)

    return run
