"""Anything that can be said to a firmware, and what its brief asks it to answer.

The firmware is the one that runs in closed loop, and what it is told is what its
functions are tried with one by one: so it gains nothing to act in one way where they
are called by hand and in another where they are put to work.
"""

from __future__ import annotations

import random  # noqa: TID251  # seeded: a conversation is a value
from collections import deque
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_embedbench.errors import WrongOutput
from pytest_embedbench.grading.checks.oracle import due_of
from pytest_embedbench.grading.checks.protocol_checks import FAULT, meaning
from pytest_embedbench.grading.checks.random_histories import row_of
from pytest_embedbench.grading.host.calling import IDLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_embedbench.contracts import Plant
    from pytest_embedbench.grading.checks.oracle import Oracle
    from pytest_embedbench.grading.task import Sensor, Task

_PAUSES_MS = (*(100,) * 12, 150, 200, 350, 500, 900, 1200, 1700)
"""None so short that an answer could be missed: it is out 70 ms after the line."""
_BEFORE_MS, _AFTER_MS = 140, 40
"""So near to a line, it depends on the firmware's pace what is heard first."""
_READINGS = (" {}", " {}", " {}", " +{}", "\t{} ", "  0{}", " 00{}")
_MALFORMED = ("", " banana", " 20.5", " 20 5", " 0x14", " 99999999999999", " -")
_NOBODYS = ("HELLO WORLD", "SENSE", "sense level 20", f"{FAULT} 1", f"X{FAULT}")
_EPISODE = (4, 8, 16)
_SHUFFLED_SHARE, _SAME_SHARE, _TOGETHER_SHARE = 0.5, 0.4, 0.5
_BAD_SHARES = (0, 0, 0, 0, 0.05, 0.3)
_STATE = "DBG STATE "


class Response(NamedTuple):
    """What is told in one go: the actuators, and the state where it is not free."""

    actuators: tuple[bool, ...]
    state: str | None


class Turn(NamedTuple):
    """What is sent at once, and what has to be heard until the next.

    ``before`` is what was told last, ``answers`` are those to the lines, ``changes``
    what is told besides, later.
    """

    lines: tuple[str, ...]
    for_ms: int
    before: Response
    answers: tuple[Response, ...]
    changes: tuple[Response, ...]


def conversation(
    task: Task, oracle: Oracle, *, seed: int, count: int
) -> Iterator[Turn]:
    """Yield ``count`` turns with a firmware that was just started.

    Each value of each sensor comes in some order, and others near where something
    changes; malformed lines, faults, nobody's; silences of any length. No turn ends
    where it depends on the firmware's pace what has to be answered.

    Args:
        task: Whose lines, timeouts and actuators.
        oracle: What is asked for, at power-on.
        seed: The same seed gives the same conversation.
        count: How many turns.
    """
    chance = random.Random(seed)  # noqa: S311  # no secret
    brief, bursts = _Expected(task, oracle), _bursts(task, chance)
    for _ in range(count):
        lines, before = next(bursts), brief.shown
        answers = tuple(brief.take(lines))
        for_ms = brief.until_sure_ms(chance.choice(_PAUSES_MS))
        yield Turn(lines, for_ms, before, answers, tuple(brief.idle(for_ms)))


def known_conversation(
    task: Task, oracle: Oracle, *, seed: int, count: int
) -> list[Turn]:
    """Return the turns of ``conversation``; who asks for the same again shares them.

    They are the same for every submission, and take as long as a firmware's answers.
    An oracle's state is what its attributes show as.
    """
    asked = task, type(oracle), repr(vars(oracle)), seed, count
    for known, turns in _known:
        if known == asked:
            return turns
    turns = [*conversation(task, oracle, seed=seed, count=count)]
    _known.appendleft((asked, turns))
    return turns


def check_turn(
    task: Task, plant: Plant[Any], turn: Turn, heard: Sequence[str], at_ms: float
) -> None:
    """Insist on what a firmware has said in one turn, its heartbeats left out.

    Raises:
        WrongOutput: it is not what is due; ``at_ms`` says when the turn began.
    """
    told, count = [*_answers(task, plant, heard)], len(turn.answers)
    if _states_are_free(task):
        # Then it is free, too, whether one is told that nothing else shows of.
        pairs = enumerate(pairwise((turn.before, *told)))
        told = [now for place, (last, now) in pairs if place < count or now != last]
    asked = [*turn.answers, *turn.changes]
    if told != asked:
        due = "; ".join(_words(task, each) for each in asked)
        raise WrongOutput(
            f"to {' and '.join(map(repr, turn.lines))} at {at_ms:g} ms, in the "
            f"{turn.for_ms} ms after it: {list(heard)}; it has to be {due or 'nothing'}"
        )


# A task is none to hash, and there are few of them in a process.
_known: deque[tuple[tuple[object, ...], list[Turn]]] = deque(maxlen=16)


