"""Levels of nets by the strongest that drives them; no voltages, no simulator.

A drive is a strength and the levels that are driven with it. The stronger of two
wins, two of equal strength and different levels are in conflict; so the order in which
drives come together does not matter. Resistors and closed switches let drives through,
resistors weakly.

A change waits until ``settle``: who reacts to levels sees those of all nets as they
were at one moment, whoever else reacts, and in whatever order.
"""

from __future__ import annotations

import enum
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple, Protocol

from pytest_embedbench.pins import Level

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Strength(enum.IntEnum):
    """How firmly a net is held."""

    NOTHING = 0
    PULL = 1
    """The pull-up of a microcontroller's pin."""
    RESISTOR = 2
    """Whatever is stronger, through a resistor."""
    OUTPUT = 3
    SUPPLY = 4


class Drive(NamedTuple):
    """What holds a net: how firmly, and at which levels; at both in a conflict.

    ``is_contention`` says that outputs or supplies work against each other: also an
    output against a supply, which wins.
    """

    strength: Strength
    is_low: bool
    is_high: bool
    is_contention: bool = False

    @property
    def level(self) -> Level:
        """What a digital input reads; in a conflict nobody can tell."""
        if self.is_low == self.is_high:
            return Level.FLOATING
        return Level.HIGH if self.is_high else Level.LOW

    @property
    def is_short(self) -> bool:
        """Whether two supplies work against each other."""
        return self.strength is Strength.SUPPLY and self.is_low and self.is_high


RELEASED = Drive(Strength.NOTHING, is_low=False, is_high=False)
"""What an input does to its net."""


def drive(strength: Strength, level: Level) -> Drive:
    """Return what holds a net at a level; nothing does at ``FLOATING``."""
    if level is Level.FLOATING or strength is Strength.NOTHING:
        return RELEASED
    return Drive(strength, level is Level.LOW, level is Level.HIGH)


def stronger(one: Drive, other: Drive) -> Drive:
    """Return what two drives come to; equal strengths add their levels."""
    fights = one.is_contention or other.is_contention or _oppose(one, other)
    if one.strength != other.strength:
        wins = one if one.strength > other.strength else other
        return wins if wins.is_contention == fights else _fighting(wins)
    is_low, is_high = one.is_low or other.is_low, one.is_high or other.is_high
    return Drive(one.strength, is_low, is_high, fights)


def _oppose(one: Drive, other: Drive) -> bool:
    if min(one.strength, other.strength) < Strength.OUTPUT:
        return False
    return (one.is_low and other.is_high) or (one.is_high and other.is_low)


def _fighting(one: Drive) -> Drive:
    return Drive(one.strength, one.is_low, one.is_high, is_contention=True)


def through_resistor(one: Drive) -> Drive:
    """Return what is left of a drive behind a resistor."""
    return Drive(min(one.strength, Strength.RESISTOR), one.is_low, one.is_high)


class NetLevels(Protocol):
    """What somebody who reacts may see."""

    def level(self, net: int) -> Level:
        """Return what a net shows."""
        ...


class DriveChange(NamedTuple):
    """That a driver drives otherwise from now on."""

    driver: int
    drive: Drive


class Reacting(Protocol):
    """Somebody whose drives follow from levels: a gate, a chip, a board."""

    @property
    def watches(self) -> Sequence[int]:
        """The nets whose changes it wants to hear of."""
        ...

    def react(self, levels: NetLevels) -> Iterable[DriveChange]:
        """Return what it drives now; called once per moment at which a net changed."""
        ...


