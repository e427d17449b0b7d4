"""Faults in what arrives, and when. Nothing overtakes anything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.faults.model import FIRST

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_embedbench.faults.model import Message, Tick

    Held = tuple[Message, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """One line or write in ``one_in`` is lost, by chance; each one with 1."""

    one_in: int = 1

    def begin(self) -> None:
        """Nothing is remembered."""

    def step(
        self, memory: None, tick: Tick, messages: Sequence[Message]
    ) -> tuple[None, Sequence[Message]]:
        """Drop some."""
        return memory, [p for p in messages if not tick.rng.once_in(self.one_in)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decimate:
    """Only one line in ``every`` is sent: a slow sensor, and streams of many rates."""

    every: int

    def __post_init__(self) -> None:
        if self.every < 2:  # noqa: PLR2004  # with one in every one, none is left out
            raise ConfigError(f"{self}: leaves nothing out")

    def begin(self) -> int:
        """Return how many lines were seen."""
        return 0

    def step(
        self, memory: int, tick: Tick, messages: Sequence[Message]
    ) -> tuple[int, Sequence[Message]]:
        """Keep the first and each ``every``-th after it."""
        del tick
        kept = [p for i, p in enumerate(messages, memory) if i % self.every == 0]
        return memory + len(messages), kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Delay:
    """All comes later by ``by_ms``, and up to ``jitter_ms`` more: latency, or lag."""

    by_ms: int
    jitter_ms: int = 0

    def begin(self) -> Held:
        """Return what is on its way: nothing."""
        return ()

    def step(
        self, memory: Held, tick: Tick, messages: Sequence[Message]
    ) -> tuple[Held, Sequence[Message]]:
        """Let go of what is due."""
        late = [
            each._replace(
                at_us=each.at_us
                + 1000 * (self.by_ms + tick.rng.between(0, self.jitter_ms))
            )
            for each in messages
        ]
        return _due(_in_order((*memory, *late)), tick)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fragment:
    """A write comes in two parts, ``gap_ms`` apart, torn anywhere."""

    gap_ms: int

    def begin(self) -> Held:
        """Return what is on its way: nothing."""
        return ()

    def step(
        self, memory: Held, tick: Tick, messages: Sequence[Message]
    ) -> tuple[Held, Sequence[Message]]:
        """Tear each write that has two bytes; who comes after it waits for it."""
        pieces = list(memory)
        for each in messages:
            first = _after(pieces, each)
            if len(each.data) > 1:
                cut = tick.rng.between(1, len(each.data) - 1)
                pieces.append(first._replace(data=each.data[:cut]))
                at_us = first.at_us + 1000 * self.gap_ms
                pieces.append(each._replace(at_us=at_us, data=each.data[cut:]))
            else:
                pieces.append(first)
        return _due(pieces, tick)


@dataclass(frozen=True, slots=True, kw_only=True)
class Coalesce:
    """Writes are held back until there are ``count``; then all come as one."""

    count: int

    def begin(self) -> Held:
        """Return what is held back: nothing."""
        return ()

    def step(
        self, memory: Held, tick: Tick, messages: Sequence[Message]
    ) -> tuple[Held, Sequence[Message]]:
        """Join as many as there have to be; when the fault is over, all there are."""
        held = [*memory, *messages]
        merged: list[Message] = []
        while len(held) >= self.count:
            batch, held = held[: self.count], held[self.count :]
            merged.append(_joined(batch))
        if tick.active or not held:
            return tuple(held), merged
        return _due([*merged, _joined(held)], tick)


@dataclass(frozen=True, slots=True, kw_only=True)
class BitErrors:
    """One byte in ``one_in`` arrives with one of its bits wrong, by chance."""

    one_in: int

    def begin(self) -> None:
        """Nothing is remembered."""

    def step(
        self, memory: None, tick: Tick, messages: Sequence[Message]
    ) -> tuple[None, Sequence[Message]]:
        """Flip some."""
        rng = tick.rng

        def received(byte: int) -> int:
            return byte ^ (1 << rng.below(8) if rng.once_in(self.one_in) else 0)

        return memory, [
            each._replace(data=bytes(map(received, each.data))) for each in messages
        ]


def _due(pieces: Sequence[Message], tick: Tick) -> tuple[Held, Sequence[Message]]:
    """Return what is still held at the end of a tick, and what passes in it.

    A fault that is over lets go of all at once, before anything else passes.
    """
    if not tick.active:
        at_us = tick.starts_us
        return (), [each._replace(at_us=at_us, rank=FIRST) for each in pieces]
    held = [each for each in pieces if each.at_us >= tick.ends_us]
    due = [each for each in pieces if each.at_us < tick.ends_us]
    return tuple([each._replace(rank=FIRST) for each in held]), due


def _joined(writes: Sequence[Message]) -> Message:
    return writes[-1]._replace(data=b"".join(each.data for each in writes))


def _in_order(messages: Iterable[Message]) -> list[Message]:
    ordered: list[Message] = []
    for each in messages:
        ordered.append(_after(ordered, each))
    return ordered


def _after(earlier: Sequence[Message], message: Message) -> Message:
    """Return it, not before the last of those that came before it."""
    last_us = earlier[-1].at_us if earlier else 0
    return message._replace(at_us=max(message.at_us, last_us))
