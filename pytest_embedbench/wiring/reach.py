"""Which nets can be reached from one by certain ways: switches, resistors, diodes."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_embedbench.wiring.netlist import NetPair

    Ways = Mapping[int, frozenset[int]]


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
