"""What the nets of a circuit did: edges, PWM and buses, for tests and wave files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.net_log import FIGHT, BusByte, PwmChange
from pytest_embedbench.wiring.net_waves import NetWaves

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.wiring.netlist import Netlist

_LEVELS = {level.value: level for level in Level} | {FIGHT: Level.FLOATING}


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

    def edges_of(self, net: int, since_us: int = 0) -> list[Edge]:
        """Return the edges of a net from a time on, those of PWM and buses among them.

        A net in contention counts as floating.
        """
        after_ticks = since_us * self.ticks_per_us - 1
        edges: list[Edge] = []
        for at_ticks, level in NetWaves(self).changes(net, after_ticks):
            edge = Edge(at_ticks * 1000 // self.ticks_per_us, _LEVELS[level])
            if not edges or edges[-1].level is not edge.level:
                edges.append(edge)
        return edges
