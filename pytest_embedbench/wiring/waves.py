"""What the nets of a circuit did: edges, PWM and buses, for tests and wave files."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.net_log import (
    LEVEL_BITS,
    NET_MASK,
    TICK_SHIFT,
    BusByte,
    PwmChange,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.wiring.netlist import Netlist

_LEVELS = {level.value: level for level in Level}


class Edge(NamedTuple):
    """That a net shows another level: when, in ns since power came, and which."""

    at_ns: int
    level: Level


@dataclass(frozen=True, slots=True, kw_only=True)
class CircuitRecord:
    """All that happened up to ``ends_ticks``; before ``since_ticks`` some is missing.

    ``i2c`` are the nets of SDA and SCL of the chip's hardware, ``spi`` of SCK, MOSI and
    MISO, -1 where there are none; the bytes in ``bus`` went over them.
    """

    netlist: Netlist
    ticks_per_us: int
    packed: bytes
    since_ticks: int
    ends_ticks: int
    pwm: Sequence[PwmChange] = ()
    bus: Sequence[BusByte] = ()
    i2c: tuple[int, int] = (-1, -1)
    spi: tuple[int, int, int] = (-1, -1, -1)

    def changes_of(self, net: int) -> list[tuple[int, Level]]:
        """Return the changes of a net, by ticks; PWM and buses are not among them."""
        mask = NET_MASK << LEVEL_BITS
        wanted = net << LEVEL_BITS
        return [
            (each >> TICK_SHIFT, _LEVELS[each & 3])
            for each in array("Q", self.packed)
            if each & mask == wanted
        ]

    def edges_of(self, net: int, since_us: int = 0) -> list[Edge]:
        """Return the edges of a net from a time on, those of PWM among them."""
        changes = with_pulses(
            self.changes_of(net),
            [it for it in self.pwm if it.net == net],
            self.ends_ticks,
        )
        since_ticks = since_us * self.ticks_per_us
        first = bisect_left(changes, since_ticks, key=lambda change: change[0])
        return [
            Edge(at_ticks * 1000 // self.ticks_per_us, level)
            for at_ticks, level in changes[first:]
        ]


def with_pulses(
    changes: Sequence[tuple[int, Level]], pwm: Sequence[PwmChange], ends_ticks: int
) -> list[tuple[int, Level]]:
    """Return changes of a net with the pulses of its PWM in their places."""
    if not pwm:
        return list(changes)
    found = list(changes)
    ends = [it.at_ticks for it in pwm[1:]] + [ends_ticks]
    for it, end_ticks in zip(pwm, ends, strict=True):
        at_ticks = it.at_ticks
        while it.period_ticks and at_ticks < end_ticks:
            if it.high_ticks:
                found.append((at_ticks, Level.HIGH))
            fall = at_ticks + it.high_ticks
            if it.high_ticks < it.period_ticks and fall < end_ticks:
                found.append((fall, Level.LOW))
            at_ticks += it.period_ticks
    found.sort(key=lambda change: change[0])
    return _without_repeats(found)


def _without_repeats(changes: Sequence[tuple[int, Level]]) -> list[tuple[int, Level]]:
    kept: list[tuple[int, Level]] = []
    for at_ticks, level in changes:
        if kept and kept[-1][0] == at_ticks:
            kept.pop()
        if not kept or kept[-1][1] is not level:
            kept.append((at_ticks, level))
    return kept
