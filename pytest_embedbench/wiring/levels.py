"""Levels of nets by the strongest that drives them; no simulator.

A drive is a strength and the levels that are driven with it. The stronger of two
wins, two of equal strength and different levels are in conflict; so the order in which
drives come together does not matter. Resistors and closed switches let drives through,
resistors weakly. Where resistors pull to both sides, whoever knows voltages decides.

A change waits until ``settle``: who reacts to levels sees those of all nets as they
were at one moment, whoever else reacts, and in whatever order.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple, Protocol

from pytest_embedbench.wiring.drives import (
    RELEASED,
    TIED,
    Drive,
    stronger,
    through_resistor,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pytest_embedbench.pins import Level


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


def _undecided(_island: Sequence[int]) -> Iterable[tuple[int, Drive]]:
    """Nobody knows voltages."""
    return ()


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
        self._switches = tuple(switches)
        edges = [*self._switches, *resistors]
        self._closed = [False] * len(self._switches)
        self._states = [RELEASED] * nets
        self._at: list[int] = []  # net by driver
        self._drives: list[Drive] = []
        self._drivers: list[list[int]] = [[] for _ in range(nets)]
        self._changes: list[tuple[int, Drive]] = []
        self._flips: list[tuple[int, bool]] = []
        self._anew: set[int] = set()
        self.weigh: Callable[[Sequence[int]], Iterable[tuple[int, Drive]]] = _undecided
        """Decides for an island with nets that are ``TIED`` what holds those.

        It follows from what drivers and switches do now, and from nothing before.
        """
        self.steady: set[int] = set()
        """Drivers whose changes stir nothing: those with PWM on."""
        self.stirred: set[int] = set()
        """The first nets of islands that others have changed; whoever looks clears."""
        self.fought: set[int] = set()
        """Nets that have come to be in contention; whoever looks clears."""
        self._islands = _islands(nets, edges)
        # By the first net of an island: two nets, and the switch or -1.
        self._edges: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        for index, (one, other) in enumerate(edges):
            switch = index if index < len(self._switches) else -1
            self._edges[self._islands[one][0]].append((one, other, switch))

    def add_driver(self, net: int) -> int:
        """Return a new driver on a net; it drives nothing yet."""
        self._at.append(net)
        self._drives.append(RELEASED)
        self._drivers[net].append(len(self._at) - 1)
        return len(self._at) - 1

    def change(self, driver: int, to: Drive, *, anew: bool = False) -> None:
        """Let a driver drive otherwise, from the next ``settle`` on.

        With ``anew`` its nets are looked at even if it is no other drive: its voltage
        is another one.
        """
        self._changes.append((driver, to))
        if anew:
            self._anew.add(driver)

    def switch(self, index: int, *, closed: bool) -> None:
        """Close or open a switch, from the next ``settle`` on."""
        self._flips.append((index, closed))

    @property
    def waiting(self) -> tuple[list[tuple[int, Drive]], list[tuple[int, bool]]]:
        """What waits, for who asks a million times: both are empty if nothing does."""
        return self._changes, self._flips

    @property
    def is_settled(self) -> bool:
        """Whether nothing waits."""
        return not self._changes and not self._flips

    def is_alone(self, net: int) -> bool:
        """Say whether a net has no resistor and no switch to another one."""
        return len(self._islands[net]) == 1

    def island(self, net: int) -> Sequence[int]:
        """Return the nets that a drive on this one may reach, itself among them."""
        return self._islands[net]

    @property
    def states(self) -> list[Drive]:
        """What holds each net; whoever is alone on one that is alone sets it."""
        return self._states

    def drive_of(self, driver: int) -> Drive:
        """Return what a driver does."""
        return self._drives[driver]

    def adopt(self, driver: int, drive: Drive) -> None:
        """Take for what a driver does what its net shows already."""
        self._drives[driver] = drive

    def is_closed(self, index: int) -> bool:
        """Say whether a switch is closed."""
        return self._closed[index]

    def drivers_of(self, net: int) -> list[tuple[int, Drive]]:
        """Return each driver of a net, and what it does."""
        return [(driver, self._drives[driver]) for driver in self._drivers[net]]

    def settle(self) -> list[int]:
        """Apply what waits; return the nets that show another level, in order."""
        touched: set[int] = set()
        for driver, to in self._changes:
            if self._drives[driver] != to or driver in self._anew:
                self._drives[driver] = to
                first = self._islands[self._at[driver]][0]
                touched.add(first)
                if driver not in self.steady:
                    self.stirred.add(first)
        self._changes.clear()
        self._anew.clear()
        for index, closed in self._flips:
            if self._closed[index] != closed:
                self._closed[index] = closed
                first = self._islands[self._switches[index][0]][0]
                touched.add(first)
                self.stirred.add(first)
        self._flips.clear()
        shown: list[int] = []
        for first in touched:
            shown += self._solve(self._islands[first])
        shown.sort()
        return shown

    def hold(self, driver: int, to: Drive) -> None:
        """Let a driver drive otherwise at once, without a word; what waits, waits."""
        if self._drives[driver] != to:
            self._drives[driver] = to
            self._solve(self._islands[self._at[driver]])

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
        before = [self._states[net] for net in island]
        for net in island:
            held = RELEASED
            for driver in self._drivers[net]:
                held = stronger(held, self._drives[driver])
            self._states[net] = held
        if len(island) > 1:
            self._spread(self._edges[island[0]])
        after = self._states
        if TIED in map(after.__getitem__, island):
            for net, held in self.weigh(island):
                after[net] = held
        changed = [
            (net, was)
            for net, was in zip(island, before, strict=True)
            if after[net] != was
        ]
        self.fought.update(net for net, _ in changed if after[net].is_contention)
        return [net for net, was in changed if after[net].level is not was.level]

    def _spread(self, edges: Iterable[tuple[int, int, int]]) -> None:
        """Let nets hold each other through what conducts, until nothing moves."""
        states, closed = self._states, self._closed
        conducts = [it for it in edges if it[2] < 0 or closed[it[2]]]
        is_moving = True
        while is_moving:
            is_moving = False
            for one, other, switch in conducts:
                here, there = states[one], states[other]
                if switch < 0:
                    on, back = through_resistor(here), through_resistor(there)
                else:
                    on, back = here, there
                new_here, new_there = stronger(here, back), stronger(there, on)
                if new_here != here or new_there != there:
                    states[one], states[other] = new_here, new_there
                    is_moving = True


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
