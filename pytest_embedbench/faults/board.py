"""Faults of actuators that are on or off, and of the board itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.faults.model import FIRST, LAST, Message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.faults.model import Tick


class Switch(NamedTuple):
    """What the firmware wants of an actuator, and what the plant was told."""

    wanted: bool
    told: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DutyLimit:
    """An actuator that saturates: it runs in ``on_ticks`` of ``of_ticks`` at most.

    ``on`` and ``off`` are its lines, whole.
    """

    on: str
    off: str
    on_ticks: int
    of_ticks: int

    def __post_init__(self) -> None:
        if not 0 <= self.on_ticks < self.of_ticks:
            raise ConfigError(f"{self}: limits nothing")

    def begin(self) -> Switch:
        """Return an actuator that is off."""
        return Switch(wanted=False, told=False)

    def step(
        self, memory: Switch, tick: Tick, messages: Sequence[Message]
    ) -> tuple[Switch, Sequence[Message]]:
        """Switch it off where it may not run, and on again where it may."""
        words = {self.on.encode(): True, self.off.encode(): False}
        said = [words[p.data] for p in messages if p.data in words]
        wanted, told = (said[-1], said[-1]) if said else memory
        may_run = not tick.active or tick.number % self.of_ticks < self.on_ticks
        runs = wanted and may_run
        if runs == told:
            return Switch(wanted, told), messages
        line = (self.on if runs else self.off).encode()
        if tick.active:
            word = Message(tick.ends_us - 1, LAST, line)
        else:  # the firmware's own words of this tick count more
            word = Message(tick.starts_us, FIRST, line)
        return Switch(wanted, runs), [*messages, word]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reset:
    """Somebody presses the reset button at these plant times."""

    at_ms: tuple[int, ...]

    def begin(self) -> None:
        """Nothing is remembered."""

    def step(
        self, memory: None, tick: Tick, messages: Sequence[Message]
    ) -> tuple[None, Sequence[Message]]:
        """Press it if it is time."""
        due_us = [
            at_ms * 1000
            for at_ms in self.at_ms
            if tick.starts_us <= at_ms * 1000 < tick.ends_us
        ]
        presses = [Message(at_us, 0, b"reset") for at_us in due_us]
        return memory, [*messages, *presses]
