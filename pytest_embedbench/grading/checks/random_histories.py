"""Long histories of a task's inputs, made from its sensors and timeouts.

Everything that can happen does, sooner or later, and mostly near where something
changes; the same seed gives the same history. What comes is what a firmware's
controller can get: steps without a line every 50 ms at least, and one before each line.
Only the values beside a line's own are made up: they mean nothing.
"""

from __future__ import annotations

import random  # noqa: TID251  # seeded: a history is a value
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.grading.checks.protocol_checks import FAULT_KIND, Input, meaning
from pytest_embedbench.grading.host.controller import IDLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_embedbench.grading.checks.oracle import Part
    from pytest_embedbench.grading.host.controller import Row
    from pytest_embedbench.grading.task import Sensor, Task

_IDLE_MS = 50
_PERIODS_MS = (100, 100, 100, 50, 20, 200, 300, 500)
_EPISODE_FRAMES = (1, 2, 3, 4, 6, 12, 30)
_BAD_SHARES = (0, 0, 0, 0.05, 0.3)
_EDGES_MS = (-1, 0, 1, 2)
_SILENT_SHARE = 0.3
_NEAR = (-5, -1, 0, 1, 5)
_BESIDE = (0, 1, 20, 100)
STARTS_MS = (10, 32_568, 65_336, 123_456, 2_147_483_448, 4_000_000_000)
"""When a reading may come in: 200 ms after some, a count in 15, 16 or 31 bits has run
over, and of the last ones a float knows no single milliseconds."""


def histories(
    task: Task, *, seed: int, count: int, step_count: int
) -> Iterator[list[Row]]:
    """Yield random histories, each going on when the one before has ended."""
    now_ms = 0
    for number in range(count):
        rows = list(
            random_history(
                task, seed=seed + number, step_count=step_count, from_ms=now_ms
            )
        )
        now_ms = int(rows[-1][1])
        yield rows


def random_history(
    task: Task, *, seed: int, step_count: int, from_ms: int = 0
) -> Iterator[Row]:
    """Yield about ``step_count`` steps of one history.

    It goes in episodes: which streams are alive, how fast they are, how near to which
    limit their values lie, how often a line is bad; then a silence, often one that ends
    at just the moment of a timeout.
    """
    chance = random.Random(seed)  # noqa: S311  # no secret
    names = task.controller.values if task.controller else ()
    now_ms, count = from_ms, 0
    while count < step_count:
        for after_ms, told in _episode(task, chance):
            for at_ms in _looks(now_ms, now_ms + after_ms):
                yield (IDLE, at_ms)
                count += 1
            now_ms += after_ms
            if told is not None:
                values = (
                    told.number if name == told.value else chance.choice(_BESIDE)
                    for name in names
                )
                yield (told.kind, now_ms, *values)
                count += 1


def boundary_parts(task: Task) -> Iterator[Part]:
    """Yield what ``walk`` needs to take a controller from limit to limit.

    Values on both sides of each limit and the ends of the range, lines of every bad
    kind, and silences on both sides of each timeout.
    """
    names = task.controller.values if task.controller else ()
    for sensor in task.sensors:
        near = {limit + by for limit in sensor.around for by in (-1, 0, 1)}
        numbers = sorted({sensor.lowest, *near, sensor.highest})
        words = [*sensor.words] or [str(number) for number in numbers]
        for word in words:
            line = f"{sensor.line} {word}"
            if (told := meaning(line, [sensor])) is None:
                raise ConfigError(f"{line!r}: no value of its own sensor")
            values = (told.number if name == told.value else 0 for name in names)
            yield [(told.kind, 100, *values)]
        yield [(sensor.invalid, 50)]
    yield [(FAULT_KIND, 50)]
    for timeout_ms in (0, *task.timeouts_ms):
        yield [(IDLE, timeout_ms)]
        yield [(IDLE, timeout_ms + 1)]


def _episode(task: Task, chance: random.Random) -> Iterator[tuple[int, Input | None]]:
    """Yield inputs, each with the time since the one before; ``None`` for silence."""
    alive = [s for s in task.sensors if chance.random() > _SILENT_SHARE]
    period_ms, bad = chance.choice(_PERIODS_MS), chance.choice(_BAD_SHARES)
    around = {sensor.line: _range(sensor, chance) for sensor in alive}
    for _ in range(chance.choice(_EPISODE_FRAMES)):
        after_ms = period_ms
        for sensor in alive:
            if chance.random() < bad:
                kind = chance.choice((sensor.invalid, sensor.invalid, FAULT_KIND))
                yield after_ms, Input(kind)
            else:
                yield after_ms, _reading(sensor, around[sensor.line], chance)
            after_ms = 0
    edge_ms = chance.choice(task.timeouts_ms or (1000,)) + chance.choice(_EDGES_MS)
    silence_ms = chance.choice((period_ms, period_ms, edge_ms, edge_ms - period_ms))
    yield max(0, silence_ms), None


def _range(sensor: Sensor, chance: random.Random) -> Sequence[int]:
    """Return what values come from: one, near one limit, near all, or all there are."""
    limits = sensor.around or (sensor.lowest, sensor.highest)
    near = [chance.choice(limits) + by for by in _NEAR[1:4]]
    wide = [limit + by for limit in limits for by in _NEAR]
    full = range(sensor.lowest, sensor.highest + 1)
    chosen = chance.choice((near, near, wide, full, [chance.choice(wide)]))
    return [n for n in chosen if sensor.lowest <= n <= sensor.highest] or full


def _reading(
    sensor: Sensor, values: Sequence[int], chance: random.Random
) -> Input | None:
    end = chance.choice([*sensor.words]) if sensor.words else chance.choice(values)
    return meaning(f"{sensor.line} {end}", [sensor])


def _looks(from_ms: int, until_ms: int) -> Iterator[int]:
    """Yield when a firmware looks at the time: every 50 ms, and at the end."""
    if until_ms <= from_ms:
        return
    yield from range(from_ms + _IDLE_MS, until_ms, _IDLE_MS)
    yield until_ms
