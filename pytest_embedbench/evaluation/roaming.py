"""Long histories of a task's inputs, made from its sensors and timeouts.

Everything that can happen does, sooner or later, and mostly near where something
changes; the same seed gives the same history. What comes is what a firmware's
controller can get: steps without a line every 50 ms at least, and one before each line.
"""

from __future__ import annotations

import random  # noqa: TID251  # seeded: a history is a value
from typing import TYPE_CHECKING

from pytest_embedbench.evaluation.host.controller import IDLE
from pytest_embedbench.evaluation.lines import FAULT, FAULT_KIND, Input, meaning

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_embedbench.evaluation.host.controller import Row
    from pytest_embedbench.task import Sensor, Task

_IDLE_MS = 50
_PERIODS_MS = (100, 100, 100, 50, 20, 200, 300, 500)
_EPISODE_FRAMES = (1, 2, 3, 4, 6, 12, 30)
_BAD_SHARES = (0, 0, 0, 0.05, 0.3)
_EDGES_MS = (-1, 0, 1, 2)
_SILENT_SHARE = 0.3
_NEAR = (-5, -1, 0, 1, 5)
_NOT_NUMBERS = ("", " x", " 1 2", " 2.5", " 0x14", " +", " -", " 99999999999", " 1x")
_SPACINGS = ("{}", " {}", "{}\t", "{}\r", "x{}", "{} x")


def roam(task: Task, *, seed: int, step_count: int) -> Iterator[Row]:
    """Yield about ``step_count`` steps of one history.

    It goes in episodes: which streams are alive, how fast they are, how near to which
    limit their values lie, how often a line is bad; then a silence, often one that ends
    at just the moment of a timeout.
    """
    dice = random.Random(seed)  # noqa: S311  # no secret
    names = task.controller.values if task.controller else ()
    now_ms, count = 0, 0
    while count < step_count:
        for after_ms, told in _episode(task, dice):
            for at_ms in _looks(now_ms, now_ms + after_ms):
                yield (IDLE, at_ms)
                count += 1
            now_ms += after_ms
            if told is not None:
                values = (told.number if name == told.value else 0 for name in names)
                yield (told.kind, now_ms, *values)
                count += 1


def odd_lines(task: Task) -> Iterator[str]:
    """Yield the lines of a task: every value, around its range too, and odd ones."""
    plain = [FAULT, "", "SENSE", "FAULT", "HELLO WORLD", FAULT.lower()]
    for sensor in task.sensors:
        numbers = range(sensor.lowest - 3, sensor.highest + 4)
        words = [f" {word}" for word in sensor.words] or [f" {n}" for n in numbers]
        signs = (" +7", " 007", f" +{sensor.highest}", f" -{sensor.highest}", " -0")
        plain += [sensor.line + end for end in (*words, *signs, *_NOT_NUMBERS)]
        plain += [sensor.line.replace(" ", space) + words[0] for space in ("\t", "  ")]
    for line in plain:
        yield from (spacing.format(line) for spacing in _SPACINGS)


def _episode(task: Task, dice: random.Random) -> Iterator[tuple[int, Input | None]]:
    """Yield inputs, each with the time since the one before; ``None`` for silence."""
    alive = [s for s in task.sensors if dice.random() > _SILENT_SHARE]
    period_ms, bad = dice.choice(_PERIODS_MS), dice.choice(_BAD_SHARES)
    around = {sensor.line: _range(sensor, dice) for sensor in alive}
    for _ in range(dice.choice(_EPISODE_FRAMES)):
        after_ms = period_ms
        for sensor in alive:
            if dice.random() < bad:
                kind = dice.choice((sensor.invalid, sensor.invalid, FAULT_KIND))
                yield after_ms, Input(kind)
            else:
                yield after_ms, _reading(sensor, around[sensor.line], dice)
            after_ms = 0
    edge_ms = dice.choice(task.timeouts_ms or (1000,)) + dice.choice(_EDGES_MS)
    silence_ms = dice.choice((period_ms, period_ms, edge_ms, edge_ms - period_ms))
    yield max(0, silence_ms), None


def _range(sensor: Sensor, dice: random.Random) -> Sequence[int]:
    """Return what values come from: one, near one limit, near all, or all there are."""
    limits = sensor.around or (sensor.lowest, sensor.highest)
    near = [dice.choice(limits) + by for by in _NEAR[1:4]]
    wide = [limit + by for limit in limits for by in _NEAR]
    full = range(sensor.lowest, sensor.highest + 1)
    chosen = dice.choice((near, near, wide, full, [dice.choice(wide)]))
    return [n for n in chosen if sensor.lowest <= n <= sensor.highest] or full


def _reading(
    sensor: Sensor, values: Sequence[int], dice: random.Random
) -> Input | None:
    end = dice.choice([*sensor.words]) if sensor.words else dice.choice(values)
    return meaning(f"{sensor.line} {end}", [sensor])


def _looks(from_ms: int, until_ms: int) -> Iterator[int]:
    """Yield when a firmware looks at the time: every 50 ms, and at the end."""
    if until_ms <= from_ms:
        return
    yield from range(from_ms + _IDLE_MS, until_ms, _IDLE_MS)
    yield until_ms
