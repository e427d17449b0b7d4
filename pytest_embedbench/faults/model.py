"""What a fault is: where, when and on what it acts, and what it does there."""

from __future__ import annotations

import enum
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.wire.streams import is_in_stream

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.faults.seeded_random import SeededRandom

MemoryT = TypeVar("MemoryT")
FIRST, LAST = -1, 2**31
"""Ranks before and behind all others."""


class InjectionPoint(enum.Enum):
    """Where a fault acts, between plant and board."""

    SENSORS = "sensors"
    """The plant's lines, before they become writes; without line end."""
    WIRE = "wire"
    """Writes to the firmware's UART: the plant's lines and injected ones, as bytes."""
    ACTUATORS = "actuators"
    """The firmware's lines, before the plant obeys; without line end."""
    RESET_PIN = "button"
    """The board's reset button: nothing passes here unless a fault presses it."""


class Message(NamedTuple):
    """What passes a place at a time after the loop began.

    ``rank`` orders what passes at the same time.
    """

    at_us: int
    rank: int
    data: bytes


class Tick(NamedTuple):
    """One tick, as a fault sees it.

    ``active`` is whether the fault is on; if not, nothing new is given to it, and it
    lets go of what it holds. ``rng`` is for this fault and tick alone.
    """

    number: int
    length_ms: int
    active: bool
    rng: SeededRandom

    @property
    def dice(self) -> SeededRandom:
        """The old name of ``rng``, for one more release."""
        warnings.warn("Tick.dice is called Tick.rng now", DeprecationWarning, 2)
        return self.rng

    @property
    def starts_us(self) -> int:
        """When it begins."""
        return self.number * self.length_ms * 1000

    @property
    def ends_us(self) -> int:
        """When it ends, and the next begins."""
        return self.starts_us + self.length_ms * 1000


class Effect(Protocol[MemoryT]):
    """What a fault does: frozen figures and a pure step, no clock and no state."""

    def begin(self) -> MemoryT:
        """Return what it remembers before the first tick."""
        ...

    def step(
        self, memory: MemoryT, tick: Tick, messages: Sequence[Message]
    ) -> tuple[MemoryT, Sequence[Message]]:
        """Return what it remembers and what passes on, once per tick.

        What passes on does so before the tick ends; the rest is kept in memory.
        """
        ...


@dataclass(frozen=True, slots=True)
class Fault:
    """An effect at a place, on lines that begin with the words of ``stream``.

    It is on from plant time ``from_ms`` up to, not including, ``until_ms``. On the
    wire there are no streams: bytes come one after the other.
    """

    at: InjectionPoint
    effect: Effect[Any]
    stream: str = field(default="", kw_only=True)
    from_ms: int = field(default=0, kw_only=True)
    until_ms: int | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.until_ms is not None and self.until_ms <= self.from_ms:
            raise ConfigError(f"{self}: ends before it begins")
        if self.at is InjectionPoint.WIRE and self.stream:
            raise ConfigError(
                f"{self}: bytes on a wire come one after the other, whatever they "
                "say; leave the stream away, or act at the sensors"
            )

    def __str__(self) -> str:
        lines = f" of {self.stream!r}" if self.stream else ""
        until = "on" if self.until_ms is None else f"to {self.until_ms} ms"
        return (
            f"{self.effect} at {self.at.value}{lines}, from {self.from_ms} ms {until}"
        )

    def is_on(self, plant_ms: int) -> bool:
        """Say whether it is on at a plant time."""
        return self.from_ms <= plant_ms and (
            self.until_ms is None or plant_ms < self.until_ms
        )

    def concerns(self, message: Message) -> bool:
        """Say whether this is of its stream."""
        return is_in_stream(
            message.data.decode("utf-8", "replace").rstrip(), self.stream
        )