class Network:
    """Nets, drivers on them, and the resistors and switches between them.

    Args:
        nets: How many there are; they are known by their index.
        resistors: Pairs of nets.
        switches: Pairs of nets, known by their index; open at first.
    """

    def __init__(
        self,
        nets: int,
        resistors: Iterable[tuple[int, int]] = (),
        switches: Iterable[tuple[int, int]] = (),
    ) -> None:
        self._resistors = tuple(resistors)
        self._switches = tuple(switches)
        self._closed = [False] * len(self._switches)
        self._states = [RELEASED] * nets
        self._at: list[int] = []  # net by driver
        self._drives: list[Drive] = []
        self._drivers: list[list[int]] = [[] for _ in range(nets)]
        self._changes: list[DriveChange] = []
        self._flips: list[tuple[int, bool]] = []
        self._islands = _islands(nets, (*self._resistors, *self._switches))
        self._edges: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        for index, (one, other) in enumerate(self._switches):
            self._edges[self._islands[one][0]].append((one, other, index))
        for one, other in self._resistors:
            self._edges[self._islands[one][0]].append((one, other, -1))

    def add_driver(self, net: int) -> int:
        """Return a new driver on a net; it drives nothing yet."""
        self._at.append(net)
        self._drives.append(RELEASED)
        self._drivers[net].append(len(self._at) - 1)
        return len(self._at) - 1

    def change(self, driver: int, to: Drive) -> None:
        """Let a driver drive otherwise, from the next ``settle`` on."""
        self._changes.append(DriveChange(driver, to))

    def switch(self, index: int, *, closed: bool) -> None:
        """Close or open a switch, from the next ``settle`` on."""
        self._flips.append((index, closed))

    def settle(self) -> list[int]:
        """Apply what waits; return the nets that show another level, in order."""
        changed: set[int] = set()
        for driver, to in self._changes:
            if self._drives[driver] != to:
                self._drives[driver] = to
                changed.add(self._at[driver])
        for index, closed in self._flips:
            if self._closed[index] != closed:
                self._closed[index] = closed
                changed.add(self._switches[index][0])
        self._changes.clear()
        self._flips.clear()
        shown: list[int] = []
        for first in sorted({self._islands[net][0] for net in changed}):
            shown.extend(self._solve(self._islands[first]))
        return sorted(shown)

    def state(self, net: int) -> Drive:
        """Return what holds a net."""
        return self._states[net]

    def level(self, net: int) -> Level:
        """Return what a net shows."""
        return self._states[net].level

    def contentions(self) -> list[int]:
        """Return the nets on which outputs or supplies work against each other."""
        return [net for net, state in enumerate(self._states) if state.is_contention]

    def floating(self) -> list[int]:
        """Return the nets that nothing holds."""
        return [net for net, state in enumerate(self._states) if state == RELEASED]

    def _solve(self, island: Sequence[int]) -> list[int]:
        """Hold each net of an island anew; return those that show another level.

        Drives only ever add up on the way, so there is one end, by any way.
        """
        states = {net: self._held_by_drivers(net) for net in island}
        is_moving = True
        while is_moving:
            is_moving = False
            for one, other, switch in self._edges.get(island[0], ()):
                if switch >= 0 and not self._closed[switch]:
                    continue
                for here, there in ((one, other), (other, one)):
                    comes = states[here]
                    if switch < 0:
                        comes = through_resistor(comes)
                    together = stronger(states[there], comes)
                    if together != states[there]:
                        states[there] = together
                        is_moving = True
        before = self._states
        shown = [net for net in island if states[net].level != before[net].level]
        for net, state in states.items():
            before[net] = state
        return shown

    def _held_by_drivers(self, net: int) -> Drive:
        held = RELEASED
        for driver in self._drivers[net]:
            held = stronger(held, self._drives[driver])
        return held


def let_react(
    network: Network, reacting: Sequence[Reacting], rounds: int = 1000
) -> list[int]:
    """Settle, and let all react to what has changed, until nothing changes any more.

    Returns:
        The nets that still change after ``rounds`` rounds: a loop without end.
    """
    changed = network.settle()
    for _ in range(rounds):
        if not changed:
            break
        seen = set(changed)
        heard = [one for one in reacting if not seen.isdisjoint(one.watches)]
        answers = [answer for one in heard for answer in one.react(network)]
        for answer in answers:
            network.change(answer.driver, answer.drive)
        changed = network.settle()
    return changed


def _islands(nets: int, pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Return for each net those that a drive on it may reach, in order."""
    islands = [[net] for net in range(nets)]
    for one, other in pairs:
        here, there = islands[one], islands[other]
        if here is there:
            continue
        merged = sorted((*here, *there))
        for net in merged:
            islands[net] = merged
    return islands
