"""Which nets can be reached from one by certain ways: switches, resistors, diodes."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from pytest_embedbench.wiring.part_type import PinRole

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_embedbench.wiring.netlist import Netlist, NetPair

    Ways = Mapping[int, frozenset[int]]

_MOST_SERIES_OHM, _FAR = 2000.0, float("inf")


def both_ways(*pairs: Iterable[NetPair]) -> Ways:
    """Return the ways between nets that lead in both directions."""
    every = [pair for some in pairs for pair in some]
    there = [(pair.one, pair.other) for pair in every]
    return _ways([*there, *((other, one) for one, other in there)])


def with_current(switches: Iterable[NetPair], diodes: Iterable[NetPair]) -> Ways:
    """Return where current goes on to: over switches, and over diodes forward."""
    return _joined(both_ways(switches), _ways((it.one, it.other) for it in diodes))


def against_current(switches: Iterable[NetPair], diodes: Iterable[NetPair]) -> Ways:
    """Return where current comes from: over switches, and over diodes forward."""
    return _joined(both_ways(switches), _ways((it.other, it.one) for it in diodes))


def reached(net: int, ways: Ways) -> list[int]:
    """Return a net and those that ways lead to from there, the nearest first."""
    found, seen = [net], {net}
    for here in found:
        further = sorted(ways.get(here, frozenset()) - seen)
        found.extend(further)
        seen.update(further)
    return found


def moved_with(netlist: Netlist, net: int) -> list[int]:
    """Return the nets that who drives one may move: over resistors and switches.

    What supplies hold is moved by nobody, and nothing behind it.
    """
    supplies = {
        index
        for index, each in enumerate(netlist.nets)
        if each.has(PinRole.GROUND, PinRole.SUPPLY)
    }
    between = [*netlist.resistors, *netlist.switches]
    free = [it for it in between if supplies.isdisjoint((it.one, it.other))]
    return reached(net, both_ways(free))


def bus_line(netlist: Netlist, net: int) -> frozenset[int]:
    """Return the nets that a line of a bus consists of: one, and what is in series.

    That is what resistors of 2 kOhm in sum lead to, which is more than a module's own
    10 kOhm leave room for on I2C. Supplies and other pins of a board are no part of it,
    nor is what is behind them. Of a net that is not there (-1) it is none, and of one
    that a supply holds, on which no bit ever moves.
    """
    if net < 0 or netlist.nets[net].has(PinRole.GROUND, PinRole.SUPPLY):
        return frozenset()
    ohm = {net: 0.0}
    open_ends = [net]
    for here in open_ends:
        for it in netlist.resistors:
            there = it.one + it.other - here
            if here not in (it.one, it.other):
                continue
            total = ohm[here] + it.value_ohm
            if total > _MOST_SERIES_OHM or total >= ohm.get(there, _FAR):
                continue
            at_end = netlist.nets[there]
            is_held = at_end.has(PinRole.GROUND, PinRole.SUPPLY)
            if not is_held and not any(pin.is_of_board for pin in at_end.pins):
                ohm[there] = total
                open_ends.append(there)
    return frozenset(ohm)


def _ways(steps: Iterable[tuple[int, int]]) -> Ways:
    ways: dict[int, set[int]] = defaultdict(set)
    for here, there in steps:
        ways[here].add(there)
    return {here: frozenset(there) for here, there in ways.items()}


def _joined(some: Ways, others: Ways) -> Ways:
    none: frozenset[int] = frozenset()
    return {
        here: some.get(here, none) | others.get(here, none) for here in {*some, *others}
    }
