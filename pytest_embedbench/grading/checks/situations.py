"""What sensors may say together: one reading of each, from between its limits.

Histories are made of such situations, of readings beside the limits, and of bad lines.
"""

from __future__ import annotations

from itertools import pairwise, product
from typing import TYPE_CHECKING

from pytest_embedbench.grading.checks.protocol_checks import FAULT_KIND, meaning
from pytest_embedbench.grading.checks.random_histories import random_history, row_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_embedbench.grading.host.controller import Row
    from pytest_embedbench.grading.host.holding import Hold
    from pytest_embedbench.grading.task import Sensor, Task

    Line = Row
    """A kind and its values: a row without the time."""
    Situation = Sequence[Line]
    History = list[Row | Hold]

TICK_MS, STEP_MS = 100, 50
FIRST_FRAMES = 12
AFTERWARDS_STEPS = 60
_SEED = 7


def situations(task: Task) -> Iterator[Situation]:
    """Yield what sensors may say together, one of each stretch between limits."""
    yield from product(*(middles(task, sensor) for sensor in task.sensors))


def middles(task: Task, sensor: Sensor) -> list[Line]:
    """Return a reading of each stretch between a sensor's limits."""
    if sensor.words:
        return [line_of(task, sensor, word) for word in sensor.words]
    edges = [sensor.lowest, *sensor.around, sensor.highest]
    return [
        line_of(task, sensor, str((low + high + 1) // 2))
        for low, high in pairwise(edges)
    ]


def ends(task: Task, sensor: Sensor) -> list[Line]:
    """Return readings beside each limit, the ends of the range first and last."""
    if sensor.words:
        return [line_of(task, sensor, word) for word in sensor.words]
    near = {limit + by for limit in sensor.around for by in (-1, 1)}
    numbers = sorted({sensor.lowest, *near, sensor.highest})
    return [line_of(task, sensor, str(number)) for number in numbers]


def without_each(situation: Situation) -> list[Situation]:
    """Return a situation as often as it has readings, each time without another one."""
    return [[*situation[:n], *situation[n + 1 :]] for n in range(len(situation))]


def bad_lines(task: Task) -> list[Line]:
    """Return a line of each bad kind."""
    kinds = [*(sensor.invalid for sensor in task.sensors), FAULT_KIND]
    return [(kind, *_beside(task)) for kind in kinds]


def line_of(task: Task, sensor: Sensor, word: str) -> Line:
    """Return a sensor's line with this word.

    Raises:
        ValueError: the word is no reading of it.
    """
    told = meaning(f"{sensor.line} {word}", [sensor])
    if told is None:
        raise ValueError(word)
    kind, _, *values = row_of(task, told, 0)
    return (kind, *values)


def story(task: Task, number: int, *holds: Hold, unseen: int = 1) -> History:
    """Return holds one after the other, and what may follow all but ``unseen`` ones."""
    now_ms, story = 0, list["Row | Hold"]()
    for place, hold in enumerate(holds):
        story.append(hold)
        now_ms += hold.every_ms * hold.count
        if place >= unseen:
            rows = _round(task, now_ms)
            now_ms = int(rows[-1][1])
            story += rows
            rows = afterwards(
                task, number + place, now_ms, steps=AFTERWARDS_STEPS // len(holds)
            )
            story += rows
            now_ms = int(rows[-1][1])
    return story


def _round(task: Task, now_ms: int) -> list[Row]:
    """Return readings of each stretch, one sensor's after the other's."""
    lines = [
        line for sensor in reversed(task.sensors) for line in middles(task, sensor)
    ]
    return [
        (line[0], now_ms + number * STEP_MS, *line[1:])
        for number, line in enumerate(lines, 1)
    ]


def afterwards(task: Task, number: int, now_ms: int, *, steps: int) -> list[Row]:
    """Return what may follow, by chance."""
    return list(
        random_history(task, seed=_SEED + number, step_count=steps, from_ms=now_ms)
    )


def _beside(task: Task) -> tuple[int, ...]:
    return (0,) * len(task.controller.values if task.controller else ())
