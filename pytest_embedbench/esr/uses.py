"""What a firmware does with each pin: seen while it ran, and read in its source."""

from __future__ import annotations

import enum
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.esr.board_pins import printed
from pytest_embedbench.esr.signals import SignalKind, words_of
from pytest_embedbench.esr.sources.sinks import ArgumentRole
from pytest_embedbench.pins import PinJob

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_embedbench.esr.model import PinMove
    from pytest_embedbench.esr.sources.pin_constant import SourceConstant
    from pytest_embedbench.pins import PinUse


class Does(enum.Enum):
    """One thing that a firmware does at a pin, as far as wiring cares."""

    DRIVES = "drives"
    READS = "reads"
    MEASURES = "measures"
    BUS = "bus"


@dataclass(frozen=True, slots=True)
class PinDoing:
    """All that a firmware does at a pin; ``words`` are those of its constants."""

    does: frozenset[Does] = frozenset()
    words: frozenset[str] = frozenset()
    edges: int = 0
    needs_pwm: bool = False
    needs_interrupt: bool = False

    def suits(self, kind: SignalKind) -> bool:
        """Say whether that is what a signal is for."""
        return bool(self.does & _SUITED[kind])

    def __str__(self) -> str:
        return ", ".join(sorted(it.value for it in self.does))


_SUITED = {
    SignalKind.DRIVE: {Does.DRIVES},
    SignalKind.READ: {Does.READS},
    SignalKind.MEASURE: {Does.MEASURES},
    SignalKind.EITHER: {Does.DRIVES, Does.READS},
    SignalKind.BUS: {Does.BUS},
}
_BY_JOB = {
    PinJob.OUTPUT: Does.DRIVES,
    PinJob.PWM: Does.DRIVES,
    PinJob.PULL_UP: Does.READS,
    PinJob.READ: Does.READS,
    PinJob.INTERRUPT: Does.READS,
    PinJob.ANALOG: Does.MEASURES,
    PinJob.I2C: Does.BUS,
    PinJob.SPI: Does.BUS,
    PinJob.UART: Does.BUS,
}
_BY_ROLE = {
    ArgumentRole.DRIVE: {Does.DRIVES},
    ArgumentRole.PWM: {Does.DRIVES},
    ArgumentRole.READ: {Does.READS},
    ArgumentRole.INTERRUPT: {Does.READS},
    ArgumentRole.MEASURE: {Does.MEASURES},
    ArgumentRole.EITHER: {Does.DRIVES, Does.READS},
}


@dataclass(slots=True)
class Uses:
    """What is known of pins so far; it only ever grows.

    ``has_timer_library`` says that PWM may be gone from some pins.
    """

    constants: tuple[SourceConstant, ...] = ()
    has_timer_library: bool = False
    jobs: dict[str, set[PinJob]] = field(default_factory=dict[str, "set[PinJob]"])
    edges: dict[str, int] = field(default_factory=dict[str, int])
    unseen: tuple[str, ...] = ()

    def learn(self, use: PinUse | None) -> bool:
        """Take what has been seen in a run; say whether anything of it is new."""
        if use is None:
            return False
        before = sum(map(len, self.jobs.values()))
        for name, jobs in use.jobs.items():
            self.jobs.setdefault(printed(name), set()).update(jobs)
        for name, count in use.edges.items():
            pin = printed(name)
            self.edges[pin] = max(count, self.edges.get(pin, 0))
        self.unseen = tuple(dict.fromkeys((*self.unseen, *use.unseen)))
        return sum(map(len, self.jobs.values())) > before

    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Return pins that one array or loop has, in its order."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for constant in self.constants:
            if constant.group:
                found[f"{constant.file}:{constant.group}"].append(constant.pin)
        spans = dict.fromkeys(it.span for it in self.constants if it.span)
        return (*map(tuple, found.values()), *spans)

    def can_say(self, moves: Iterable[PinMove]) -> bool:
        """Say whether pins that are counted from one constant would go together.

        ``FIRST + i`` has no other pins than it has, whatever ``FIRST`` is.
        """
        to = {move.used: move.wired for move in moves}
        named = {it.pin for it in self.constants}
        for span in {it.span for it in self.constants if it.span}:
            counted = [pin for pin in span if pin == span[0] or pin not in named]
            if 0 < sum(pin in to for pin in counted) < len(counted):
                return False
        return True

    def fixed(self) -> frozenset[str]:
        """Return the pins that a bus in hardware has, and nothing in the source."""
        named = {it.pin for it in self.constants}
        return frozenset(
            pin
            for pin, jobs in self.jobs.items()
            if jobs & _ON_BUS and pin not in named
        )

    def by_pin(self) -> Mapping[str, PinDoing]:
        """Return what is done at each pin, seen or read."""
        does: defaultdict[str, set[Does]] = defaultdict(set)
        words: defaultdict[str, set[str]] = defaultdict(set)
        roles: defaultdict[str, set[ArgumentRole]] = defaultdict(set)
        for pin, jobs in self.jobs.items():
            does[pin].update(_seen(jobs))
        for constant in self.constants:
            for pin in constant.span or (constant.pin,):
                roles[pin] |= constant.roles
                does[pin].update(*(_BY_ROLE[role] for role in constant.roles))
            words[constant.pin] |= words_of(constant.words)
        return {
            pin: PinDoing(
                does=frozenset(does[pin]),
                words=frozenset(words[pin]),
                edges=self.edges.get(pin, 0),
                needs_pwm=ArgumentRole.PWM in roles[pin] or self._has(pin, PinJob.PWM),
                needs_interrupt=self._is_interrupt(pin),
            )
            for pin in does
        }

    def _has(self, pin: str, job: PinJob) -> bool:
        return job in self.jobs.get(pin, ())

    def _is_interrupt(self, pin: str) -> bool:
        named = [it for it in self.constants if it.pin == pin]
        return self._has(pin, PinJob.INTERRUPT) or any(
            it.calls & _INTERRUPT_CALLS for it in named
        )


def doing_of(constant: SourceConstant) -> PinDoing:
    """Return what the source does with one constant."""
    does = [_BY_ROLE[role] for role in constant.roles]
    return PinDoing(does=frozenset[Does]().union(*does))


_ON_BUS = {PinJob.UART, PinJob.I2C, PinJob.SPI}
_INTERRUPT_CALLS = {"attachInterrupt", "digitalPinToInterrupt"}


def _seen(jobs: set[PinJob]) -> set[Does]:
    """Return what jobs come to.

    An output that is read is one that is turned over. A level that is written to a pin
    which nobody reads is meant to drive it: its ``pinMode`` is missing.
    """
    does = {_BY_JOB[job] for job in jobs}
    if PinJob.OUTPUT in jobs and PinJob.INTERRUPT not in jobs:
        does.discard(Does.READS)
    if jobs == {PinJob.PULL_UP}:
        does.add(Does.DRIVES)
    return does
