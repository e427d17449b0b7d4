"""Faults that change what a line says; the number is its last word, if it is one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_embedbench.faults.model import Message, Tick

    Range = tuple[int, int]

_NUMBER = re.compile(rb"(?<!\S)[+-]?\d+\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """A sensor reads up to ``up_to`` too high or too low; ``within`` is all it can say.

    Without ``within`` it may leave its range, which makes the line a malformed one.
    """

    up_to: int
    within: Range | None = None

    def __post_init__(self) -> None:
        if self.up_to < 1:
            raise ConfigError(f"{self}: noise of less than 1 is none")

    def begin(self) -> None:
        """Nothing is remembered."""

    def step(
        self, memory: None, tick: Tick, messages: Sequence[Message]
    ) -> tuple[None, Sequence[Message]]:
        """Add a number to each reading."""

        def noisy(value: int) -> int:
            off_by = tick.rng.between(-self.up_to, self.up_to)
            return _bounded(value + off_by, self.within)

        return memory, [_changed(each, noisy) for each in messages]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """A sensor's reading goes off by ``per_s`` more with every second."""

    per_s: int
    within: Range | None = None

    def begin(self) -> int | None:
        """Return when its first line passed: not yet."""
        return None

    def step(
        self, memory: int | None, tick: Tick, messages: Sequence[Message]
    ) -> tuple[int | None, Sequence[Message]]:
        """Add what has come together since the first line."""
        del tick
        if not messages:
            return memory, messages
        since_us = messages[0].at_us if memory is None else memory
        return since_us, [
            _changed(each, partial(self._drifted, each.at_us - since_us))
            for each in messages
        ]

    def _drifted(self, elapsed_us: int, value: int) -> int:
        off_by = abs(self.per_s) * elapsed_us // 1_000_000
        other = value + off_by if self.per_s > 0 else value - off_by
        return _bounded(other, self.within)


@dataclass(frozen=True, slots=True, kw_only=True)
class StuckAt:
    """A sensor goes on saying what it said first, or ``value`` if there is one.

    That is a line's last word, number or not; the words before it tell sensors apart.
    """

    value: str = ""

    def begin(self) -> Mapping[bytes, bytes]:
        """Return what each sensor said first: nothing yet."""
        return {}

    def step(
        self, memory: Mapping[bytes, bytes], tick: Tick, messages: Sequence[Message]
    ) -> tuple[Mapping[bytes, bytes], Sequence[Message]]:
        """Put the stuck value into each line."""
        del tick
        stuck = dict(memory)
        said: list[Message] = []
        for each in messages:
            words, space, value = each.data.rpartition(b" ")
            kept = stuck.setdefault(words, self.value.encode() or value)
            said.append(each._replace(data=words + space + kept))
        return stuck, said


@dataclass(frozen=True, slots=True, kw_only=True)
class Saturate:
    """A sensor or an actuator saturates: its number stays from ``low`` to ``high``."""

    low: int
    high: int

    def begin(self) -> None:
        """Nothing is remembered."""

    def step(
        self, memory: None, tick: Tick, messages: Sequence[Message]
    ) -> tuple[None, Sequence[Message]]:
        """Bring each number into the range."""
        del tick
        within = (self.low, self.high)
        clamped = [_changed(each, lambda v: _bounded(v, within)) for each in messages]
        return memory, clamped


def _changed(message: Message, change: Callable[[int], int]) -> Message:
    """Return it with another number; a line whose last word is none stays as it is."""
    found = _NUMBER.search(message.data)
    if found is None:
        return message
    value = int(found[0])
    if (other := change(value)) == value:
        return message
    return message._replace(data=message.data[: found.start()] + b"%d" % other)


def _bounded(value: int, within: Range | None) -> int:
    return value if within is None else min(within[1], max(within[0], value))
