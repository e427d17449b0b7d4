"""Several faults at once, in their order, and how often each took effect."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_embedbench.errors import FaultNeverFired
from pytest_embedbench.faults.model import Tick
from pytest_embedbench.faults.seeded_random import SeededRandom

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.faults.model import Fault, InjectionPoint, Message


@dataclass(slots=True)
class FaultPipeline:
    """What passes a place goes through its faults, one after the other.

    The same faults, seed and traffic give the same, to the byte.
    """

    faults: Sequence[Fault]
    seed: int = 0
    counts: list[int] = field(init=False)
    """In how many ticks each fault has changed what passed."""
    last_change_ms: int | None = field(default=None, init=False)
    """When the last of these ticks began, in plant time."""
    _memories: list[Any] = field(init=False)

    def __repr__(self) -> str:
        return f"<FaultPipeline of {len(self.faults)} faults, seed {self.seed}>"

    def __post_init__(self) -> None:
        self.counts = [0] * len(self.faults)
        self._memories = [fault.effect.begin() for fault in self.faults]

    def apply(
        self,
        at: InjectionPoint,
        number: int,
        length_ms: int,
        messages: Sequence[Message],
    ) -> Sequence[Message]:
        """Return what becomes of all that passes a place in tick ``number``.

        Each place is asked once a tick, tick by tick.
        """
        for index, fault in enumerate(self.faults):
            if fault.at is at:
                rng = SeededRandom.of(self.seed, index, number)
                is_on = fault.is_on(number * length_ms)
                tick = Tick(number, length_ms, is_on, rng)
                messages = self._through(index, tick, messages)
        return messages

    def check_fired(self) -> None:
        """Insist that each fault has changed something.

        Raises:
            FaultNeverFired: one has not: the run says nothing about it.
        """
        idle = [
            str(fault)
            for fault, count in zip(self.faults, self.counts, strict=True)
            if not count
        ]
        if idle:
            raise FaultNeverFired(idle, self.seed)

    def _through(
        self, index: int, tick: Tick, messages: Sequence[Message]
    ) -> Sequence[Message]:
        fault = self.faults[index]
        taken: list[Message] = []
        left: list[Message] = []
        for each in messages:
            concerned = tick.active and fault.concerns(each)
            (taken if concerned else left).append(each)
        memory, given = fault.effect.step(self._memories[index], tick, taken)
        self._memories[index] = memory
        if list(given) != taken:
            self.counts[index] += 1
            self.last_change_ms = tick.starts_us // 1000
        return sorted([*given, *left], key=lambda each: (each.at_us, each.rank))
