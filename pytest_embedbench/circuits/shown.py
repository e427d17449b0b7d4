"""Which nets of a record are shown, since when, and what they do in columns of time."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.wiring.part_type import PinRole

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_embedbench.wiring.net_waves import NetWaves

MOST_CHANGES = 200_000
"""More than about so many changes no file has that nobody has asked for."""


class Column(NamedTuple):
    """A stretch of a net: what it showed before, how often it changed, and to what."""

    before: int
    edges: int
    after: int


def joined_nets(waves: NetWaves) -> list[int]:
    """Return the nets of more than one pin."""
    nets = waves.record.netlist.nets
    return [index for index, net in enumerate(nets) if len(net.pins) > 1]


def since(waves: NetWaves, most_changes: int | None = None) -> tuple[int, str]:
    """Return the tick that is shown from, and why not from the beginning, if so.

    There are at most about ``most_changes`` after it.
    """
    record = waves.record
    ticks, why = record.since_ticks, ""
    if ticks:
        why = "so much did nets change after it"
    nets = joined_nets(waves)
    if most_changes is not None and waves.count(ticks, nets) > most_changes:
        every = range(record.ends_ticks + 1)
        ticks = bisect_left(
            every, -most_changes, lo=ticks, key=lambda tick: -waves.count(tick, nets)
        )
        ticks = min(ticks, record.ends_ticks)
        why = f"what follows is the last {most_changes} changes or so"
    if not why:
        return 0, ""
    begins_s = ticks / record.ticks_per_us / 1e6
    return ticks, f"nothing before {begins_s:.6f} s is here: {why}"


def movers(waves: NetWaves, after_ticks: int, most: int) -> list[int]:
    """Return the nets that changed after a tick, the one that did last first."""
    nets = waves.record.netlist.nets
    moved = [
        net
        for net in joined_nets(waves)
        if not nets[net].has(PinRole.GROUND, PinRole.SUPPLY)
        and next(waves.changes(net, after_ticks), None) is not None
    ]
    return sorted(moved, key=lambda net: (-waves.last_moved(net), net))[:most]


def columns(waves: NetWaves, net: int, bounds_ticks: Sequence[int]) -> Iterator[Column]:
    """Yield what a net did between each two of these ticks."""
    level = waves.level_at(net, bounds_ticks[0])
    changes = waves.changes(net, bounds_ticks[0], bounds_ticks[-1])
    change = next(changes, None)
    for ends_ticks in bounds_ticks[1:]:
        before, edges = level, 0
        while change is not None and change[0] <= ends_ticks:
            edges, level = edges + 1, change[1]
            change = next(changes, None)
        yield Column(before, edges, level)
