"""Histories of what goes wrong late, often, or between two values that lie far apart.

They are made of a task's sensors: *situations* have one reading of each, from the
middle of what lies between its limits. After each long stretch things go on as they
may, by chance: a rule that was lost on the way is missed there.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from pytest_embedbench.grading.checks.random_histories import (
    LATE_STARTS_MS,
    STARTS_MS,
)
from pytest_embedbench.grading.checks.situations import (
    AFTERWARDS_STEPS,
    FIRST_FRAMES,
    STEP_MS,
    TICK_MS,
    afterwards,
    bad_lines,
    ends,
    line_of,
    middles,
    situations,
    story,
    without_each,
)
from pytest_embedbench.grading.host.holding import Hold

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_embedbench.grading.checks.situations import History, Situation
    from pytest_embedbench.grading.task import Sensor, Task

SILENCES_MS = (33_000, 66_000)
"""More than counts of 15 and 16 bits can tell from a fresh reading."""
MANY = 65_537
"""Readings: hardly any, for counts in 8 and in 16 bits."""
MORE = 4_463
MANY_IN_8_BITS = 260
_SOON_MS = 2
_ROUND = 10
_EVERY = 3
"""One in so many situations is tried at each time of start."""
_TIMES = 400
_WEEKS_MS = 4_000_000_000


def jumps(task: Task) -> Iterator[History]:
    """Yield, for each sensor, a history in which each value follows each other one.

    Those near a limit, at the ends and round ones; the other sensors go on meanwhile,
    with another reading every now and then.
    """
    for sensor in task.sensors:
        if sensor.words:
            continue
        others = list(product(*(middles(task, s) for s in task.sensors if s != sensor)))
        values = _values(sensor)
        history: History = []
        for number, value in enumerate(_each_after_each(values)):
            now_ms = (number + 1) * TICK_MS
            for kind, *rest in others[number // len(values) % len(others)]:
                history.append((kind, now_ms, *rest))
            kind, *rest = line_of(task, sensor, str(value))
            history.append((kind, now_ms, *rest))
        yield history
    yield from _bursts(task)
    yield from _to_and_fro(task)


def _to_and_fro(task: Task) -> Iterator[History]:
    """Yield histories in which a sensor goes from end to end for hundreds of lines.

    There is one for each thing that the others may say meanwhile. A line that is lost
    because of its number shows, whatever the number.
    """
    for sensor in task.sensors:
        lowest, *_, highest = ends(task, sensor)
        for others in product(*(middles(task, s) for s in task.sensors if s != sensor)):
            yield [
                (kind, number * TICK_MS, *rest)
                for number in range(1, _TIMES)
                for kind, *rest in (*others, highest if number % 2 else lowest)
            ]


def _bursts(task: Task) -> Iterator[History]:
    """Yield a history for each situation in which three lines come in together.

    Each line comes before and after each other one, all at the same time, as when a
    firmware takes up what has come in meanwhile.
    """
    lines = [line for sensor in task.sensors for line in ends(task, sensor)]
    lines += bad_lines(task)
    for situation in situations(task):
        history: History = []
        for number, (one, other) in enumerate(product(lines, repeat=2)):
            now_ms = (2 * number + 1) * TICK_MS
            history += [(kind, now_ms, *rest) for kind, *rest in situation]
            now_ms += TICK_MS
            together = (one, other, one)
            history += [(kind, now_ms, *rest) for kind, *rest in together]
        yield history


def starts(task: Task) -> Iterator[History]:
    """Yield histories that begin with a line, at whatever time, and go on by chance.

    Or one sensor has said all that it ever says, while the others go on. Or weeks have
    passed, and each value comes in.
    """
    here = list(situations(task))
    values = [ends(task, sensor) for sensor in task.sensors]
    corners = [[each[0] for each in values], [each[-1] for each in values]]
    for number, start_ms in enumerate((*STARTS_MS, *LATE_STARTS_MS)):
        others = [*corners, *here[number % _EVERY :: _EVERY]]
        for situation in others if start_ms in STARTS_MS else [corners[number % 2]]:
            lines = [(kind, start_ms, *rest) for kind, *rest in situation]
            rows = afterwards(task, number, start_ms, steps=AFTERWARDS_STEPS)
            yield [*lines, *rows]
    count = 3 + max(task.timeouts_ms) // TICK_MS
    for situation in here:
        first = [(kind, 0, *rest) for kind, *rest in situation]
        for each in without_each(situation):
            yield [*first, Hold(lines=each, every_ms=TICK_MS, count=count)]
    yield from _each_value(task, _WEEKS_MS)


def _each_value(task: Task, start_ms: int) -> Iterator[History]:
    """Yield, for each sensor, a history in which all its values come from both ends.

    The other sensors go on meanwhile, with another reading every now and then.
    """
    for sensor in task.sensors:
        others = list(product(*(middles(task, s) for s in task.sensors if s != sensor)))
        low, *_, high = ends(task, sensor)
        each = sensor.words or map(str, range(sensor.lowest, sensor.highest + 1))
        history: History = []
        for number, word in enumerate(each):
            value = line_of(task, sensor, word)
            for line in (low, value, high, value):
                now_ms = start_ms + len(history) * TICK_MS
                lines = (*others[number % len(others)], line)
                history += [(kind, now_ms, *rest) for kind, *rest in lines]
        yield history


def long_silences(task: Task) -> Iterator[History]:
    """Yield histories in which one sensor is silent for long, or all are.

    The others go on; then all come back, and things go on by chance.
    """
    for number, situation in enumerate(situations(task)):
        frames = Hold(lines=situation, every_ms=TICK_MS, count=FIRST_FRAMES)
        back = situation if number % 2 else situation[::-1]
        again = Hold(lines=back, every_ms=TICK_MS, count=FIRST_FRAMES // 2)
        ways = without_each(situation)
        if len(ways) > 1:
            ways.append([])
        for place, lines in enumerate(ways):
            silence_ms = SILENCES_MS[(number + place) % len(SILENCES_MS)]
            rest = Hold(lines=lines, every_ms=TICK_MS, count=silence_ms // TICK_MS)
            yield story(task, number, frames, rest, again)


def many_bad_lines(task: Task) -> Iterator[History]:
    """Yield histories of hundreds of bad lines, each kind alone and among others.

    They come for long, or all before the readings from before them are too old.
    """
    bad = bad_lines(task)
    for number, situation in enumerate(situations(task)):
        frames = Hold(lines=situation, every_ms=TICK_MS, count=FIRST_FRAMES)
        again = Hold(lines=situation, every_ms=TICK_MS, count=FIRST_FRAMES // 2)
        for place, line in enumerate(bad):
            lines = (*situation, line) if (number + place) % 2 else (line,)
            broken = Hold(lines=lines, every_ms=TICK_MS, count=MANY_IN_8_BITS)
            yield story(task, number, frames, broken, again)
            for others in without_each(situation):
                broken = Hold(lines=(line,), every_ms=_SOON_MS, count=2**8)
                rest = Hold(lines=others, every_ms=TICK_MS, count=1)
                yield [frames, broken, rest, again]


def many_readings(task: Task, situation: Situation) -> Iterator[History]:
    """Yield a history of 70,000 readings of each sensor, with a look at 65,537.

    And some in which they end when a count in 8 bits has just come round.
    """
    yield story(
        task,
        0,
        Hold(lines=situation, every_ms=50, count=MANY),
        Hold(lines=situation, every_ms=50, count=MORE),
        unseen=0,
    )
    yield story(task, 1, Hold(every_ms=50, count=MANY + MORE), unseen=0)
    silence = Hold(every_ms=STEP_MS, count=1 + max(task.timeouts_ms) // STEP_MS)
    for each, count in product(situations(task), (255, 256, 257)):
        frames = Hold(lines=each, every_ms=STEP_MS, count=count)
        yield story(task, count, frames, silence)


def _values(sensor: Sensor) -> list[int]:
    """Return the values that are told apart, and round ones."""
    limits = (sensor.lowest, *sensor.around, sensor.highest)
    near = {limit + by for limit in limits for by in (-1, 0, 1)}
    round_ones = range(sensor.lowest, sensor.highest + 1, _ROUND)
    return [
        n for n in sorted({*near, *round_ones}) if sensor.lowest <= n <= sensor.highest
    ]


def _each_after_each(values: Sequence[int]) -> Iterator[int]:
    """Yield values so that each follows each, itself too."""
    for number, first in enumerate(values):
        yield from (first, first)
        for second in values[number + 1 :]:
            yield from (second, first)
