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
from pytest_embedbench.grading.host.calling import IDLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_embedbench.grading.checks.oracle import Part
    from pytest_embedbench.grading.host.controller import Row
    from pytest_embedbench.grading.task import Sensor, Task

_IDLE_MS = 50
_LOOKS_MS = (_IDLE_MS, _IDLE_MS, _IDLE_MS, 10, 1)
"""How often a firmware may look at the time: about every 50 ms, or more often."""
_MANY_LOOKS = 20
_PERIODS_MS = (100, 100, 100, 50, 20, 1, 200, 300, 500, 900, 999, 1000)
_FRAMES = (1, 2, 3, 4, 6, 12, 30)
_LONGEST_EPISODE_MS = 4000
_BAD_SHARES = (0, 0, 0, 0.05, 0.3)
_EDGES_MS = (-1, 0, 1, 2)
_SILENT_SHARE = 0.3
_NEAR = (-5, -1, 0, 1, 5)
_BESIDE = (0, 1, 20, 100)
STARTS_MS = (
    *(0, 10, 32_568, 65_336, 123_456, 16_777_016),
    *(2_147_483_448, 4_000_000_000, 4_294_900_000),
)
"""When a reading may come in: 200 ms after some, a count in 15, 16 or 31 bits has run
over, or a float knows no single milliseconds; from the last on, there is a minute left
in 32 bits."""
UNITS_MS = (10, 50, 100, 125, 1000)
"""What times are counted in besides milliseconds."""
LATE_STARTS_MS = tuple(
    sorted({unit_ms * 2**bits - 200 for unit_ms in UNITS_MS for bits in (15, 16)})
)
"""200 ms after each, a count of such units has run over in 15 or 16 bits."""


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

    It goes in episodes: which streams are alive, how fast each is, how near to which
    limit their values lie, how often a line is bad; then a silence, often one that ends
    at just the moment of a timeout.
    """
    chance = random.Random(seed)  # noqa: S311  # no secret
    now_ms, count = from_ms, 0
    beside = task.controller.values if task.controller else ()
    while count < step_count:
        looks_ms = chance.choice(_LOOKS_MS)
        for after_ms, told in _episode(task, chance):
            looks = _looks(now_ms, now_ms + after_ms, min(looks_ms, after_ms))
            for at_ms in looks:
                yield (IDLE, at_ms, *(_BESIDE[count % len(_BESIDE)] for _ in beside))
                count += 1
            now_ms += after_ms
            if told is not None:
                yield row_of(task, told, now_ms, chance)
                count += 1


def row_of(
    task: Task, told: Input, now_ms: int, chance: random.Random | None = None
) -> Row:
    """Return the step that a line leads to; ``chance`` makes up what it leaves out."""
    names = task.controller.values if task.controller else ()
    values = (
        told.number if name == told.value else chance.choice(_BESIDE) if chance else 0
        for name in names
    )
    return (told.kind, now_ms, *values)


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
    """Yield inputs, each with the time since the one before; ``None`` for silence.

    Streams come together, or each at a pace of its own.
    """
    alive = [s for s in task.sensors if chance.random() > _SILENT_SHARE]
    bad = chance.choice(_BAD_SHARES)
    around = {sensor.line: _range(sensor, chance) for sensor in alive}
    now_ms = 0
    for at_ms, sensor in _frames(alive, chance):
        if chance.random() < bad:
            kind = chance.choice((sensor.invalid, sensor.invalid, FAULT_KIND))
            yield at_ms - now_ms, Input(kind)
        else:
            reading = _reading(sensor, around[sensor.line], chance)
            yield at_ms - now_ms, reading
        now_ms = at_ms
    edge_ms = chance.choice(task.timeouts_ms or (1000,)) + chance.choice(_EDGES_MS)
    near_ms = edge_ms - chance.choice(_PERIODS_MS)
    silence_ms = chance.choice((_IDLE_MS, 2 * _IDLE_MS, edge_ms, near_ms))
    yield max(0, silence_ms), None


def _frames(alive: Sequence[Sensor], chance: random.Random) -> list[tuple[int, Sensor]]:
    """Return when which sensor says something, from 0 on, in this order."""
    count, together_ms = chance.choice(_FRAMES), chance.choice(_PERIODS_MS)
    in_step = chance.random() < 1 / 2
    frames: list[tuple[int, int, Sensor]] = []
    for number, sensor in enumerate(alive):
        every_ms = together_ms if in_step else chance.choice(_PERIODS_MS)
        first_ms = every_ms if in_step else chance.randrange(1, 300)
        until_ms = min(first_ms + every_ms * count, _LONGEST_EPISODE_MS)
        stamps = range(first_ms, max(until_ms, first_ms + 1), every_ms)
        frames += ((at_ms, number, sensor) for at_ms in stamps)
    frames.sort(key=lambda frame: frame[:2])
    return [(at_ms, sensor) for at_ms, _, sensor in frames]


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


def _looks(from_ms: int, until_ms: int, every_ms: int) -> Iterator[int]:
    """Yield when a firmware looks at the time, and last at the end."""
    if until_ms <= from_ms:
        return
    if until_ms - from_ms > _MANY_LOOKS * every_ms:
        every_ms = _IDLE_MS
    yield from range(from_ms + every_ms, until_ms, every_ms)
    yield until_ms