@dataclass(slots=True)
class _Expected:
    """What is asked for from power-on on, with time as the lines are sent."""

    task: Task
    oracle: Oracle
    now_ms: int = 0
    shown: Response = field(init=False)
    looks_ms: list[int] = field(default_factory=list[int])
    """When something may change without a line: a timeout after some line."""

    def __post_init__(self) -> None:
        self.shown = self._step(self.oracle, self.now_ms)

    def take(self, lines: Iterable[str]) -> Iterator[Response]:
        """Yield the answers to lines that are sent now."""
        for line in lines:
            told = meaning(line, self.task.sensors)
            if told is not None:
                kind, now_ms, *values = row_of(self.task, told, self.now_ms)
                self.shown = self._step(self.oracle, int(now_ms), str(kind), values)
                yield self.shown
        ends = (ms + by for ms in self.task.timeouts_ms for by in (0, 1))
        self.looks_ms += (self.now_ms + end_ms for end_ms in ends)

    def idle(self, for_ms: int) -> Iterator[Response]:
        """Let time pass; yield what is told meanwhile."""
        self.now_ms += for_ms
        for at_ms in (ms for ms in sorted({*self.looks_ms}) if ms < self.now_ms):
            shown = self._step(self.oracle, at_ms)
            if shown != self.shown:
                self.shown = shown
                yield shown
        self.looks_ms = [ms for ms in self.looks_ms if ms >= self.now_ms]

    def until_sure_ms(self, pause_ms: int) -> int:
        """Return how long to wait at least, so that nothing is about to change."""
        for at_ms in self._changes():
            end_ms = self.now_ms + pause_ms
            if at_ms - _AFTER_MS < end_ms < at_ms + _BEFORE_MS:
                pause_ms = at_ms + _BEFORE_MS - self.now_ms
        return pause_ms

    def _changes(self) -> Iterator[int]:
        """Yield when anything changes without a line, shown or not."""
        ahead = deepcopy(self.oracle)
        before = repr(vars(ahead))
        for at_ms in sorted({*self.looks_ms}):
            self._step(ahead, at_ms)
            after = repr(vars(ahead))
            if after != before:
                yield at_ms
            before = after

    def _step(
        self, oracle: Oracle, at_ms: int, kind: str = IDLE, values: Sequence[Any] = ()
    ) -> Response:
        api = self.task.controller
        output = due_of(oracle, api, (kind, at_ms, *values))
        actuators = (getattr(output, name) for name in (api.actuators if api else ()))
        return Response(tuple(actuators), output.state)


def _bursts(task: Task, chance: random.Random) -> Iterator[tuple[str, ...]]:
    """Yield what is sent at once: one line, or one of each sensor.

    It goes in episodes: of each sensor values between two limits, or of one of them
    whatever comes off a shuffled list of all.
    """
    left: dict[str, list[str]] = {}
    moods = {sensor.line: _between_limits(sensor, chance) for sensor in task.sensors}
    while True:
        if not any(left.values()):
            left = {each.line: _shuffled_values(each, chance) for each in task.sensors}
        is_any = chance.random() < _SHUFFLED_SHARE
        most_left = max(task.sensors, key=lambda each: len(left[each.line]))
        shuffled = most_left if is_any else None
        bad_share = chance.choice(_BAD_SHARES)
        for sensor in task.sensors:
            if chance.random() > _SAME_SHARE:
                moods[sensor.line] = _between_limits(sensor, chance)
        for _ in range(chance.choice(_EPISODE)):
            together = chance.random() < _TOGETHER_SHARE
            said: list[str] = []
            for sensor in task.sensors if together else [chance.choice(task.sensors)]:
                if chance.random() < bad_share:
                    said.append(_bad_line(sensor, chance))
                    continue
                is_next = sensor is shuffled and left[sensor.line]
                values = left[sensor.line] if is_next else moods[sensor.line]
                value = values.pop() if is_next else chance.choice(values)
                said.append(sensor.line + chance.choice(_READINGS).format(value))
            yield tuple(said)


def _shuffled_values(sensor: Sensor, chance: random.Random) -> list[str]:
    numbers = map(str, range(sensor.lowest, sensor.highest + 1))
    values = [*sensor.words] or [*numbers]
    chance.shuffle(values)
    return values


def _between_limits(sensor: Sensor, chance: random.Random) -> list[str]:
    if sensor.words:
        return [chance.choice([*sensor.words])]
    limits = [sensor.lowest, *sensor.around, sensor.highest]
    place = chance.randrange(len(limits) - 1)
    low, high = limits[place : place + 2]
    near = {low - 1, low, low + 1, (low + high) // 2, high - 1, high, high + 1}
    mood = chance.choice((near, {*range(low + 1, high)}, {chance.choice([*near])}))
    return [str(n) for n in sorted(mood) if sensor.lowest <= n <= sensor.highest] or [
        str(low)
    ]


def _bad_line(sensor: Sensor, chance: random.Random) -> str:
    outside = (f" {sensor.lowest - 1}", f" {sensor.highest + 1}")
    ends = _MALFORMED if sensor.words else (*_MALFORMED, *outside)
    malformed = sensor.line + chance.choice(ends)
    return chance.choice((malformed, malformed, FAULT, chance.choice(_NOBODYS)))


def _answers(
    task: Task, plant: Plant[Any], heard: Iterable[str]
) -> Iterator[Response | tuple[str, ...]]:
    """Yield what was told in one go; as it was said, if that is no answer."""
    names = task.controller.actuators if task.controller else ()
    said: list[str] = []
    for line in heard:
        said.append(line)
        if not line.startswith(_STATE):
            continue
        state = plant.initial()
        for each in said:
            state = plant.actuate(state, each)
        if len(said) == len(names) + 1:
            label = None if _states_are_free(task) else line.removeprefix(_STATE)
            yield Response(tuple(bool(getattr(state, name)) for name in names), label)
        else:
            yield tuple(said)
        said = []
    if said:
        yield tuple(said)


def _states_are_free(task: Task) -> bool:
    return task.controller is None or not task.controller.states


def _words(task: Task, answer: Response) -> str:
    names = task.controller.actuators if task.controller else ()
    shown = [f"{n}={on}" for n, on in zip(names, answer.actuators, strict=True)]
    return ", ".join([*shown, *([answer.state] if answer.state else [])])
