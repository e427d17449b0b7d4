"""The published evaluator's way to run a scenario, and what it looks at afterwards.

100 ms of plant time are 150 ms of firmware time, here in virtual time: what the
published evaluator left to the host's scheduler is exact. The functions below say
something about what has been seen, of a run or of a loop that goes on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_embedbench.bench.coupling import Coupling, Grouping
from pytest_embedbench.bench.run import has_actuation, reaction_ms

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.bench.bench import Bench
    from pytest_embedbench.bench.run import Run, Seen
    from pytest_embedbench.bench.scenario import Scenario
    from pytest_embedbench.contracts import Plant
    from pytest_embedbench.grading.task import Task

    IsSafe = Callable[[Any], bool]

FIRMWARE_MS_PER_TICK = 150
REACTION_MS = (1000, 1200)
"""When a reaction to stale data counts, both ends included."""


def run_as_published(
    bench: Bench,
    scenario: Scenario,
    make: Callable[..., Plant[Any]],
    *,
    task: Task,
    goal: Callable[[Seen[Any]], bool] | None = None,
) -> Run[Any]:
    """Boot, then run a scenario until its ``goal`` is reached, at most to its end.

    One actuator is given its lines one by one; several are given all that came in
    together, between two samples.
    """
    bench.wait_for_boot()
    several = task.controller is not None and len(task.controller.actuators) > 1
    coupling = Coupling(
        firmware_ms_per_tick=FIRMWARE_MS_PER_TICK,
        grouping=Grouping.BURST if several else Grouping.LINE,
    )
    return bench.run(scenario, make, stop_when=goal, coupling=coupling)


def exchanged(seen: Seen[Any]) -> bool:
    """Say whether the firmware has sent a line to an actuator."""
    return any(has_actuation(reply) for reply in seen.replies)


def said(seen: Seen[Any], line: str, *, since_ms: int = 0) -> bool:
    """Say whether the firmware has sent ``line``, at or after a plant time."""
    return any(
        line in reply.lines and reply.plant_ms >= since_ms for reply in seen.replies
    )


def went_safe(seen: Seen[Any], is_safe: IsSafe, *, since_ms: int) -> bool:
    """Say whether actuator lines, at or after a plant time, have left it safe."""
    return any(
        has_actuation(reply) and reply.plant_ms >= since_ms and is_safe(reply.state)
        for reply in seen.replies
    )


def stale_reaction_ms(seen: Seen[Any], is_safe: IsSafe) -> float | None:
    """Return firmware time from the last frame to the reaction to its being stale."""
    return reaction_ms(seen, is_safe=is_safe, not_before_ms=REACTION_MS[0])


def stale_reaction(seen: Seen[Any], is_safe: IsSafe) -> str:
    """Say when that was, for the message of an assertion."""
    elapsed_ms = stale_reaction_ms(seen, is_safe)
    earliest_ms, latest_ms = REACTION_MS
    due = f"it is due from {earliest_ms} to {latest_ms} ms after the last frame"
    if elapsed_ms is None:
        return f"no safe line in answer to silence; {due}"
    return f"the answer to silence came after {elapsed_ms:.0f} ms; {due}"


def reacted_in_time(seen: Seen[Any], is_safe: IsSafe) -> bool:
    """Say whether there was such a reaction, and soon enough."""
    elapsed_ms = stale_reaction_ms(seen, is_safe)
    return elapsed_ms is not None and elapsed_ms <= REACTION_MS[1]
