"""History by history, judged by the oracle: late, long, often and far apart."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from pytest_embedbench.grading.checks import systematic_histories, timing_histories
from pytest_embedbench.grading.checks.comparing import check_histories
from pytest_embedbench.grading.checks.shared.marks import by_the_oracle, enforcing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pytest_embedbench.grading.checks.comparing import Story
    from pytest_embedbench.grading.checks.oracle import Oracle
    from pytest_embedbench.grading.checks.shared.marks import Test
    from pytest_embedbench.grading.host.controller import Controller, Row
    from pytest_embedbench.grading.task import Task


def jumps(*brief: str) -> Test:
    """Check each value of a sensor after each other one, however far apart."""
    return _of_histories(systematic_histories.jumps, brief)


def starts(*brief: str) -> Test:
    """Check that a first line counts, at 0 ms or after days, and what follows it."""
    return _of_histories(systematic_histories.starts, brief, marked=enforcing)


def long_states(*brief: str) -> Test:
    """Check that whatever goes on goes on for minutes, and ends as it should."""

    @by_the_oracle(*brief)
    def check(controller: Controller, oracle: Oracle, task: Task) -> None:
        _check(controller, oracle, timing_histories.long_states(task, type(oracle)))

    return check


def between_steps(*brief: str) -> Test:
    """Check lines that come between two steps without one, as on a board."""
    return _of_histories(timing_histories.between_steps, brief)


def returns(*brief: str) -> Test:
    """Check a sensor that comes back as another one is just about to be too old."""
    return _of_histories(timing_histories.returns, brief)


def long_silences(*brief: str) -> Test:
    """Check half a minute and a minute of silence, of one sensor and of all."""
    return _of_histories(systematic_histories.long_silences, brief)


def many_bad_lines(*brief: str) -> Test:
    """Check hundreds of bad lines in a row, and what comes after them."""
    return _of_histories(systematic_histories.many_bad_lines, brief)


def many_readings(*brief: str, situation: Sequence[Row]) -> Test:
    """Check 70,000 readings, and 70,000 steps without a line.

    Args:
        brief: What that enforces.
        situation: The readings, one of each sensor: kind and values, without a time.
    """
    return _of_histories(
        lambda task: systematic_histories.many_readings(task, situation), brief
    )


def _of_histories(
    histories: Callable[[Task], Iterable[Story]],
    brief: tuple[str, ...],
    *,
    marked: Callable[..., Callable[[Test], Test]] = by_the_oracle,
) -> Test:
    @marked(*brief)
    def check(controller: Controller, oracle: Oracle, task: Task) -> None:
        _check(controller, oracle, histories(task))

    return check


def _check(controller: Controller, oracle: Oracle, histories: Iterable[Story]) -> None:
    sampled = controller.sample("its histories")
    ways = islice(histories, None, None, sampled)
    check_histories(controller, type(oracle), ways)
